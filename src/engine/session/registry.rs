//! Which sessions are driven at the moment, and how to reach them.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc::{self, error::TrySendError};

use super::command::Command;
use crate::run::SessionId;

/// How many commands may be queued for one session. Clients send a few a second at most.
const MAX_QUEUED_COMMANDS: usize = 1024;

/// Where a session's commands come in.
pub(in crate::engine) type Mailbox = mpsc::Receiver<Command>;

/// The mailboxes of the sessions that are driven.
///
/// Commands are sent while the map is locked, and so a driver that leaves while it is locked knows that nothing is queued.
#[derive(Default)]
pub(in crate::engine) struct Registry {
    mailboxes: Mutex<HashMap<SessionId, mpsc::Sender<Command>>>,
}

impl Registry {
    fn mailboxes(&self) -> MutexGuard<'_, HashMap<SessionId, mpsc::Sender<Command>>> {
        // Nothing panics while holding it, and if something did, the map would still be whole.
        self.mailboxes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a command to a session. Where it is not driven, `drive` is given its mailbox.
    ///
    /// # Errors
    /// Too many commands are queued for it.
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
                // Its driver ended without leaving the registry.
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

    /// Makes a mailbox for a session that nothing drives yet. `None` where something does.
    pub(in crate::engine) fn enter(&self, session: SessionId) -> Option<Mailbox> {
        let mut mailboxes = self.mailboxes();
        if mailboxes.get(&session).is_some_and(|sender| !sender.is_closed()) {
            return None;
        }
        let (sender, mailbox) = mpsc::channel(MAX_QUEUED_COMMANDS);
        mailboxes.insert(session, sender);
        Some(mailbox)
    }

    /// A driver wants to leave. Not while a command is queued for it.
    pub(in crate::engine) fn leave(&self, session: SessionId, mailbox: &Mailbox) -> bool {
        let mut mailboxes = self.mailboxes();
        let may_leave = mailbox.is_empty();
        if may_leave {
            mailboxes.remove(&session);
        }
        may_leave
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

/// A session has as many commands queued as it takes.
pub(in crate::engine) struct TooManyCommands;
