//! Names become places: which step a target means, which outcome a mapping is for.
//!
//! Nothing is reported here. What could not be resolved stays in the result as such, together with what was
//! probably meant: the checks report it, and the checks after them reason as if it had been written right.

use std::collections::HashMap;

use heck::ToTitleCase;
use proc_macro2::Ident;
use syn::Path;
use syn::ext::IdentExt;

use crate::graph::Graph;
use crate::spelling;
use crate::syntax::{self, Docs, Mapping, Next, Value};

/// The outcome that every step has while `exit_on_other` holds.
pub(crate) const OTHER: &str = "Other";

/// The guardrails that there are.
pub(crate) const GUARDRAILS: [&str; 4] =
    ["max_step_visits", "max_total_steps", "max_restarts", "exit_on_other"];

/// A recipe whose names have been looked up.
pub(crate) struct Resolved {
    pub(crate) written: syntax::Recipe,
    pub(crate) id: String,
    pub(crate) label: String,
    pub(crate) limits: Limits,
    pub(crate) initial: Initial,
    pub(crate) steps: Vec<Step>,
    /// The steps that can follow each step, where a misspelt target counts as what was probably meant.
    pub(crate) graph: Graph,
    /// The same without guesses, for rules that must not build on one.
    pub(crate) certain: Graph,
}

/// The limits as numbers; what is no number is reported by a check and counts as some limit here.
#[derive(Default, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) max_step_visits: Option<u32>,
    pub(crate) max_total_steps: Option<u32>,
    pub(crate) max_restarts: Option<u32>,
    pub(crate) other_is_free: bool,
}

/// Where the recipe begins.
pub(crate) enum Initial {
    Step(usize),
    Unknown { meant: Option<usize> },
    Missing,
}

/// A step; a second one of the same name is kept so that its mistakes are found as well.
pub(crate) struct Step {
    pub(crate) written: syntax::Step,
    pub(crate) wire: String,
    pub(crate) outcomes: Vec<Outcome>,
    /// What was mapped without being declared, under the name it was mapped by.
    pub(crate) stray: Vec<Outcome>,
    /// The step that has this name already.
    pub(crate) duplicate_of: Option<usize>,
}

/// A declared or implied outcome.
pub(crate) struct Outcome {
    pub(crate) name: Ident,
    pub(crate) wire: String,
    pub(crate) docs: Docs,
    pub(crate) target: Target,
    /// The misspelt name under which it was mapped.
    pub(crate) mapped_as: Option<Ident>,
}

/// What follows an outcome.
pub(crate) enum Target {
    Step {
        index: usize,
    },
    Unknown {
        name: Ident,
        meant: Option<usize>,
    },
    Exit(Ident),
    /// The implied `Other`.
    StandardOther,
    Restart(Path),
    /// Nothing was mapped to the outcome.
    Unmapped,
    /// What was mapped could not be read.
    Broken,
}

impl Target {
    /// The step it leads to, and no guess.
    pub(crate) fn certain_step(&self) -> Option<usize> {
        match self {
            Self::Step { index } => Some(*index),
            Self::Unknown { .. }
            | Self::Exit(_)
            | Self::StandardOther
            | Self::Restart(_)
            | Self::Unmapped
            | Self::Broken => None,
        }
    }

    /// The step it leads to, also where its name was misspelt.
    pub(crate) fn step(&self) -> Option<usize> {
        match self {
            Self::Step { index } => Some(*index),
            Self::Unknown { meant, .. } => *meant,
            Self::Exit(_) | Self::StandardOther | Self::Restart(_) | Self::Unmapped | Self::Broken => None,
        }
    }

    /// Whether it ends the run by the author's will.
    pub(crate) fn ends(&self) -> bool {
        matches!(self, Self::Exit(_) | Self::Restart(_))
    }

    /// Whether it may lead anywhere, since a mistake keeps it from being known.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self, Self::Unmapped | Self::Broken | Self::Unknown { .. })
    }
}

