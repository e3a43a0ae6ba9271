//! Doing: an agent takes a prompt and returns a reply, or a typed failure.
//!
//! This room does not know recipes and decides nothing: the run interprets a reply and decides
//! about retries. Start with [`Agent`], then [`Claude`] for the real one and [`Rehearsal`] for the
//! built-in one.

mod claude;
mod failure;
mod refused;
mod rehearsal;
mod turn;

pub use claude::{Claude, ClaudeSettings, PermissionMode};
pub use failure::{Failure, UnknownModel};
pub use refused::RefusedTool;
pub use rehearsal::{Rehearsal, Script};
pub use turn::{AgentEvent, Reply, RepositorySettings, Turn, TurnContext, TurnLimits};

pub use crate::process::{ProcessIdentity, find_on_path};

use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;

/// What an agent's methods return: a future that can be held behind `dyn`.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Runs prompts: a coding agent's CLI, a rehearsal, or your own implementation.
///
/// One value serves all sessions; everything about one turn is in the [`Turn`].
/// `agent_conformance!` in `testkit/` tests this contract, for your own agents too.
///
/// ```
/// use surefire::agent::{
///     Agent, AgentInfo, BoxFuture, Failure, Reply, Turn, TurnContext, UnknownModel,
/// };
///
/// /// Returns its prompt.
/// struct Echo;
///
/// impl Agent for Echo {
///     fn about(&self) -> AgentInfo {
///         AgentInfo::new("echo").rehearsal(true)
///     }
///
///     fn knows_model(&self, _model: &str) -> Result<(), UnknownModel> {
///         Ok(())
///     }
///
///     fn turn(&self, turn: Turn, _context: TurnContext) -> BoxFuture<Result<Reply, Failure>> {
///         Box::pin(async move { Ok(Reply::new(turn.prompt)) })
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
    /// Describes the agent.
    fn about(&self) -> AgentInfo;

    /// Whether the agent can run now, as far as that can be checked without a turn: for example,
    /// whether its program exists.
    ///
    /// # Errors
    /// What is missing, and what to do about it.
    fn ready(&self) -> Result<(), Failure> {
        Ok(())
    }

    /// Whether it knows a model by this name.
    ///
    /// # Errors
    /// The names it does know.
    fn knows_model(&self, model: &str) -> Result<(), UnknownModel>;

    /// Whether the user has trusted the repository of this directory in the agent's own program, so
    /// that its [settings](RepositorySettings) may be used. The default is no; so is the answer if
    /// the record is missing or unreadable.
    ///
    /// May block on file access.
    fn trusts_directory(&self, directory: &Path) -> bool {
        let _ = directory;
        false
    }

    /// Whether the repository of this directory currently has settings for the agent, such as hooks
    /// and MCP servers. The default is no.
    ///
    /// May block on file access.
    fn finds_settings(&self, directory: &Path) -> bool {
        let _ = directory;
        false
    }

    /// The path of a program that the agent would start by its name, such as a task tracker. By
    /// default, the `PATH` of this process is searched.
    ///
    /// May block on file access.
    fn find_program(&self, name: &str) -> Option<PathBuf> {
        find_on_path(name, &std::env::var_os("PATH")?)
    }

    /// Runs one turn: a prompt in, a reply out.
    ///
    /// An agent that starts a process announces it through the context, and sends the prompt only
    /// once the process is recorded; so an unrecorded process never has a prompt. When `stop` is
    /// cancelled, the turn ends soon, with [`Failure::Stopped`] or
    /// [`Failure::StoppedBeforePrompt`], and nothing of it is left running.
    fn turn(&self, turn: Turn, context: TurnContext) -> BoxFuture<Result<Reply, Failure>>;

    /// For a rehearsal: what it plays, as `--rehearse` takes it. It is stored with the run, so that
    /// a client can offer the same again.
    fn script(&self) -> Option<String> {
        None
    }

    /// For a rehearsal: whether this evidence or command passes. Only called for rehearsals,
    /// instead of a real check.
    fn rehearsed_check_passes(&self, check: &RehearsedCheck<'_>) -> bool {
        let _ = check;
        true
    }

    /// Recovers a turn whose server was killed. `process` is its recorded process.
    ///
    /// The turn's events are sent through the context again, from the beginning; the engine skips
    /// those it has recorded already. An agent that cannot recover turns returns [`Fate::Unknown`],
    /// the default.
    fn recover(
        &self,
        turn: Turn,
        process: Option<ProcessIdentity>,
        context: TurnContext,
    ) -> BoxFuture<Fate> {
        let _ = (turn, process, context);
        Box::pin(async { Fate::Unknown })
    }
}

/// A description of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgentInfo {
    /// Its name, which clients use: `claude`, `rehearsal`.
    pub name: &'static str,
    /// The version of its program, if known.
    pub version: Option<String>,
    /// Whether it only rehearses.
    pub rehearsal: bool,
}

impl AgentInfo {
    /// An agent that works for real, of an unknown version.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { name, version: None, rehearsal: false }
    }
}

setters!(AgentInfo {
    version: Option<String>,
    rehearsal: bool,
});

/// A simulated check in a rehearsal: evidence, or a command that the engine would run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RehearsedCheck<'a> {
    /// The evidence or the command, as its author wrote it.
    pub name: &'a str,
    /// Whether it is an outcome's evidence rather than a command.
    pub is_evidence: bool,
    /// Whether it is the command that a step consists of.
    pub is_step: bool,
    /// How many restarts of the chain led to this run.
    pub restarts: u32,
    /// The number of the step in the run, from 1.
    pub step: u32,
    /// How many checks of the run have failed before.
    pub failed_before: u32,
}

/// What became of a turn whose engine was killed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Fate {
    /// The agent never received the prompt: the turn can begin anew.
    NeverBegan,
    /// The turn has ended.
    Ended(Result<Reply, Failure>),
    /// The agent received the prompt, and how far it got is unknown. Nothing of it is left running.
    Unknown,
}
