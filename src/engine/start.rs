//! The request to start a run, and why it may be refused.

use std::path::PathBuf;

use super::error::{DecideError, EngineError};
use super::prompts::PromptFileError;
use super::provider::UnknownProvider;
use super::tree_lock::Collision;
use super::trust::TrustError;
use super::turn::directory::DirectoryError;
use super::turn::failure;
use crate::agent::{Failure, UnknownModel};
use crate::gate::PROJECT_FILE;
use crate::recipe::advice;
use crate::run::{Limits, Permits, RunId, SessionId};
use crate::session::SessionRefusal;
use crate::store::StoreError;
use crate::{Advise, CommandLine, Exit, ExitReason, Remedy, Tool, UnknownRecipe};

/// A request to start a run.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Start {
    /// The recipe's id.
    pub recipe: String,
    /// The session to run in; `None` for a new one.
    pub session: Option<SessionId>,
    /// Where the agent works. Optional for an existing session.
    pub directory: Option<PathBuf>,
    /// The agent's name; `None` for the default agent.
    pub provider: Option<String>,
    /// The task.
    pub task: Option<String>,
    /// The model. It overrides the recipe's.
    pub model: Option<String>,
    /// Tools that the agent may use besides those the recipe's steps declare. Only the operator may
    /// set this.
    pub allow_tools: Vec<Tool>,
    /// Exceptions to the rules that apply to every run. Only the machine's user may set this.
    pub permits: Permits,
    /// Whether to trust the repository at HEAD for this run, without a record. Only the machine's
    /// user may set this.
    pub trust: bool,
    /// What to do if the repository's project file has commands and is not trusted. Only the
    /// machine's user may set this.
    pub untrusted: Untrusted,
    /// Whether the run works in a git worktree of its own, even if its recipe does not require one.
    pub isolate: bool,
    /// The limits of the run.
    pub limits: Limits,
}

setters!(Start {
    recipe: String,
    session: Option<SessionId>,
    directory: Option<PathBuf>,
    provider: Option<String>,
    task: Option<String>,
    model: Option<String>,
    allow_tools: Vec<Tool>,
    permits: Permits,
    trust: bool,
    untrusted: Untrusted,
    isolate: bool,
    limits: Limits,
});

/// What to do if a repository's project file has commands and is not trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Untrusted {
    /// Refuse to start.
    #[default]
    Refuse,
    /// Run without the commands, and record that.
    Skip,
}

impl Start {
    /// A request to run this recipe in a new session, in this directory.
    pub fn new(recipe: impl Into<String>, directory: impl Into<PathBuf>) -> Self {
        Self { recipe: recipe.into(), directory: Some(directory.into()), ..Self::default() }
    }
}

/// A run that was started or resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Started {
    /// The run.
    pub run: RunId,
    /// Its session.
    pub session: SessionId,
    /// Whether the session is new.
    pub new_session: bool,
}

