//! The sessions that are driven now, and their mailboxes.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc::{self, error::TrySendError};

use super::command::Command;
use crate::run::SessionId;

/// How many commands may be queued for one session. Clients send a few a second at most.
const MAX_QUEUED_COMMANDS: usize = 1024;

/// Receives a session's commands.
pub(in crate::engine) type Mailbox = mpsc::Receiver<Command>;

/// The mailboxes of the sessions that are driven.
///
/// Commands are sent under the map's lock, and a driver unregisters its session under the same
/// lock, so no command is lost in between.
#[derive(Default)]
pub(in crate::engine) struct Registry {
    mailboxes: Mutex<HashMap<SessionId, mpsc::Sender<Command>>>,
}

impl Registry {
    fn mailboxes(&self) -> MutexGuard<'_, HashMap<SessionId, mpsc::Sender<Command>>> {
        // The map is consistent after each change, so a poisoned lock is harmless.
        self.mailboxes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a command to a session. If the session is not driven, `drive` gets its mailbox.
    ///
    /// # Errors
    /// The session's queue is full.
    pub(in crate::engine) fn send(
        &self,
        session: SessionId,
        mut command: Command,
        drive: impl FnOnce(Mailbox),
    ) -> Result<(), TooManyCommands> {
        let mut mailboxes = self.mailboxes();
        if let Some(sender) = mailboxes.get(&session) {
            match sender.try_send(command) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Full(_)) => return Err(TooManyCommands),
                // Its driver ended without unregistering.
                Err(TrySendError::Closed(unsent)) => command = unsent,
            }
        }
        let (sender, mailbox) = mpsc::channel(MAX_QUEUED_COMMANDS);
        // A new mailbox has room.
        let _ = sender.try_send(command);
        mailboxes.insert(session, sender);
        drop(mailboxes);
        drive(mailbox);
        Ok(())
    }

    /// Registers a mailbox for a session. `None` if the session is driven already.
    pub(in crate::engine) fn register(&self, session: SessionId) -> Option<Mailbox> {
        let mut mailboxes = self.mailboxes();
        if mailboxes.get(&session).is_some_and(|sender| !sender.is_closed()) {
            return None;
        }
        let (sender, mailbox) = mpsc::channel(MAX_QUEUED_COMMANDS);
        mailboxes.insert(session, sender);
        Some(mailbox)
    }

    /// Unregisters a session, unless a command is queued for it. Returns whether it did.
    pub(in crate::engine) fn unregister(&self, session: SessionId, mailbox: &Mailbox) -> bool {
        let mut mailboxes = self.mailboxes();
        let is_empty = mailbox.is_empty();
        if is_empty {
            mailboxes.remove(&session);
        }
        is_empty
    }

    /// Sends a command to a session if it is driven.
    pub(in crate::engine) fn send_if_driven(&self, session: SessionId, command: Command) {
        if let Some(sender) = self.mailboxes().get(&session) {
            let _ = sender.try_send(command);
        }
    }

    /// The sessions that are driven.
    pub(in crate::engine) fn sessions(&self) -> Vec<SessionId> {
        self.mailboxes().keys().copied().collect()
    }
}

/// The session's queue is full.
pub(in crate::engine) struct TooManyCommands;
