//! Resolves names: which step a target means, which outcome a mapping is for, what the file of a
//! prompt contains.
//!
//! Nothing is reported here. An unresolved name stays in the result, together with the name that
//! the author probably meant. The checks report it, and later checks assume the name that the
//! author meant.

mod claims;
mod commands;
mod derives;
mod evidence;
mod file_scope;
mod fragment;
mod limits;
mod outcomes;
mod prompt;
mod target;
mod time;
mod tools;
mod visit_limits;

use std::collections::HashMap;

use heck::ToTitleCase;
use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;

use crate::graph::Graph;
use crate::spelling;
use crate::syntax::{self, Command, Docs, Former, Next, VisitLimit};

pub(crate) use claims::{Claim, Goal, Report, Since};
pub(crate) use commands::{CommandFlaw, judge as judge_command, texts as command_texts};
pub(crate) use derives::{DeriveFlaw, judge as judge_derive, last_word};
pub(crate) use evidence::{EVIDENCE, Evidence, EvidenceFlaw, judge as judge_evidence};
pub(crate) use file_scope::{FileScope, PatternFlaw, PatternFlawKind, Patterns};
pub(crate) use fragment::ResolvedFragment;
pub(crate) use limits::{GUARDRAILS, Limits, REVIEW_ROUNDS, VERIFY_TIME};
pub(crate) use prompt::Prompt;
pub(crate) use target::Target;
pub(crate) use time::{MAX_TIME, TimeFlaw, seconds, written as written_time};
pub(crate) use tools::{TOOLS, Tool, ToolFlaw, ToolFlawKind, Tools};
pub(crate) use visit_limits::{NumberFlaw, VisitLimits, dollars, retries};

/// What a run can need.
pub(crate) const NEEDS: [&str; 2] = [CLEAN_TREE, TASK];
/// That no tracked file has uncommitted changes.
pub(crate) const CLEAN_TREE: &str = "clean_tree";
/// That a new session has a task to work on.
pub(crate) const TASK: &str = "task";
/// What an outcome can carry.
pub(crate) const FINDINGS: &str = "findings";
/// The outcome that every step has while `exit_on_other` holds.
pub(crate) const OTHER: &str = "Other";
/// The reason it exits with, unless the author maps it.
pub(crate) const OTHER_REASON: &str = "UserProvidedOther";

/// A recipe whose names have been looked up.
pub(crate) struct Resolved {
    pub(crate) written: syntax::Recipe,
    pub(crate) id: String,
    pub(crate) label: String,
    pub(crate) limits: Limits,
    /// The tools of steps without their own list.
    pub(crate) tools: Option<Tools>,
    /// Which files its runs may change.
    pub(crate) scope: FileScope,
    pub(crate) initial: Initial,
    pub(crate) steps: Vec<Step>,
    /// The steps that can follow each step; a misspelt target counts as the step that the author
    /// probably meant.
    pub(crate) graph: Graph,
    /// The same without guesses, for rules that must not rely on them.
    pub(crate) certain: Graph,
    pub(crate) claims: Vec<Claim>,
}

/// Where the recipe begins.
pub(crate) enum Initial {
    Step { index: usize, at: Span },
    Unknown { meant: Option<usize> },
    Missing,
}

/// A step; a second one of the same name is kept so that its mistakes are found as well.
pub(crate) struct Step {
    pub(crate) written: syntax::Step,
    pub(crate) wire: String,
    pub(crate) prompt: Prompt,
    /// Its own list of tools.
    pub(crate) tools: Option<Tools>,
    /// The commands that verify it, without those that have a flaw.
    pub(crate) verify: Vec<Command>,
    /// What it runs instead of asking an agent, and for how many seconds at most.
    pub(crate) run: Option<(Command, Option<u64>)>,
    /// How often it may be visited, by its own limit.
    pub(crate) max_visits: Option<u32>,
    /// Where a run goes instead of visiting it once more.
    pub(crate) when_full: Option<Target>,
    /// What one visit may use up.
    pub(crate) visit_limits: VisitLimits,
    /// Where a run goes when a visit has used that up.
    pub(crate) after_limits: Vec<(VisitLimit, Target)>,
    /// Its former names, as they are on the wire.
    pub(crate) was: Vec<String>,
    pub(crate) outcomes: Vec<Outcome>,
    /// Outcomes that are mapped but not declared.
    pub(crate) stray: Vec<Outcome>,
    /// The earlier step with the same name.
    pub(crate) duplicate_of: Option<usize>,
}

