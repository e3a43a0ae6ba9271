//! Errors of the engine.

use super::provider::UnknownProvider;
use super::tree_lock::Collision;
use crate::recipe::advice;
use crate::run::{CannotResume, ReplayError, RunId, SessionId};
use crate::session::SessionRefusal;
use crate::store::StoreError;
use crate::{Advise, Remedy, UnknownRecipe};

/// Errors that any command to an engine can return.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no such run.
    #[error("there is no run {0}")]
    NoRun(RunId),
    /// There is no such session.
    #[error("there is no session {0}")]
    NoSession(SessionId),
    /// The session's command queue is full.
    #[error("session {} has too many requests queued{}", .0, advice(self))]
    Overloaded(SessionId),
    /// The engine is shutting down.
    #[error("the server is shutting down{}", advice(self))]
    ShuttingDown,
    /// A bug in Surefire.
    #[error("this is a bug in surefire: {}{}", .0, advice(self))]
    Bug(String),
}

impl Advise for EngineError {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Store(error) => error.remedy(),
            Self::NoRun(_) | Self::NoSession(_) => None,
            Self::Overloaded(_) => Some(Remedy::AgainSoon),
            Self::ShuttingDown => Some(Remedy::AgainWhenBack),
            Self::Bug(_) => Some(Remedy::Report),
        }
    }
}

/// Why a run cannot be resumed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// The run is over, or would stop again at once.
    #[error(transparent)]
    Cannot(#[from] CannotResume),
    /// The recipe has changed since, or the journal is damaged.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The catalog no longer has the recipe.
    #[error(transparent)]
    Recipe(#[from] UnknownRecipe),
    /// The session is busy with another run.
    #[error("session {session} is busy with run {holder}{}", advice(self))]
    Busy {
        /// The session.
        session: SessionId,
        /// The run that holds it.
        holder: RunId,
    },
    /// Recipes are switched off.
    #[error("recipes are switched off{}", advice(self))]
    SwitchedOff,
    /// The run's agent is not configured.
    #[error(transparent)]
    Agent(#[from] UnknownProvider),
    /// Another run holds the work tree.
    #[error(transparent)]
    Collision(#[from] Collision),
    /// Anything else.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl Advise for ResumeError {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Cannot(cannot) => cannot.remedy(),
            Self::Replay(error) => error.remedy(),
            Self::Recipe(unknown) => unknown.remedy(),
            Self::Busy { .. } => Some(Remedy::ExitOtherFirst),
            Self::SwitchedOff => Some(Remedy::SwitchOn),
            Self::Agent(unknown) => unknown.remedy(),
            Self::Collision(collision) => collision.remedy(),
            Self::Engine(error) => error.remedy(),
        }
    }
}

impl From<StoreError> for ResumeError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Busy { session, holder } => Self::Busy { session, holder },
            other => Self::Engine(other.into()),
        }
    }
}

/// Why a session did not carry out an input.
#[derive(Debug)]
pub(super) enum DecideError {
    /// The session refused it, and nothing changed.
    Refused(SessionRefusal),
    /// The decision could not be persisted.
    NotPersisted(StoreError),
}

impl From<DecideError> for EngineError {
    fn from(error: DecideError) -> Self {
        match error {
            DecideError::NotPersisted(error) => error.into(),
            DecideError::Refused(SessionRefusal::NoSession(session)) => Self::NoSession(session),
            // Only commands that handle these themselves can get them.
            DecideError::Refused(
                refusal @ (SessionRefusal::Busy { .. }
                | SessionRefusal::Cannot(_)
                | SessionRefusal::Worktree(_)),
            ) => Self::Bug(refusal.to_string()),
        }
    }
}

impl From<DecideError> for ResumeError {
    fn from(error: DecideError) -> Self {
        match error {
            DecideError::NotPersisted(error) => error.into(),
            DecideError::Refused(SessionRefusal::Busy { session, holder }) => {
                Self::Busy { session, holder }
            }
            DecideError::Refused(SessionRefusal::Cannot(cannot)) => cannot.into(),
            DecideError::Refused(SessionRefusal::Worktree(_)) => Self::Engine(error.into()),
            DecideError::Refused(SessionRefusal::NoSession(session)) => {
                EngineError::NoSession(session).into()
            }
        }
    }
}
