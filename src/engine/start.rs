//! What a client asks for when it starts a run, and why it may not get it.

use std::path::PathBuf;

use super::error::{EngineError, NotDone};
use super::provider::UnknownProvider;
use super::tree_lock::Collision;
use super::trust::TrustError;
use super::turn::directory::DirectoryError;
use super::turn::failure;
use crate::agent::{Failure, UnknownModel};
use crate::gate::PROJECT_FILE;
use crate::recipe::advice;
use crate::run::{Limits, Permits, RunId, SessionId};
use crate::session::Refusal;
use crate::store::StoreError;
use crate::{Advise, CommandLine, Exit, ExitReason, Remedy, Tool, UnknownRecipe};

/// A wish for a run.
#[derive(Debug, Clone, Default)]
pub struct Start {
    /// The recipe's id.
    pub recipe: String,
    /// The session to run in; `None` for a new one.
    pub session: Option<SessionId>,
    /// Where the agent works; may be left out for a session that is there already.
    pub directory: Option<PathBuf>,
    /// The agent, by its name; `None` for the usual one.
    pub provider: Option<String>,
    /// What the run is about.
    pub about: Option<String>,
    /// The model to use, whatever the recipe says.
    pub model: Option<String>,
    /// What the agent is allowed on top of what the recipe's steps declare. Only the operator may say so.
    pub allow_tools: Vec<Tool>,
    /// What the run may do beyond what holds for every run. Only the machine's user may say so.
    pub permits: Permits,
    /// Whether the repository is trusted for this run, as HEAD has it, without a record. Only the machine's user may say so.
    pub trust: bool,
    /// What to do where the repository's own file has commands and is not trusted. Only the machine's user may say so.
    pub untrusted: Untrusted,
    /// Whether it works in a git worktree of its own, even if its recipe does not ask for one.
    pub isolate: bool,
    /// What it may use up.
    pub limits: Limits,
}

/// What to do where a repository's own file has commands and is not trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Untrusted {
    /// Refuse to start.
    #[default]
    Refuse,
    /// Run without them, and say so.
    Skip,
}

impl Start {
    /// The wish to run this recipe in a new session, in this directory.
    pub fn new(recipe: impl Into<String>, directory: impl Into<PathBuf>) -> Self {
        Self { recipe: recipe.into(), directory: Some(directory.into()), ..Self::default() }
    }
}

/// A run that goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Started {
    /// The run.
    pub run: RunId,
    /// Its session.
    pub session: SessionId,
    /// Whether that session is new.
    pub new_session: bool,
}

/// Why a run was not started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There is no such recipe.
    #[error(transparent)]
    Recipe(#[from] UnknownRecipe),
    /// There is no such agent.
    #[error(transparent)]
    Provider(#[from] UnknownProvider),
    /// The agent knows no such model.
    #[error(transparent)]
    Model(#[from] UnknownModel),
    /// The directory cannot be worked in.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    /// A new session needs a directory.
    #[error("working_directory required for new session")]
    NoDirectory,
    /// The session's conversation belongs to another directory.
    #[error("session {session} works in `{}`{}", .directory.display(), advice(self))]
    Elsewhere {
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
    /// The recipe needs a git repository to look for its evidence, and the directory is in none.
    #[error("`{recipe}` needs a git repository, and `{}` is in none{}", .directory.display(), advice(self))]
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
        .directory.display(), listed(files), advice(self)
    )]
    DirtyTree {
        /// The recipe.
        recipe: &'static str,
        /// The directory.
        directory: PathBuf,
        /// The files, from the top of the work tree.
        files: Vec<PathBuf>,
    },
    /// Another run works in the work tree.
    #[error(transparent)]
    Collision(#[from] Collision),
    /// A worktree begins at a commit, and the repository has none.
    #[error("a run works apart from a commit on, and `{}` has none{}", .directory.display(), advice(self))]
    NoCommit {
        /// The directory.
        directory: PathBuf,
    },
    /// A run that works apart needs a conversation of its own, and the session has another directory.
    #[error("session {session} works in `{}`, and this run works apart{}", .directory.display(), advice(self))]
    NotApart {
        /// The session.
        session: SessionId,
        /// Where it works.
        directory: PathBuf,
    },
    /// The repository's own file has commands, and is not trusted.
    #[error(
        "`{}` has commands to run ({}), and {}{}",
        .directory.join(PROJECT_FILE).display(), run_by(.commands), not_trusted(.changed), advice(self)
    )]
    Untrusted {
        /// The top of the work tree.
        directory: PathBuf,
        /// The commands.
        commands: Vec<CommandLine>,
        /// The files that are others since the repository was trusted; empty where it never was.
        changed: Vec<String>,
    },
    /// The repository's own file, or the record of trust in it, cannot be used.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// The work tree cannot be looked at.
    #[error("the work tree of `{}` cannot be looked at: {why}", .directory.display())]
    WorkTree {
        /// The directory.
        directory: PathBuf,
        /// Why.
        why: String,
    },
    /// The agent could not be asked.
    #[error(transparent)]
    Agent(Failure),
    /// Recipes are switched off.
    #[error("recipes are switched off{}", advice(self))]
    SwitchedOff,
    /// The session has a run that goes on.
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
            Self::Elsewhere { .. } => Some(Remedy::NewSessionElsewhere),
            Self::OtherAgent { .. } => Some(Remedy::NewSessionForAgent),
            Self::NoRepository { .. } => Some(Remedy::InitRepository),
            Self::NoMainBranch { .. } => Some(Remedy::NameMainBranch),
            Self::DirtyTree { .. } => Some(Remedy::CommitOrAllowDirty),
            Self::Collision(collision) => collision.remedy(),
            Self::NoCommit { .. } => Some(Remedy::FirstCommit),
            Self::NotApart { .. } => Some(Remedy::NewSessionApart),
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
    /// How a run would have ended that met this right at its start, for those who show it as one.
    ///
    /// `None` where it is not about a run at all: there is no such recipe, or the session has another one.
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
            Self::Collision(_) => ExitReason::FileCollision,
            Self::Engine(EngineError::Store(_)) => ExitReason::StorageError,
            Self::Engine(_) => ExitReason::InternalError,
            Self::Agent(failure) => return Some(failure::meaning(failure).0),
            Self::Provider(_)
            | Self::Model(_)
            | Self::Directory(_)
            | Self::NoDirectory
            | Self::Elsewhere { .. }
            | Self::NotApart { .. }
            | Self::OtherAgent { .. } => ExitReason::Error,
        };
        Some(Exit::because(reason).describe(self.to_string()))
    }
}

/// How many files or commands an error names before it only counts.
const MAX_NAMED: usize = 3;

fn listed(files: &[PathBuf]) -> String {
    in_short(files.iter().map(|file| format!("`{}`", file.display())))
}

fn run_by(commands: &[CommandLine]) -> String {
    in_short(commands.iter().map(|command| format!("`{command}`")))
}

fn in_short(all: impl ExactSizeIterator<Item = String>) -> String {
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

impl From<NotDone> for StartError {
    fn from(error: NotDone) -> Self {
        match error {
            NotDone::Refused(Refusal::Busy { session, holder }) => Self::Busy { session, holder },
            NotDone::NotPersisted(error) => error.into(),
            NotDone::Refused(_) => Self::Engine(error.into()),
        }
    }
}