/// Why a run was not started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// There is no such recipe.
    #[error(transparent)]
    Recipe(#[from] UnknownRecipe),
    /// There is no such agent.
    #[error(transparent)]
    Provider(#[from] UnknownProvider),
    /// The agent does not know the model.
    #[error(transparent)]
    Model(#[from] UnknownModel),
    /// Agents may not work in the directory.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    /// A new session needs a directory.
    #[error("working_directory required for new session")]
    NoDirectory,
    /// The session's conversation belongs to another directory.
    #[error("session {session} works in `{}`{}", .directory.display(), advice(self))]
    OtherDirectory {
        /// The session.
        session: SessionId,
        /// Where it works.
        directory: PathBuf,
    },
    /// The session's conversation belongs to another agent.
    #[error("session {session} belongs to the agent `{agent}`{}", advice(self))]
    OtherAgent {
        /// The session.
        session: SessionId,
        /// Its agent.
        agent: String,
    },
    /// The recipe needs a git repository for its evidence, and the directory is not in one.
    #[error("`{recipe}` needs a git repository, and `{}` is not in one{}", .directory.display(), advice(self))]
    NoRepository {
        /// The recipe.
        recipe: &'static str,
        /// The directory.
        directory: PathBuf,
    },
    /// The recipe needs a main branch, and the repository has none.
    #[error(
        "`{recipe}` needs a main branch, and `{}` has neither `main` nor one that `origin` names{}",
        .directory.display(),
        advice(self)
    )]
    NoMainBranch {
        /// The recipe.
        recipe: &'static str,
        /// The directory.
        directory: PathBuf,
    },
    /// The recipe needs a clean work tree, and tracked files have uncommitted changes.
    #[error(
        "`{recipe}` needs a clean work tree, and `{}` has uncommitted changes ({}){}",
        .directory.display(), listed_files(files), advice(self)
    )]
    DirtyTree {
        /// The recipe.
        recipe: &'static str,
        /// The directory.
        directory: PathBuf,
        /// The files, from the top of the work tree.
        files: Vec<PathBuf>,
    },
    /// The recipe needs a task: the start of a new session names none, and the agent has no tracker
    /// to take one from.
    #[error(
        "`{recipe}` needs a task, none was given, and there is no tracker to take one from: {why}{}",
        advice(self)
    )]
    NoTask {
        /// The recipe.
        recipe: &'static str,
        /// What the tracker lacks.
        why: String,
    },
    /// A file with a changed prompt cannot be used.
    #[error(transparent)]
    Prompt(#[from] PromptFileError),
    /// Another run holds the work tree.
    #[error(transparent)]
    Collision(#[from] Collision),
    /// A worktree begins at a commit, and the repository has none.
    #[error("a worktree begins at a commit, and `{}` has none{}", .directory.display(), advice(self))]
    NoCommit {
        /// The directory.
        directory: PathBuf,
    },
    /// A run in a worktree of its own needs a new session, and this session has another directory.
    #[error("session {session} works in `{}`, and this run needs a worktree of its own{}", .directory.display(), advice(self))]
    NeedsNewSession {
        /// The session.
        session: SessionId,
        /// Where it works.
        directory: PathBuf,
    },
    /// The repository's project file has commands, and is not trusted.
    #[error(
        "`{}` has commands to run ({}), and {}{}",
        .directory.join(PROJECT_FILE).display(), listed_commands(.commands), not_trusted(.changed), advice(self)
    )]
    Untrusted {
        /// The top of the work tree.
        directory: PathBuf,
        /// The commands.
        commands: Vec<CommandLine>,
        /// The files that changed since the repository was trusted; empty if it never was.
        changed: Vec<String>,
    },
    /// The repository's project file, or the record of trust in it, cannot be used.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// The work tree cannot be inspected.
    #[error("the work tree of `{}` cannot be inspected: {why}", .directory.display())]
    WorkTree {
        /// The directory.
        directory: PathBuf,
        /// Why.
        why: String,
    },
    /// The agent is not ready.
    #[error(transparent)]
    Agent(Failure),
    /// Recipes are switched off.
    #[error("recipes are switched off{}", advice(self))]
    SwitchedOff,
    /// The session has an open run.
    #[error("session {session} is busy with run {holder}{}", advice(self))]
    Busy {
        /// The session.
        session: SessionId,
        /// The run that holds it.
        holder: RunId,
    },
    /// Anything else.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl Advise for StartError {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Recipe(unknown) => unknown.remedy(),
            Self::Provider(unknown) => unknown.remedy(),
            Self::Model(unknown) => unknown.remedy(),
            Self::Directory(error) => error.remedy(),
            Self::NoDirectory | Self::WorkTree { .. } => None,
            Self::OtherDirectory { .. } => Some(Remedy::NewSessionElsewhere),
            Self::OtherAgent { .. } => Some(Remedy::NewSessionForAgent),
            Self::NoRepository { .. } => Some(Remedy::InitRepository),
            Self::NoMainBranch { .. } => Some(Remedy::NameMainBranch),
            Self::DirtyTree { .. } => Some(Remedy::CommitOrAllowDirty),
            Self::NoTask { recipe, .. } => Some(Remedy::GiveTask { recipe: (*recipe).to_owned() }),
            Self::Prompt(error) => error.remedy(),
            Self::Collision(collision) => collision.remedy(),
            Self::NoCommit { .. } => Some(Remedy::FirstCommit),
            Self::NeedsNewSession { .. } => Some(Remedy::NewSessionForWorktree),
            Self::Untrusted { directory, .. } => {
                Some(Remedy::TrustDirectory { directory: directory.display().to_string() })
            }
            Self::Trust(error) => error.remedy(),
            Self::Agent(failure) => failure.remedy(),
            Self::SwitchedOff => Some(Remedy::SwitchOn),
            Self::Busy { .. } => Some(Remedy::ExitOtherFirst),
            Self::Engine(error) => error.remedy(),
        }
    }
}

