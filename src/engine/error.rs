//! What can go wrong with an engine.

use super::provider::UnknownProvider;
use crate::UnknownRecipe;
use crate::run::{CannotResume, ReplayError, RunId, SessionId};
use crate::session::Refusal;
use crate::store::StoreError;

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
    #[error("session {0} has too many requests queued; try again in a moment")]
    Overloaded(SessionId),
    /// The engine is shutting down.
    #[error("the server is shutting down; try again when it is back")]
    ShuttingDown,
    /// Surefire itself broke.
    #[error("this is a bug in surefire: {0}; please report it")]
    Broken(String),
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
    #[error("session {session} is busy with run {holder}; exit that run first, or wait until it ends")]
    Busy {
        /// The session.
        session: SessionId,
        /// The run that holds it.
        holder: RunId,
    },
    /// Recipes are switched off.
    #[error("recipes are switched off; switch orchestration on first")]
    SwitchedOff,
    /// Its agent is not there.
    #[error(transparent)]
    Agent(#[from] UnknownProvider),
    /// Anything else.
    #[error(transparent)]
    Engine(#[from] EngineError),
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
            // Only a start and a resume can meet these, and both tell them apart themselves.
            NotDone::Refused(refusal @ (Refusal::Busy { .. } | Refusal::Cannot(_))) => {
                Self::Broken(refusal.to_string())
            }
        }
    }
}

impl From<NotDone> for ResumeError {
    fn from(error: NotDone) -> Self {
        match error {
            NotDone::NotPersisted(error) => error.into(),
            NotDone::Refused(Refusal::Busy { session, holder }) => Self::Busy { session, holder },
            NotDone::Refused(Refusal::Cannot(cannot)) => cannot.into(),
            NotDone::Refused(Refusal::NoSession(session)) => EngineError::NoSession(session).into(),
        }
    }
}
