//! Recipes without their types, for code that offers many at once: behind `dyn`, and as static data.
//!
//! A run walks over this very data, so a picture drawn from it cannot be out of date. All of it is
//! in one file because it refers to itself: a recipe has an outline, and an outline leads to the
//! recipe that it restarts.

mod dot;
mod json;
mod label;
mod mermaid;

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use super::command_line::CommandLine;
use super::evidence::Evidence;
use super::exit::Exit;
use super::exit_reason::ExitReason;
use super::file_rules::{FileScope, Needs};
use super::guardrail::{Guardrail, Guardrails};
use super::names::UnknownName;
use super::registry::AnyReason;
use super::snapshot::{Snapshot, SnapshotError};
use super::tool::Tool;

/// The implied outcome, on the wire.
const OTHER: &str = "other";

/// Any recipe, as a catalog holds it.
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
pub trait AnyRecipe: Send + Sync {
    /// The recipe as static data.
    fn outline(&self) -> &'static Outline;

    /// Begins a run in a chain that has restarted so many times (0 for a run of its own).
    fn begin(&self, restarts: u32) -> Box<dyn AnyPosition>;

    /// Goes on where a snapshot was taken.
    ///
    /// # Errors
    /// The snapshot is of another recipe, of another version of this one, or damaged.
    fn resume(&self, snapshot: &Snapshot) -> Result<Box<dyn AnyPosition>, SnapshotError>;
}

impl fmt::Debug for dyn AnyRecipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Recipe").field(&self.outline().id).finish()
    }
}

/// Where a run of any recipe stands; see [`Position`](crate::Position), which is the same with the recipe known.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the position of a run",
    note = "begin one with `AnyRecipe::begin`, or use `Position`"
)]
pub trait AnyPosition: Send + Sync + fmt::Debug {
    /// The recipe that is run.
    fn recipe(&self) -> &'static Outline;

    /// All about the present step.
    fn outline(&self) -> &'static StepOutline;

    /// How often the step with this name has been entered; 0 for one the recipe does not have.
    fn visits(&self, step: &str) -> u32;

    /// How many steps the run has taken.
    fn steps(&self) -> u32;

    /// How often the chain this run belongs to has restarted.
    fn restarts(&self) -> u32;

    /// Takes the outcome with this name. Only entering a step moves the position: an exit leaves it where the run ended.
    ///
    /// # Errors
    /// The present step has no such outcome; nothing has changed then.
    fn report(&mut self, outcome: &str) -> Result<Next, UnknownName>;

    /// The same, held against other limits than the recipe's own: see [`Guardrails::raised_by`].
    ///
    /// # Errors
    /// The present step has no such outcome; nothing has changed then.
    fn report_within(&mut self, outcome: &str, limits: &Guardrails) -> Result<Next, UnknownName>;

    /// What is needed to go on later.
    fn snapshot(&self) -> Snapshot;
}

/// What follows an outcome, where steps are known by name only.
#[derive(Debug, Clone)]
#[must_use = "it says whether the run goes on"]
pub enum Next {
    /// The run has entered this step.
    Step(&'static StepOutline),
    /// The run has ended.
    Exit(Exit),
    /// The run has ended, and another one is to begin in a fresh session.
    Restart(AnyRestart),
}

/// The recipe to begin in a fresh session, and the chain's count so far.
#[derive(Debug, Clone, Copy)]
pub struct AnyRestart {
    /// The recipe to begin.
    pub recipe: &'static dyn AnyRecipe,
    /// How often the chain has restarted, this time included.
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
pub struct Outline {
    /// The name on the wire and on the command line.
    pub id: &'static str,
    /// The name for people.
    pub label: &'static str,
    /// One sentence about it.
    pub description: &'static str,
    /// The model it asks for, where no step says otherwise.
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
    /// The way through the graph that `max_steps` was worked out on.
    pub heaviest_path: &'static [PathPart],
    /// The limits that are proven never to be hit.
    pub never_trips: &'static [Guardrail],
    /// Changes whenever the graph does; see [`Snapshot`].
    pub fingerprint: Fingerprint,
}

impl Outline {
    /// The step a run begins with.
    #[must_use]
    pub const fn first_step(&self) -> &'static StepOutline {
        &self.steps[self.initial]
    }

    /// The outcomes worth a line in a picture: all but the `other` that every step has.
    fn drawn_outcomes(&self, step: &'static StepOutline) -> impl Iterator<Item = &'static OutcomeOutline> {
        let exit_on_other = self.guardrails.exit_on_other;
        step.outcomes.iter().filter(move |outcome| !(exit_on_other && outcome.is_implied()))
    }

    /// The step with this name.
    #[must_use]
    pub fn step(&self, name: &str) -> Option<&'static StepOutline> {
        self.steps.iter().find(|step| step.name == name)
    }
}

/// One step of an outline.
#[derive(Debug, Clone, Copy)]
pub struct StepOutline {
    /// The name on the wire.
    pub name: &'static str,
    /// What its author wrote about it.
    pub description: &'static str,
    /// The model it asks for: its own, or the recipe's.
    pub model: Option<&'static str>,
    /// What the agent is told; empty where the engine runs a command instead.
    pub prompt: &'static str,
    /// What the agent may do here; `None` where the author left that to the operator.
    pub tools: Option<&'static [Tool]>,
    /// The command that the engine runs in place of an agent's turn.
    pub command: Option<CommandStep>,
    /// The commands that have to succeed before an outcome leads to a step or a restart.
    pub verify: &'static [CommandLine],
    /// What the agent may report, in the order of declaration, `other` last where it is implied; a command passes or fails.
    pub outcomes: &'static [OutcomeOutline],
}

/// A step that is a command: the engine runs it, and its exit status is the outcome, `passed` or `failed`.
#[derive(Debug, Clone, Copy)]
pub struct CommandStep {
    /// The command.
    pub command: &'static CommandLine,
    /// How long it may take.
    pub time: Option<Duration>,
}

/// One outcome of a step, and where it leads.
#[derive(Debug, Clone, Copy)]
pub struct OutcomeOutline {
    /// The name on the wire.
    pub name: &'static str,
    /// What the engine has to find before it leads anywhere.
    pub evidence: &'static [Evidence],
    /// Whether it may carry findings: what a review found.
    pub findings: bool,
    /// Where it leads.
    pub next: NextOutline,
}

impl OutcomeOutline {
    /// Whether it is what every step has without a word from the author.
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

/// A step on the heaviest path, and how often it can run there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PathPart {
    /// The step.
    pub step: &'static str,
    /// How often it can run.
    pub visits: u32,
}

/// A number that stands for the graph of a recipe: its steps, outcomes and where they lead.
///
/// Prompts, labels and numbers do not change it, so a run can go on after those were edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub u64);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