impl StartError {
    /// The exit of a run that failed at its start with this error, for clients that show it as a
    /// run.
    ///
    /// `None` for errors without a run: there is no such recipe, or the session is busy with
    /// another run.
    #[must_use]
    pub fn exit(&self) -> Option<Exit> {
        let reason = match self {
            Self::Recipe(_) | Self::Busy { .. } => return None,
            Self::SwitchedOff => ExitReason::OrchestrationDisabled,
            Self::NoRepository { .. }
            | Self::NoMainBranch { .. }
            | Self::NoCommit { .. }
            | Self::Untrusted { .. }
            | Self::Trust(_)
            | Self::WorkTree { .. } => ExitReason::GuardViolation,
            Self::DirtyTree { .. } => ExitReason::DirtyWorktree,
            Self::NoTask { .. } | Self::Prompt(_) => ExitReason::NoPrompt,
            Self::Collision(_) => ExitReason::FileCollision,
            Self::Engine(EngineError::Store(_)) => ExitReason::StorageError,
            Self::Engine(_) => ExitReason::InternalError,
            Self::Agent(failure) => return Some(failure::meaning(failure).0),
            Self::Provider(_)
            | Self::Model(_)
            | Self::Directory(_)
            | Self::NoDirectory
            | Self::OtherDirectory { .. }
            | Self::NeedsNewSession { .. }
            | Self::OtherAgent { .. } => ExitReason::Error,
        };
        Some(Exit::because(reason).describe(self.to_string()))
    }
}

/// How many files or commands an error lists; the rest is counted.
const MAX_NAMED: usize = 3;

fn listed_files(files: &[PathBuf]) -> String {
    abbreviated(files.iter().map(|file| format!("`{}`", file.display())))
}

fn listed_commands(commands: &[CommandLine]) -> String {
    abbreviated(commands.iter().map(|command| format!("`{command}`")))
}

fn abbreviated(all: impl ExactSizeIterator<Item = String>) -> String {
    let more = all.len().saturating_sub(MAX_NAMED);
    let named: Vec<_> = all.take(MAX_NAMED).collect();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", named.join(", "))
}

fn not_trusted(changed: &[String]) -> String {
    if changed.is_empty() {
        "the repository is not trusted".to_owned()
    } else {
        format!("{} changed since the repository was trusted", changed.join(", "))
    }
}

impl From<StoreError> for StartError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Busy { session, holder } => Self::Busy { session, holder },
            other => Self::Engine(other.into()),
        }
    }
}

impl From<DecideError> for StartError {
    fn from(error: DecideError) -> Self {
        match error {
            DecideError::Refused(SessionRefusal::Busy { session, holder }) => {
                Self::Busy { session, holder }
            }
            DecideError::NotPersisted(error) => error.into(),
            DecideError::Refused(_) => Self::Engine(error.into()),
        }
    }
}
