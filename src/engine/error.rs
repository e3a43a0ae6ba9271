//! What can go wrong with an engine.

use super::provider::UnknownProvider;
use super::tree_lock::Collision;
use crate::recipe::advice;
use crate::run::{CannotResume, ReplayError, RunId, SessionId};
use crate::session::Refusal;
use crate::store::StoreError;
use crate::{Advise, Remedy, UnknownRecipe};

/// What can go wrong with an engine, whatever it is asked.
#[derive(Debug, thiserror::Error)]
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
    /// A session has more commands queued than it takes.
    #[error("session {} has too many requests queued{}", .0, advice(self))]
    Overloaded(SessionId),
    /// The engine is shutting down.
    #[error("the server is shutting down{}", advice(self))]
    ShuttingDown,
    /// Surefire itself broke.
    #[error("this is a bug in surefire: {}{}", .0, advice(self))]
    Broken(String),
}

impl Advise for EngineError {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Store(error) => error.remedy(),
            Self::NoRun(_) | Self::NoSession(_) => None,
            Self::Overloaded(_) => Some(Remedy::AgainSoon),
            Self::ShuttingDown => Some(Remedy::AgainWhenBack),
            Self::Broken(_) => Some(Remedy::Report),
        }
    }
}

/// Why a run cannot be resumed.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    /// It is over, or would stop again at once.
    #[error(transparent)]
    Cannot(#[from] CannotResume),
    /// The recipe has changed since, or the journal is damaged.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The recipe is no longer on offer.
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
    /// Its agent is not there.
    #[error(transparent)]
    Agent(#[from] UnknownProvider),
    /// Another run works in the work tree.
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

/// Why a session did not do what it was asked for.
#[derive(Debug)]
pub(super) enum NotDone {
    /// It refused, and nothing changed.
    Refused(Refusal),
    /// What it decided could not be persisted.
    NotPersisted(StoreError),
}

impl From<NotDone> for EngineError {
    fn from(error: NotDone) -> Self {
        match error {
            NotDone::NotPersisted(error) => error.into(),
            NotDone::Refused(Refusal::NoSession(session)) => Self::NoSession(session),
            // Only commands that tell them apart themselves can meet these.
            NotDone::Refused(
                refusal @ (Refusal::Busy { .. } | Refusal::Cannot(_) | Refusal::Worktree(_)),
            ) => Self::Broken(refusal.to_string()),
        }
    }
}

impl From<NotDone> for ResumeError {
    fn from(error: NotDone) -> Self {
        match error {
            NotDone::NotPersisted(error) => error.into(),
            NotDone::Refused(Refusal::Busy { session, holder }) => Self::Busy { session, holder },
            NotDone::Refused(Refusal::Cannot(cannot)) => cannot.into(),
            NotDone::Refused(Refusal::Worktree(_)) => Self::Engine(error.into()),
            NotDone::Refused(Refusal::NoSession(session)) => EngineError::NoSession(session).into(),
        }
    }
}