impl Step {
    pub(crate) fn name(&self) -> &Ident {
        &self.written.name
    }

    /// Whether some of its transitions are not known.
    pub(crate) fn is_open(&self) -> bool {
        self.written.broken
            || self.outcomes.is_empty()
            || self.outcomes.iter().any(|outcome| outcome.target.is_open())
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
            Next::Restart(recipe) => Target::Restart(recipe.clone()),
            Next::Step(name) => match find(name) {
                Some(index) => Target::Step { index },
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
                outcomes: outcomes(step, limits, &target),
                stray: stray(step, &target),
                duplicate_of: find(&step.name).filter(|first| *first != index),
            })
            .collect();
        let initial = match written.initial.value() {
            Some(name) => match find(name) {
                Some(index) => Initial::Step(index),
                None => Initial::Unknown { meant: meant(name) },
            },
            None => Initial::Missing,
        };
        let guessed = graph(&steps, Target::step);
        let certain = graph(&steps, Target::certain_step);
        let id = written.id.value().map_or_else(|| spelling::wire(&written.name), syn::LitStr::value);
        let label = written.label.value().map_or_else(|| title(&written.name), syn::LitStr::value);
        Self { written, id, label, limits, initial, steps, graph: guessed, certain }
    }

    /// The steps without those whose name was taken already.
    pub(crate) fn distinct_steps(&self) -> impl Iterator<Item = (usize, &Step)> {
        self.steps.iter().enumerate().filter(|(_, step)| step.duplicate_of.is_none())
    }

    /// The names of the steps, as the author wrote them.
    pub(crate) fn step_names(&self) -> Vec<String> {
        self.distinct_steps().map(|(_, step)| step.name().to_string()).collect()
    }
}

impl Limits {
    fn new(written: &syntax::Recipe) -> Self {
        let mut limits = Self::default();
        for entry in written.guardrails.value().into_iter().flatten() {
            let number = match &entry.value {
                Value::Number(number) => number.base10_parse::<u32>().ok().filter(|number| *number > 0),
                Value::Switch(_) | Value::Broken => None,
            };
            // A value that could not be read still says that the author thought of this limit.
            let number = number.or(Some(1));
            let key = entry.key.to_string();
            match spelling::closest(&key, GUARDRAILS).unwrap_or(&key) {
                "max_step_visits" => limits.max_step_visits = limits.max_step_visits.or(number),
                "max_total_steps" => limits.max_total_steps = limits.max_total_steps.or(number),
                "max_restarts" => limits.max_restarts = limits.max_restarts.or(number),
                "exit_on_other" => {
                    limits.other_is_free |= matches!(&entry.value, Value::Switch(switch) if !switch.value);
                }
                _ => {}
            }
        }
        limits
    }
}

/// The declared outcomes with their targets, and the implied `Other`.
fn outcomes(step: &syntax::Step, limits: Limits, target: &impl Fn(&Next) -> Target) -> Vec<Outcome> {
    // A list that was left out has been reported; what is mapped then says what it would have held.
    let left_out = step.outcomes.is_missing().then(|| step.mappings.iter().map(Mapping::declared).collect());
    let declared = step.outcomes.value().or(left_out.as_ref()).map_or(&[][..], Vec::as_slice);
    let places = first_places(declared.iter().map(|declared| &declared.name));
    let mapped = first_places(step.mappings.iter().map(|mapping| &mapping.outcome));
    let find = |name: &Ident| mapped.get(&name.unraw().to_string()).map(|place| &step.mappings[*place]);
    let mut outcomes: Vec<_> = declared
        .iter()
        .enumerate()
        .filter(|(index, declared)| places.get(&declared.name.unraw().to_string()) == Some(index))
        .map(|(_, declared)| {
            let target = match find(&declared.name) {
                Some(mapping) => mapping.next.as_ref().map_or(Target::Broken, target),
                None => Target::Unmapped,
            };
            let wire = spelling::wire(&declared.name);
            Outcome {
                name: declared.name.clone(),
                wire,
                docs: declared.docs.clone(),
                target,
                mapped_as: None,
            }
        })
        .collect();
    pair_misspelt(step, &mut outcomes, &places, target);
    if !limits.other_is_free
        && !outcomes.iter().any(|outcome| outcome.name.unraw() == OTHER)
        && !outcomes.is_empty()
    {
        let name = Ident::new(OTHER, proc_macro2::Span::mixed_site());
        let wire = spelling::wire(&name);
        outcomes.push(Outcome {
            name,
            wire,
            docs: Docs::default(),
            target: Target::StandardOther,
            mapped_as: None,
        });
    }
    outcomes
}

