//! Recipes without their types, for code that offers many at once: behind `dyn`, and as static
//! data.
//!
//! What a run follows is generated together with this data, so a diagram drawn from it cannot be
//! out of date. It is all in one file because the types refer to each other: a recipe has an
//! outline, and an outline holds the recipes that it restarts.

mod claims;
mod dot;
mod json;
mod label;
mod mermaid;

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use super::claim::Claim;
use super::command_line::CommandLine;
use super::evidence::Evidence;
use super::exit::Exit;
use super::exit_reason::ExitReason;
use super::file_rules::{FileScope, Needs};
use super::graph::{GraphNext, RecipeGraph};
use super::guardrail::{Guardrail, Guardrails};
use super::registry::AnyReason;
use super::sealed::Sealed;
use super::snapshot::{Snapshot, SnapshotError};
use super::step_limits::{AfterLimit, StepLimits, VisitLimit};
use super::tool::Tool;
use super::wire_enum::UnknownName;

/// The implied outcome, on the wire.
const OTHER: &str = "other";

/// Any recipe, as a catalog holds it. Only recipes that [`recipe!`](crate::recipe!) defines
/// implement it.
///
/// ```
/// use surefire::{AnyRecipe, recipes::RebaseOnMain};
///
/// let recipe: &dyn AnyRecipe = &RebaseOnMain;
/// let position = recipe.begin(0);
/// assert_eq!(position.outline().name, "rebase");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a recipe",
    note = "a recipe is defined with `surefire::recipe! {{ pub recipe {Self} {{ … }} }}`"
)]
pub trait AnyRecipe: Sealed + Send + Sync {
    /// The recipe as static data.
    fn outline(&self) -> &'static Outline;

    /// Begins a run in a chain with this many restarts so far (0 for a run of its own).
    fn begin(&self, restarts: u32) -> Box<dyn AnyPosition>;

    /// Resumes a run from a snapshot, within the recipe's own limits.
    ///
    /// # Errors
    /// The snapshot is of another recipe, of another version of this one, or no run can have taken
    /// it.
    fn resume(&self, snapshot: &Snapshot) -> Result<Box<dyn AnyPosition>, SnapshotError> {
        self.resume_within(snapshot, &self.outline().guardrails)
    }

    /// Like [`resume`](Self::resume), for a run whose limits were raised: see
    /// [`Guardrails::raised_by`].
    ///
    /// # Errors
    /// The snapshot is of another recipe, of another version of this one, or no run within these
    /// limits can have taken it.
    fn resume_within(
        &self,
        snapshot: &Snapshot,
        limits: &Guardrails,
    ) -> Result<Box<dyn AnyPosition>, SnapshotError>;

    /// Resumes a run that an earlier version of the recipe began, with the graph `from`, if
    /// everything that it can still reach is unchanged. Former names are mapped by `was`. Recorded
    /// moves are the evidence for the counts: they are neither compared with the graph nor with
    /// limits.
    ///
    /// Implementations that wrap another recipe pass it on. Without one, no such run is resumed.
    ///
    /// # Errors
    /// Something that the run can still reach has changed.
    fn carry_over(
        &self,
        snapshot: &Snapshot,
        from: &RecipeGraph,
    ) -> Result<Box<dyn AnyPosition>, SnapshotError> {
        let _ = from;
        let outline = self.outline();
        Err(SnapshotError::OtherVersion {
            recipe: outline.id,
            expected: outline.fingerprint.to_string(),
            found: snapshot.fingerprint.clone(),
        })
    }
}

impl fmt::Debug for dyn AnyRecipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Recipe").field(&self.outline().id).finish()
    }
}

/// The position of a run in any recipe; [`Position`](crate::Position) is the same for a recipe
/// known at compile time, and the only one that implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the position of a run",
    note = "begin one with `AnyRecipe::begin`, or use `Position`"
)]
pub trait AnyPosition: Sealed + Send + Sync + fmt::Debug {
    /// The recipe of the run.
    fn recipe(&self) -> &'static Outline;

    /// The outline of the current step.
    fn outline(&self) -> &'static StepOutline;

    /// How often the step with this name has been entered; 0 if the recipe has no such step.
    fn visits(&self, step: &str) -> u32;

    /// How many steps the run has taken.
    fn steps(&self) -> u32;

    /// How often the chain this run belongs to has restarted.
    fn restarts(&self) -> u32;

    /// Takes the outcome with this name. Only entering a step moves the position: an exit leaves it
    /// where the run ended.
    ///
    /// # Errors
    /// The current step has no such outcome; the position is then unchanged.
    fn report(&mut self, outcome: &str) -> Result<Next, UnknownName>;

    /// Like [`report`](Self::report), with other limits than the recipe's own: see
    /// [`Guardrails::raised_by`].
    ///
    /// # Errors
    /// The current step has no such outcome; the position is then unchanged.
    fn report_within(&mut self, outcome: &str, limits: &Guardrails) -> Result<Next, UnknownName>;