/// A declared or implied outcome.
pub(crate) struct Outcome {
    pub(crate) name: Ident,
    pub(crate) wire: String,
    pub(crate) docs: Docs,
    /// Where it is mapped under this very name.
    pub(crate) mapped_at: Option<Span>,
    pub(crate) target: Target,
    /// What the engine must find, without flawed entries.
    pub(crate) evidence: Vec<Evidence>,
    /// Whether it carries findings.
    pub(crate) findings: bool,
    /// Its former names, as they are on the wire.
    pub(crate) was: Vec<String>,
    /// The misspelt name under which it was mapped.
    pub(crate) mapped_as: Option<Ident>,
}

impl Step {
    pub(crate) fn name(&self) -> &Ident {
        &self.written.name
    }

    /// Where its outcomes lead, and where its limits do.
    pub(crate) fn targets(&self) -> impl Iterator<Item = &Target> {
        let limits = self.after_limits.iter().map(|(_, target)| target);
        self.outcomes.iter().map(|outcome| &outcome.target).chain(limits).chain(&self.when_full)
    }

    /// Whether some of its transitions are not known.
    pub(crate) fn is_open(&self) -> bool {
        self.written.broken
            || self.outcomes.is_empty()
            || self.outcomes.iter().any(|outcome| outcome.target.is_open())
            || self.after_limits.iter().any(|(_, target)| target.is_open())
    }
}

impl Resolved {
    pub(crate) fn new(written: syntax::Recipe) -> Self {
        let limits = Limits::new(&written);
        let names = first_places(written.steps.iter().map(|step| &step.name));
        let candidates: Vec<_> = written.steps.iter().map(|step| step.name.to_string()).collect();
        let find = |name: &Ident| names.get(&name.unraw().to_string()).copied();
        let meant = |name: &Ident| {
            let text = name.to_string();
            let close = spelling::closest(&text, candidates.iter().map(String::as_str));
            close.and_then(|close| candidates.iter().position(|candidate| candidate == close))
        };
        let target = |next: &Next| match next {
            Next::Exit(reason) => Target::Exit(reason.clone()),
            Next::Restart(recipe) => {
                match recipe.get_ident().and_then(|name| Some((name, find(name)?))) {
                    Some((name, index)) => Target::RestartedStep { index, name: name.clone() },
                    None => Target::Restart(recipe.clone()),
                }
            }
            Next::Step(name) => match find(name) {
                Some(index) => Target::Step { index, at: name.span() },
                None => Target::Unknown { name: name.clone(), meant: meant(name) },
            },
        };
        let steps: Vec<_> = written
            .steps
            .iter()
            .enumerate()
            .map(|(index, step)| Step {
                written: step.clone(),
                wire: spelling::wire(&step.name),
                prompt: Prompt::new(step),
                tools: step.tools.value().map(|tools| Tools::new(tools)),
                verify: verify(step),
                run: run(step),
                max_visits: max_visits(step),
                when_full: when_full(step).map(&target),
                visit_limits: VisitLimits::new(step),
                after_limits: step
                    .after_limits()
                    .map(|(limit, next)| (limit, target(next)))
                    .collect(),
                was: was(step, None),
                outcomes: outcomes::outcomes(step, limits, &target),
                stray: outcomes::stray(step, &target),
                duplicate_of: find(&step.name).filter(|first| *first != index),
            })
            .collect();
        let initial = match written.initial.value() {
            Some(name) => match find(name) {
                Some(index) => Initial::Step { index, at: name.span() },
                None => Initial::Unknown { meant: meant(name) },
            },
            None => Initial::Missing,
        };
        let guessed = graph(&steps, Target::step);
        let certain = graph(&steps, Target::certain_step);
        let id =
            written.id.value().map_or_else(|| spelling::wire(&written.name), syn::LitStr::value);
        let label = written.label.value().map_or_else(|| title(&written.name), syn::LitStr::value);
        let tools = written.tools.value().map(|tools| Tools::new(tools));
        let scope = written.scope.value().map(FileScope::new).unwrap_or_default();
        let claims = written.proves.value().into_iter().flatten();
        let claims = claims.map(|claim| Claim::new(claim, &steps, find)).collect();
        let graph = guessed;
        Self { written, id, label, limits, tools, scope, initial, steps, graph, certain, claims }
    }

