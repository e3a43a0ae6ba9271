//! What a handler answers. A handler returns it, and the client's dialogue sends it.

use crate::server::broadcast::update::Announced;
use crate::wire::{Ack, RequestId, ServerMessage};

/// The answer to one request: messages in order, and what has to have been broadcast before them.
#[derive(Debug, Default)]
#[must_use]
pub(in crate::server) struct Reply {
    pub(in crate::server) messages: Vec<ServerMessage>,
    pub(in crate::server) behind: Option<Announced>,
}

impl Reply {
    /// No answer, or none beyond what all clients are told.
    pub(super) fn nothing() -> Self {
        Self::default()
    }

    pub(super) fn then(mut self, message: ServerMessage) -> Self {
        self.messages.push(message);
        self
    }

    /// The same, behind what is broadcast about this.
    pub(super) fn behind(mut self, announced: Announced) -> Self {
        self.behind = Some(announced);
        self
    }

    /// Puts the request's id on its `ack` or `error`. A request that has an id gets exactly one of them: an `ack` of its own
    /// where it is otherwise answered by other messages, or by none.
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
        Self { messages: vec![message], behind: None }
    }
}

impl From<Vec<ServerMessage>> for Reply {
    fn from(messages: Vec<ServerMessage>) -> Self {
        Self { messages, behind: None }
    }
}
