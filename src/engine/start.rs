//! What a client asks for when it starts a run, and why it may not get it.

use std::path::PathBuf;

use super::error::{EngineError, NotDone};
use super::provider::UnknownProvider;
use super::turn::directory::DirectoryError;
use super::turn::failure;
use crate::agent::{Failure, UnknownModel};
use crate::recipe::advice;
use crate::run::{Limits, RunId, SessionId};
use crate::session::Refusal;
use crate::store::StoreError;
use crate::{Advise, Exit, ExitReason, Remedy, Tool, UnknownRecipe};

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
    /// What it may use up.
    pub limits: Limits,
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
            Self::NoRepository { .. } | Self::NoMainBranch { .. } | Self::WorkTree { .. } => {
                ExitReason::GuardViolation
            }
            Self::Engine(EngineError::Store(_)) => ExitReason::StorageError,
            Self::Engine(_) => ExitReason::InternalError,
            Self::Agent(failure) => return Some(failure::meaning(failure).0),
            Self::Provider(_)
            | Self::Model(_)
            | Self::Directory(_)
            | Self::NoDirectory
            | Self::Elsewhere { .. }
            | Self::OtherAgent { .. } => ExitReason::Error,
        };
        Some(Exit::because(reason).describe(self.to_string()))
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
