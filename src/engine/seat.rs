//! Who may ask an agent now: one turn at a time in a session, so many agents in all, and one process per session.

use std::sync::Arc;

use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit};

use super::inner::Inner;
use super::session_lock::{self, NotLocked, SessionLock};
use super::turn::Came;
use crate::agent::Failure;
use crate::run::SessionId;

/// What a turn needs before the agent may be asked. Dropping it lets others have their turn.
pub(super) struct Seat {
    _turn: OwnedMutexGuard<()>,
    _permit: Option<OwnedSemaphorePermit>,
    _lock: Option<SessionLock>,
}

/// A session's turn, and a permit where one was free, for an agent that may be at work already.
pub(super) struct Held {
    turn: OwnedMutexGuard<()>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Inner {
    /// Takes a place for an agent that another engine left at work. It is counted if there is room, but not waited for.
    pub(super) fn hold(&self, session: SessionId) -> Option<Held> {
        let turn = self.at_desk(session, |desk| Arc::clone(&desk.turn)).try_lock_owned().ok()?;
        Some(Held { turn, permit: Arc::clone(&self.permits).try_acquire_owned().ok() })
    }

    /// Waits until it is this session's turn and one more agent may work, unless a place is held already.
    pub(super) async fn seat(
        &self,
        session: SessionId,
        rehearsal: bool,
        held: Option<Held>,
    ) -> Result<Seat, Came> {
        let (turn, permit) = if let Some(Held { turn, permit }) = held {
            (turn, permit)
        } else {
            let turn = self.at_desk(session, |desk| Arc::clone(&desk.turn));
            let waiting = async {
                let turn = turn.lock_owned().await;
                (turn, Arc::clone(&self.permits).acquire_owned().await.ok())
            };
            tokio::select! {
                biased;
                () = self.closing.cancelled() => return Err(Came::Failure(Failure::Left)),
                seat = waiting => seat,
            }
        };
        // A rehearsal touches nothing that another process could be in the middle of.
        let lock = if rehearsal { None } else { Some(self.lock_session(session)?) };
        Ok(Seat { _turn: turn, _permit: permit, _lock: lock })
    }

    fn lock_session(&self, session: SessionId) -> Result<SessionLock, Came> {
        session_lock::lock(&self.options.locks, session.uuid()).map_err(|error| match error {
            NotLocked::Held => Came::Locked,
            NotLocked::Failed(error) => Came::Failure(Failure::Refused {
                words: format!("session locks cannot be made in `{}`: {error}", self.options.locks.display()),
            }),
        })
    }
}