    /// The steps without those that repeat the name of an earlier one.
    pub(crate) fn distinct_steps(&self) -> impl Iterator<Item = (usize, &Step)> {
        self.steps.iter().enumerate().filter(|(_, step)| step.duplicate_of.is_none())
    }

    /// The names of the steps, as the author wrote them.
    pub(crate) fn step_names(&self) -> Vec<String> {
        self.distinct_steps().map(|(_, step)| step.name().to_string()).collect()
    }
}

fn verify(step: &syntax::Step) -> Vec<Command> {
    let commands = step.verify.value().into_iter().flatten();
    commands.filter_map(|command| judge_command(command).ok().cloned()).collect()
}

fn run(step: &syntax::Step) -> Option<(Command, Option<u64>)> {
    let command = step.run.value().filter(|_| step.is_command())?;
    let time = step.time.value().and_then(|limit| seconds(&limit.value).ok());
    judge_command(command).ok().map(|command| (command.clone(), time))
}

/// A number that is reported counts as some limit, since it shows that the author wants one.
fn max_visits(step: &syntax::Step) -> Option<u32> {
    let number = step.max_visits.value().and_then(|limit| limit.number.base10_parse::<u32>().ok());
    step.limits_visits().then(|| number.filter(|number| *number > 0).unwrap_or(1))
}

fn when_full(step: &syntax::Step) -> Option<&Next> {
    step.max_visits.value().and_then(|limit| limit.next.as_ref())
}

/// The former names of a step, or of one of its outcomes.
fn was(step: &syntax::Step, outcome: Option<&Ident>) -> Vec<String> {
    let of =
        |former: &&Former| former.outcome.as_ref().map(Ident::unraw) == outcome.map(Ident::unraw);
    let former = step.was.value().into_iter().flatten().filter(of);
    former.map(|former| spelling::wire(&former.name)).collect()
}

/// Which steps follow which, by an outcome, because a visit used up a limit, or because a step was
/// visited as often as it may be; a duplicate's transitions count for the first step of that name.
fn graph(steps: &[Step], follower: impl Fn(&Target) -> Option<usize>) -> Graph {
    let when_full: Vec<_> =
        steps.iter().map(|step| step.when_full.as_ref().and_then(&follower)).collect();
    let mut edges = vec![Vec::new(); steps.len()];
    for (index, step) in steps.iter().enumerate() {
        let from = step.duplicate_of.unwrap_or(index);
        let outcomes = step.outcomes.iter().chain(&step.stray);
        edges[from].extend(outcomes.filter_map(|outcome| follower(&outcome.target)));
        let limits = step.after_limits.iter().filter_map(|(_, target)| follower(target));
        // A limit that leads to its own step is reported as such, and closes no cycle.
        edges[from].extend(limits.filter(|to| *to != from));
    }
    Graph::with_detours(edges, &when_full)
}

fn first_places<'a>(names: impl Iterator<Item = &'a Ident>) -> HashMap<String, usize> {
    let mut places = HashMap::new();
    for (index, name) in names.enumerate() {
        places.entry(name.unraw().to_string()).or_insert(index);
    }
    places
}

/// The default label of a recipe.
fn title(name: &Ident) -> String {
    name.unraw().to_string().to_title_case()
}
