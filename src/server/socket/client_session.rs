//! One client's exchange with the server: its requests, and the replies to them.
//!
//! It has no socket, so that tests need none.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::client::Client;
use super::outgoing_frames::{CloseReason, OutgoingFrames};
use crate::server::broadcast::update::{Audience, ClientId, ClientUpdate, frame};
use crate::server::handlers;
use crate::server::handlers::connect::ConnectContext;
use crate::server::handlers::{Reply, RequestContext};
use crate::server::net::caller::Caller;
use crate::server::net::connection_limit::Slot;
use crate::server::shared::Shared;
use crate::wire::{
    AuthError, ClientMessage, DecodeError, ErrorCode, ErrorMessage, Hello, Rejected, Request,
    ServerMessage,
};

pub(in crate::server) struct ClientSession {
    shared: Arc<Shared>,
    id: ClientId,
    caller: Caller,
    pub(in crate::server) replies: OutgoingFrames,
    /// Set when the server stops, and by the hub when the client is too slow.
    over: CancellationToken,
    /// The slot of its connection; a test client has none.
    slot: Option<Slot>,
    /// The client, once it has shown the key.
    pub(in crate::server) client: Option<Client>,
}

impl ClientSession {
    /// Begins with the server's greeting.
    pub(in crate::server) fn new(
        shared: Arc<Shared>,
        caller: Caller,
        over: CancellationToken,
        slot: Option<Slot>,
    ) -> Self {
        let mut replies = OutgoingFrames::new(shared.limits.max_reply_bytes);
        replies.queue(&ServerMessage::Hello(Hello::default()));
        Self { id: shared.new_client(), shared, caller, replies, over, slot, client: None }
    }

    /// Handles a text frame.
    pub(in crate::server) async fn receive(&mut self, text: &str) {
        match Request::read(text) {
            // Before authentication, and without the box.
            Ok(Request { message: ClientMessage::Ping, .. }) => {
                self.replies.queue_frame(self.shared.pong.clone());
            }
            // Boxed, because otherwise every idle connection would be as large as the largest
            // handler.
            Ok(request) => Box::pin(self.answer(request)).await,
            Err(refused) => self.refuse(refused),
        }
    }

    /// Handles a frame that is not text.
    pub(in crate::server) fn receive_binary(&mut self) {
        self.replies.error(
            ErrorCode::InvalidMessage,
            "message must be JSON text; binary messages are not supported",
        );
    }

    async fn answer(&mut self, Request { message, request_id }: Request) {
        match (message, &mut self.client) {
            (ClientMessage::Connect(connect), _) => {
                let context = ConnectContext {
                    shared: &self.shared,
                    id: self.id,
                    caller: &self.caller,
                    over: &self.over,
                    slot: self.slot.as_mut(),
                    replies: &mut self.replies,
                };
                self.client = handlers::connect::handle(context, connect, request_id).await;
            }
            // Harmless, and no reason to make the app stop reconnecting.
            (ClientMessage::Unsubscribe(_) | ClientMessage::MessageAck, None) => {}
            (_, None) => self.reject(),
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

    /// Sends a reply: at once, or after the point in the broadcast that it names. In a reply that
    /// is sent at once, the messages that a run is running or has ended go through the hub like all
    /// such messages, so that they stay spaced apart in time.
    fn send(&mut self, reply: &Reply) {
        let Some(client) = &mut self.client else { return };
        if let Some(announced) = reply.after {
            return client.reply_after(announced, reply.messages.iter().map(frame).collect());
        }
        for message in &reply.messages {
            let session = match message {
                ServerMessage::RecipeStarted(started) => started.session_id,
                ServerMessage::RecipeExited(exited) => exited.session_id,
                _ => {
                    self.replies.queue(message);
                    continue;
                }
            };
            self.shared.publish_run(
                Audience::Only(client.id),
                session,
                message,
                self.shared.clock.now(),
            );
        }
    }

    fn refuse(&mut self, refused: Rejected) {
        let code = match (&refused.why, &self.client) {
            (DecodeError::NotJson(_) | DecodeError::NotAnObject | DecodeError::NoType, _) => {
                ErrorCode::InvalidMessage
            }
            (_, None) => return self.reject(),
            (DecodeError::UnknownType(_), Some(_)) => ErrorCode::UnknownMessageType,
            (
                DecodeError::Missing { .. }
                | DecodeError::WrongType { .. }
                | DecodeError::Meaningless { .. },
                Some(_),
            ) => ErrorCode::InvalidMessage,
        };
        self.replies.queue(&ServerMessage::Error(ErrorMessage {
            message: refused.why.to_string(),
            code: Some(code),
            session_id: refused.session,
            request_id: refused.request_id,
            ..ErrorMessage::default()
        }));
    }

    /// Rejects a request of an unauthenticated client.
    fn reject(&mut self) {
        self.replies.queue(&ServerMessage::AuthError(AuthError::default()));
        self.replies.close(CloseReason::NOT_AUTHENTICATED);
    }

    /// Waits for a broadcast update; forever, until the client has shown the key.
    pub(in crate::server) async fn next_update(&mut self) -> Option<ClientUpdate> {
        match &mut self.client {
            Some(client) => client.inbox.next().await,
            None => std::future::pending().await,
        }
    }

    /// Starts the delayed subscriptions that are due.
    pub(in crate::server) async fn begin_due(&mut self) {
        if let Some(client) = &mut self.client {
            Box::pin(client.begin_due(&self.shared, &mut self.replies)).await;
        }
    }

    /// Forwards a broadcast update to the client.
    pub(in crate::server) async fn forward(&mut self, update: ClientUpdate) {
        if let Some(client) = &mut self.client {
            Box::pin(client.forward(&self.shared, &mut self.replies, update)).await;
        }
    }
}

impl Drop for ClientSession {
    fn drop(&mut self) {
        self.shared.hub.leave(self.id);
    }
}
