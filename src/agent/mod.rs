//! Doing: an agent takes a prompt and gives back a reply, or says in types why it could not.
//!
//! This room knows no recipes and decides nothing: what a reply means, and whether to try again, is for others.
//! Start with [`Agent`], then [`Claude`] for the real one and [`Rehearsal`] for the built-in one.

mod claude;
mod failure;
mod refused;
mod rehearsal;
mod turn;

pub use claude::{Claude, ClaudeSettings, PermissionMode};
pub use failure::{Failure, UnknownModel};
pub use refused::RefusedTool;
pub use rehearsal::{Rehearsal, Script};
pub use turn::{Link, Reply, RepositorySettings, Sign, Turn, TurnLimits};

pub use crate::process::Process;

use std::future::Future;
use std::path::Path;
use std::pin::Pin;

/// What an agent's methods return: a future that can be held behind `dyn`.
pub type Doing<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Somebody who can be given a prompt: a coding agent's CLI, a rehearsal, or your own.
///
/// One value serves all sessions at once; what belongs to one turn comes with the [`Turn`]. `agent_conformance!` in `testkit/`
/// makes tests of what is promised here, for yours as well.
///
/// ```
/// use surefire::agent::{About, Agent, Doing, Failure, Link, Reply, Turn, UnknownModel};
///
/// /// Says back what it is told.
/// struct Echo;
///
/// impl Agent for Echo {
///     fn about(&self) -> About {
///         About { name: "echo", version: None, rehearsal: true }
///     }
///
///     fn knows_model(&self, _model: &str) -> Result<(), UnknownModel> {
///         Ok(())
///     }
///
///     fn turn(&self, turn: Turn, _link: Link) -> Doing<Result<Reply, Failure>> {
///         Box::pin(async move { Ok(Reply { text: turn.prompt, ..Reply::default() }) })
///     }
/// }
///
/// assert!(Echo.ready().is_ok());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an agent",
    note = "use `Claude`, `Rehearsal`, or implement `Agent` for your own"
)]
pub trait Agent: Send + Sync + 'static {
    /// Who this is.
    fn about(&self) -> About;

    /// Whether it could be asked right now, as far as can be told without asking: its program is there, say.
    ///
    /// # Errors
    /// What is missing, in words that say what to do.
    fn ready(&self) -> Result<(), Failure> {
        Ok(())
    }

    /// Whether it knows a model by this name.
    ///
    /// # Errors
    /// The names it does know.
    fn knows_model(&self, model: &str) -> Result<(), UnknownModel>;

    /// Whether the user has told the agent's own program that the repository of this directory is trusted, so that
    /// [what it brings along](RepositorySettings) may be used. An agent that has no record of such an answer says no, which is
    /// the default; so does one whose record cannot be read.
    ///
    /// It may read files, so it is not for a task that must not wait.
    fn trusts_directory(&self, directory: &Path) -> bool {
        let _ = directory;
        false
    }

    /// Whether the repository of this directory brings settings for the agent along right now: hooks, MCP servers. By default
    /// no repository does.
    ///
    /// It may read files, so it is not for a task that must not wait.
    fn finds_settings(&self, directory: &Path) -> bool {
        let _ = directory;
        false
    }

    /// Takes one turn: a prompt in, a reply out.
    ///
    /// An agent that starts a process tells so through the link, and hands the prompt over only once that has been
    /// written down; so a process that nobody remembers has never been told anything. When the link is stopped, the
    /// turn ends soon, with [`Failure::Stopped`] or [`Failure::StoppedBeforePrompt`], and nothing of it is left running.
    fn turn(&self, turn: Turn, link: Link) -> Doing<Result<Reply, Failure>>;

    /// What a rehearsal says of evidence or of a command in place of looking: whether it is good. Only agents that only
    /// pretend are asked.
    fn rehearses_well(&self, check: &RehearsedCheck<'_>) -> bool {
        let _ = check;
        true
    }

    /// Finds out what became of a turn whose server was killed. `process` is what was written down about it.
    ///
    /// What it said meanwhile is passed on through the link, from the turn's beginning: whoever listens knows what was
    /// heard before. An agent that cannot tell says [`Fate::Unknown`], which is the default.
    fn recover(&self, turn: Turn, process: Option<Process>, link: Link) -> Doing<Fate> {
        let _ = (turn, process, link);
        Box::pin(async { Fate::Unknown })
    }
}

/// Who an agent is, for people and for the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// Its name, as clients choose it: `claude`, `rehearsal`.
    pub name: &'static str,
    /// The version of its program, where known.
    pub version: Option<String>,
    /// Whether it only pretends to work.
    pub rehearsal: bool,
}

/// What a rehearsal is asked about in place of looking: evidence, or a command that the engine would run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RehearsedCheck<'a> {
    /// The evidence or the command, as its author wrote it.
    pub name: &'a str,
    /// Whether it is what an outcome needs as evidence, rather than a command of a step.
    pub is_evidence: bool,
    /// How many checks of the run were not good before.
    pub failed_before: u32,
}

/// What became of a turn that nobody watched to its end.
#[derive(Debug)]
pub enum Fate {
    /// The agent was never given the prompt: the turn can be taken as if for the first time.
    NeverBegan,
    /// It ended, one way or the other, while or before somebody looked.
    Ended(Result<Reply, Failure>),
    /// The agent had the prompt, and nobody knows how far it came. Nothing of it is left running.
    Unknown,
}