    /// Leaves the current step because its visit has used up this limit, within these guardrails;
    /// `None` if that leads nowhere.
    ///
    /// Implementations that wrap another position pass it on. Without one, no limit leads anywhere.
    fn exceed_within(&mut self, limit: VisitLimit, limits: &Guardrails) -> Option<Next> {
        let _ = (limit, limits);
        None
    }

    /// The same position once more, to find out what an outcome would lead to.
    fn duplicate(&self) -> Box<dyn AnyPosition>;

    /// A snapshot, from which the run can be resumed later.
    fn snapshot(&self) -> Snapshot;
}

/// What follows an outcome, with steps identified by name.
#[derive(Debug, Clone)]
#[must_use = "it says whether the run continues"]
pub enum Next {
    /// The run has entered this step.
    Step(&'static StepOutline),
    /// The run has ended.
    Exit(Exit),
    /// The run has ended, and another one begins in a fresh session.
    Restart(AnyRestart),
}

/// As a recipe's graph has it; an exit with the step that it is about.
impl From<&Next> for GraphNext {
    fn from(next: &Next) -> Self {
        match next {
            Next::Step(step) => Self::Step(step.name.to_owned()),
            Next::Exit(exit) => Self::Exit(exit.code().into_owned()),
            Next::Restart(restart) => Self::Restart(restart.recipe.outline().id.to_owned()),
        }
    }
}

/// The recipe to begin in a fresh session, and the number of restarts in the chain.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct AnyRestart {
    /// The recipe to begin.
    pub recipe: &'static dyn AnyRecipe,
    /// How often the chain has restarted, including this time.
    pub restarts: u32,
}

impl AnyRestart {
    /// How the run that asked for the restart ended.
    pub fn exit(&self) -> Exit {
        Exit::because(ExitReason::RestartNewSession)
    }
}

/// All that is known about a recipe without running it.
///
/// ```
/// use surefire::recipes::ImplementAndReview;
///
/// let outline = ImplementAndReview::OUTLINE;
/// assert_eq!(outline.id, "implement-and-review");
/// assert_eq!(outline.first_step().name, "implement");
/// assert_eq!(outline.steps.len(), 4);
/// println!("{}", outline.to_mermaid());
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Outline {
    /// The name on the wire and on the command line.
    pub id: &'static str,
    /// The name for people.
    pub label: &'static str,
    /// One sentence about it.
    pub description: &'static str,
    /// The model it asks for, unless a step asks for another.
    pub model: Option<&'static str>,
    /// Where it begins, as an index into `steps`.
    pub initial: usize,
    /// Its steps, in the order of declaration.
    pub steps: &'static [StepOutline],
    /// Its limits.
    pub guardrails: Guardrails,
    /// Which files its runs may change.
    pub scope: &'static FileScope,
    /// Whether its runs may change the lockfiles of package managers.
    pub allow_lockfiles: bool,
    /// What it needs before a run of it may begin.
    pub needs: Needs,
    /// Whether its runs work in a git worktree of their own.
    pub isolate: bool,
    /// No run takes more steps than this.
    pub max_steps: u32,
    /// Whether a run can take as many. Otherwise the graph has too many walks to look at, and
    /// `max_steps` is only a bound.
    pub max_steps_is_exact: bool,
    /// How often a run of `max_steps` visits each step; if that is only a bound, how often each was
    /// counted.
    pub heaviest_path: &'static [PathPart],
    /// The limits that are proven never to be hit.
    pub never_trips: &'static [Guardrail],
    /// What is proven about every path through it.
    pub claims: &'static [Claim],
    /// Changes whenever the graph does; see [`Snapshot`]. The order of its steps and outcomes does
    /// not matter.
    pub fingerprint: Fingerprint,
    /// The fingerprint by which runs and snapshots of surefire 0.1 before its release name the same
    /// graph. It depends on the order of the steps.
    pub former_fingerprint: Fingerprint,
}

