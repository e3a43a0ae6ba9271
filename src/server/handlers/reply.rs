//! The reply of a handler, which returns it; the client's session sends it.

use crate::server::broadcast::update::Announced;
use crate::wire::{Ack, RequestId, ServerMessage};

/// The reply to one request: messages in order, and what has to be broadcast before them.
#[derive(Debug, Default)]
#[must_use]
pub(in crate::server) struct Reply {
    pub(in crate::server) messages: Vec<ServerMessage>,
    pub(in crate::server) after: Option<Announced>,
}

impl Reply {
    /// No reply, or none beyond what is broadcast to all clients.
    pub(super) fn nothing() -> Self {
        Self::default()
    }

    pub(super) fn then(mut self, message: ServerMessage) -> Self {
        self.messages.push(message);
        self
    }

    /// The same, sent after this has been broadcast.
    pub(super) fn after(mut self, announced: Announced) -> Self {
        self.after = Some(announced);
        self
    }

    /// Puts the request's id on its `ack` or `error`. A request that has an id gets exactly one of
    /// them: if its reply has neither, an `ack` is added.
    pub(in crate::server) fn close(&mut self, request_id: Option<RequestId>) {
        let Some(id) = request_id else { return };
        for message in &mut self.messages {
            match message {
                ServerMessage::Ack(ack) => return ack.request_id = Some(id),
                ServerMessage::Error(error) => return error.request_id = Some(id),
                _ => {}
            }
        }
        let ack = Ack { message: "Done".to_owned(), request_id: Some(id), ..Ack::default() };
        self.messages.push(ServerMessage::Ack(ack));
    }
}

impl From<ServerMessage> for Reply {
    fn from(message: ServerMessage) -> Self {
        Self { messages: vec![message], after: None }
    }
}

impl From<Vec<ServerMessage>> for Reply {
    fn from(messages: Vec<ServerMessage>) -> Self {
        Self { messages, after: None }
    }
}