/// An outcome that is declared and not mapped, beside one that is mapped, not declared and spelled almost the
/// same, is one mistake and not two.
fn pair_misspelt(
    step: &syntax::Step,
    outcomes: &mut [Outcome],
    declared: &HashMap<String, usize>,
    target: &impl Fn(&Next) -> Target,
) {
    for mapping in &step.mappings {
        let name = mapping.outcome.unraw().to_string();
        if declared.contains_key(&name) {
            continue;
        }
        let unmapped = outcomes.iter().filter(|outcome| matches!(outcome.target, Target::Unmapped));
        let unmapped: Vec<_> = unmapped.map(|outcome| outcome.name.to_string()).collect();
        let meant = spelling::closest(&name, unmapped.iter().map(String::as_str));
        if let Some(outcome) =
            meant.and_then(|meant| outcomes.iter_mut().find(|outcome| outcome.name == meant))
        {
            outcome.target = mapping.next.as_ref().map_or(Target::Broken, target);
            outcome.mapped_as = Some(mapping.outcome.clone());
        }
    }
}

/// Which steps follow which; a duplicate's transitions count for the step whose name it took.
fn graph(steps: &[Step], follower: impl Fn(&Target) -> Option<usize>) -> Graph {
    let mut edges = vec![Vec::new(); steps.len()];
    for (index, step) in steps.iter().enumerate() {
        let from = step.duplicate_of.unwrap_or(index);
        let outcomes = step.outcomes.iter().chain(&step.stray);
        edges[from].extend(outcomes.filter_map(|outcome| follower(&outcome.target)));
    }
    Graph::new(edges)
}

/// Mappings that nobody declared; without a readable list of outcomes nothing can be said about that.
fn stray(step: &syntax::Step, target: &impl Fn(&Next) -> Target) -> Vec<Outcome> {
    let Some(declared) = step.outcomes.value() else { return Vec::new() };
    let declared = first_places(declared.iter().map(|declared| &declared.name));
    let mapped = first_places(step.mappings.iter().map(|mapping| &mapping.outcome));
    let is_stray =
        |index: usize, name: String| !declared.contains_key(&name) && mapped.get(&name) == Some(&index);
    let mappings = step.mappings.iter().enumerate();
    mappings
        .filter(|(index, mapping)| is_stray(*index, mapping.outcome.unraw().to_string()))
        .map(|(_, mapping)| {
            let target = mapping.next.as_ref().map_or(Target::Broken, target);
            let wire = spelling::wire(&mapping.outcome);
            Outcome { name: mapping.outcome.clone(), wire, docs: Docs::default(), target, mapped_as: None }
        })
        .collect()
}

fn first_places<'a>(names: impl Iterator<Item = &'a Ident>) -> HashMap<String, usize> {
    let mut places = HashMap::new();
    for (index, name) in names.enumerate() {
        places.entry(name.unraw().to_string()).or_insert(index);
    }
    places
}

/// The name for people, where the author gave none.
fn title(name: &Ident) -> String {
    name.unraw().to_string().to_title_case()
}