impl Outline {
    /// The step a run begins with.
    #[must_use]
    pub const fn first_step(&self) -> &'static StepOutline {
        &self.steps[self.initial]
    }

    /// The outcomes that a diagram shows: all but the `other` that every step has.
    pub(crate) fn drawn_outcomes(
        &self,
        step: &'static StepOutline,
    ) -> impl Iterator<Item = &'static OutcomeOutline> {
        let exit_on_other = self.guardrails.exit_on_other;
        step.outcomes.iter().filter(move |outcome| !(exit_on_other && outcome.is_implied()))
    }

    /// The steps that a run can enter when it leaves this one, by an outcome or a limit, by their
    /// indices; a step that several of them lead to is listed for each.
    pub(super) fn followers(&self, step: usize) -> impl Iterator<Item = usize> {
        let step = &self.steps[step];
        let limits = step.limits.after_visit().map(|(_, next)| match next {
            AfterLimit::Step(next) => Some(next),
            AfterLimit::Exit(_) => None,
        });
        let outcomes = step.outcomes.iter().flat_map(|outcome| self.leads_to(outcome));
        outcomes.chain(limits.flat_map(|next| self.entered(next)))
    }

    /// The steps that a run can enter by this outcome, by their indices: the one that it is mapped
    /// to, and those where the run goes instead if that one is full.
    pub(crate) fn leads_to(&self, outcome: &OutcomeOutline) -> impl Iterator<Item = usize> {
        self.entered(match outcome.next {
            NextOutline::Step(next) => Some(next),
            NextOutline::Exit(_) | NextOutline::Restart { .. } => None,
        })
    }

    /// This step, and those where a run goes instead if it is full.
    fn entered(&self, step: Option<usize>) -> impl Iterator<Item = usize> {
        // Such limits do not lead to each other in a circle, so this ends.
        std::iter::successors(step, |full| match self.steps[*full].limits.when_full {
            Some(AfterLimit::Step(instead)) => Some(instead),
            Some(AfterLimit::Exit(_)) | None => None,
        })
    }

    /// Whether this text is the fingerprint of its graph, in its form of today or its former one.
    pub(crate) fn has_fingerprint(&self, text: &str) -> bool {
        [self.fingerprint, self.former_fingerprint].iter().any(|known| known.to_string() == text)
    }

    /// The index of a step.
    pub(crate) fn index_of(&self, step: &StepOutline) -> Option<usize> {
        self.steps.iter().position(|known| known.name == step.name)
    }

    /// The step with this name.
    #[must_use]
    pub fn step(&self, name: &str) -> Option<&'static StepOutline> {
        self.steps.iter().find(|step| step.name == name)
    }
}

/// One step of an outline.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct StepOutline {
    /// The name on the wire.
    pub name: &'static str,
    /// Former names, under which earlier runs know it.
    pub was: &'static [&'static str],
    /// The author's description of it.
    pub description: &'static str,
    /// The model it asks for: its own, or the recipe's.
    pub model: Option<&'static str>,
    /// The agent's prompt; empty if the engine runs a command instead.
    pub prompt: &'static str,
    /// What the agent may do here; `None` if the author left that to the operator.
    pub tools: Option<&'static [Tool]>,
    /// The command that the engine runs instead of an agent's turn.
    pub command: Option<CommandStep>,
    /// The commands that must succeed before an outcome leads to a step or a restart.
    pub verify: &'static [CommandLine],
    /// The limits that it has of its own.
    pub limits: StepLimits,
    /// What the agent may report, in the order of declaration, with an implied `other` last. A
    /// command step has `passed` and `failed`.
    pub outcomes: &'static [OutcomeOutline],
}

/// A command step: the engine runs it, and its exit status is the outcome, `passed` or `failed`.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct CommandStep {
    /// The command.
    pub command: &'static CommandLine,
    /// How long it may take.
    pub time: Option<Duration>,
}

/// One outcome of a step, and where it leads.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct OutcomeOutline {
    /// The name on the wire.
    pub name: &'static str,
    /// When to choose it, in the author's words; the agent gets them with the step's prompt. Empty
    /// if the author wrote none.
    pub description: &'static str,
    /// Former names, under which earlier runs know it.
    pub was: &'static [&'static str],
    /// What the engine must find before it follows this outcome.
    pub evidence: &'static [Evidence],
    /// Whether it may carry findings: what a review found.
    pub findings: bool,
    /// Where it leads.
    pub next: NextOutline,
}

impl OutcomeOutline {
    /// Whether it is the `other` that every step has without being declared.
    fn is_implied(&self) -> bool {
        let standard = AnyReason::from(ExitReason::UserProvidedOther);
        self.name == OTHER && matches!(self.next, NextOutline::Exit(reason) if reason == standard)
    }
}

/// What follows an outcome.
#[derive(Clone, Copy)]
pub enum NextOutline {
    /// A step, as an index into the recipe's steps.
    Step(usize),
    /// The end of the run.
    Exit(AnyReason),
    /// Another recipe, in a fresh session.
    Restart {
        /// The id of that recipe.
        id: &'static str,
        /// The recipe itself.
        recipe: &'static dyn AnyRecipe,
    },
}

impl fmt::Debug for NextOutline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step(index) => f.debug_tuple("Step").field(index).finish(),
            Self::Exit(reason) => f.debug_tuple("Exit").field(&reason.definition().code).finish(),
            Self::Restart { id, .. } => f.debug_tuple("Restart").field(id).finish(),
        }
    }
}

/// A step on the heaviest path, and how often it runs there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PathPart {
    /// The step.
    pub step: &'static str,
    /// How often it runs.
    pub visits: u32,
}

/// A hash of a recipe's graph: its steps, outcomes and where they lead.
///
/// Prompts, labels and limits are not part of it, so a run can be resumed after they were edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub u64);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
