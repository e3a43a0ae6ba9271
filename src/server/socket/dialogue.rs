//! One client's side of the conversation with the server: what it says, and what it is answered.
//!
//! There is no socket here, so all of it can be tried without one.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::client::Client;
use super::replies::{Leaving, Replies};
use crate::server::broadcast::update::{Audience, ClientId, Update, frame};
use crate::server::handlers;
use crate::server::handlers::connect::Arriving;
use crate::server::handlers::{Reply, RequestContext};
use crate::server::net::connection_limit::Slot;
use crate::server::net::peer::Peer;
use crate::server::net::widening::MayWiden;
use crate::server::shared::Shared;
use crate::wire::{
    AuthError, ClientMessage, ErrorCode, ErrorMessage, Hello, Refusal, Refused, Request, ServerMessage,
};

pub(in crate::server) struct Dialogue {
    shared: Arc<Shared>,
    id: ClientId,
    peer: Peer,
    may_widen: Option<MayWiden>,
    pub(in crate::server) replies: Replies,
    /// Set when the server stops, and by the hub when the client is too slow.
    over: CancellationToken,
    /// Its slot among the connections that have not shown the key, until it does; a client without a connection has none.
    slot: Option<Slot>,
    /// The client, once it has shown the key.
    pub(in crate::server) client: Option<Client>,
}

impl Dialogue {
    /// Begins with the server's greeting.
    pub(in crate::server) fn new(
        shared: Arc<Shared>,
        (peer, may_widen): (Peer, Option<MayWiden>),
        over: CancellationToken,
        slot: Option<Slot>,
    ) -> Self {
        let mut replies = Replies::new(shared.limits.reply_size);
        replies.say(&ServerMessage::Hello(Hello::default()));
        Self { id: shared.new_client(), shared, peer, may_widen, replies, over, slot, client: None }
    }

    /// Hears a text that the client sent.
    pub(in crate::server) async fn hear(&mut self, text: &str) {
        match Request::read(text) {
            // Before the client has to be known, and without the box.
            Ok(Request { message: ClientMessage::Ping, .. }) => self.replies.put(self.shared.pong.clone()),
            // In a box of its own: the largest handler would make every idle connection as large as itself.
            Ok(request) => Box::pin(self.answer(request)).await,
            Err(refused) => self.refuse(refused),
        }
    }

    /// Hears something that is no text.
    pub(in crate::server) fn hear_bytes(&mut self) {
        self.replies
            .error(ErrorCode::InvalidMessage, "message must be JSON text; binary messages are not supported");
    }

    async fn answer(&mut self, Request { message, request_id }: Request) {
        match (message, &mut self.client) {
            (ClientMessage::Connect(connect), _) => {
                let arriving = Arriving {
                    shared: &self.shared,
                    id: self.id,
                    peer: self.peer,
                    may_widen: self.may_widen,
                    over: &self.over,
                    slot: self.slot.as_mut(),
                    replies: &mut self.replies,
                };
                self.client = handlers::connect::handle(arriving, connect, request_id).await;
            }
            // Harmless, and no reason to stop the app from coming back.
            (ClientMessage::Unsubscribe(_) | ClientMessage::MessageAck, None) => {}
            (_, None) => self.turn_away(),
            (message, Some(client)) => {
                let mut context = RequestContext {
                    shared: &self.shared,
                    client,
                    max_frame_bytes: &mut self.replies.limit,
                    has_id: request_id.is_some(),
                };
                let mut reply = handlers::handle(&mut context, message).await;
                reply.close(request_id);
                self.send(&reply);
            }
        }
    }

    /// Sends a reply: at once, or behind the place in the broadcast that it names. In a reply that is sent at once, where a run
    /// is and that one has ended take the way of all such messages, so that they keep their distance from each other.
    fn send(&mut self, reply: &Reply) {
        let Some(client) = &mut self.client else { return };
        if let Some(announced) = reply.behind {
            return client.reply_behind(announced, reply.messages.iter().map(frame).collect());
        }
        for message in &reply.messages {
            let session = match message {
                ServerMessage::RecipeStarted(started) => started.session_id,
                ServerMessage::RecipeExited(exited) => exited.session_id,
                _ => {
                    self.replies.say(message);
                    continue;
                }
            };
            self.shared.tell_of_run(Audience::Only(client.id), session, message, self.shared.clock.now());
        }
    }

    fn refuse(&mut self, refused: Refused) {
        let code = match (&refused.why, &self.client) {
            (Refusal::NotJson(_) | Refusal::NotAnObject | Refusal::NoType, _) => ErrorCode::InvalidMessage,
            (_, None) => return self.turn_away(),
            (Refusal::UnknownType(_), Some(_)) => ErrorCode::UnknownMessageType,
            (Refusal::Missing { .. } | Refusal::WrongType { .. } | Refusal::Meaningless { .. }, Some(_)) => {
                ErrorCode::InvalidMessage
            }
        };
        self.replies.say(&ServerMessage::Error(ErrorMessage {
            message: refused.why.to_string(),
            code: Some(code),
            session_id: refused.session,
            request_id: refused.request_id,
            ..ErrorMessage::default()
        }));
    }

    /// A client that has not shown the key wants something.
    fn turn_away(&mut self) {
        self.replies.say(&ServerMessage::AuthError(AuthError::default()));
        self.replies.leave(Leaving::NOT_AUTHENTICATED);
    }

    /// Waits for something that everybody is told; for ever, while the client is not known.
    pub(in crate::server) async fn next_update(&mut self) -> Option<Update> {
        match &mut self.client {
            Some(client) => client.inbox.next().await,
            None => std::future::pending().await,
        }
    }

    /// Begins with the conversations that were put off until now.
    pub(in crate::server) async fn begin_due(&mut self) {
        if let Some(client) = &mut self.client {
            Box::pin(client.begin_due(&self.shared, &mut self.replies)).await;
        }
    }

    /// Passes on what everybody is told.
    pub(in crate::server) async fn pass_on(&mut self, update: Update) {
        if let Some(client) = &mut self.client {
            Box::pin(client.hear(&self.shared, &mut self.replies, update)).await;
        }
    }
}

impl Drop for Dialogue {
    fn drop(&mut self) {
        self.shared.hub.leave(self.id);
    }
}
