//! A client that has shown the key: what it subscribed to, and what it was sent.

use super::outgoing_frames::{OutgoingFrames, failure};
use super::read;
use super::subscriptions::Subscriptions;
use crate::run::SessionId;
use crate::server::broadcast::convert;
use crate::server::broadcast::stream::Inbox;
use crate::server::broadcast::update::{
    Announced, ClientId, ClientUpdate, ConversationUpdate, Frame,
};
use crate::server::broadcast::viewers::{Viewers, Viewing};
use crate::server::net::auth::Authenticated;
use crate::server::net::peer::Peer;
use crate::server::net::widening::MayWiden;
use crate::server::shared::Shared;
use crate::wire::{Connect, ServerMessage};

pub(in crate::server) struct Client {
    _authenticated: Authenticated,
    /// Whether it is a process of the server's own user.
    pub(in crate::server) same_user: bool,
    /// Whether it may widen runs.
    pub(in crate::server) may_widen: Option<MayWiden>,
    pub(in crate::server) id: ClientId,
    pub(in crate::server) inbox: Inbox,
    /// How many recent sessions it asked for.
    pub(in crate::server) recent_sessions: u32,
    /// Whether it announced `work`.
    work: bool,
    /// Set if it announced `view`.
    viewing: Option<Viewing>,
    pub(in crate::server) subscriptions: Subscriptions,
    /// Replies that belong after a point in the broadcast that has not been reached yet.
    pending: Vec<(Announced, Vec<Frame>)>,
}

impl Client {
    pub(in crate::server) fn new(
        authenticated: Authenticated,
        (peer, may_widen): (Peer, Option<MayWiden>),
        id: ClientId,
        inbox: Inbox,
        connect: &Connect,
        viewers: &Viewers,
    ) -> Self {
        Self {
            _authenticated: authenticated,
            same_user: peer.same_user,
            may_widen,
            id,
            inbox,
            recent_sessions: connect.recent_sessions_limit,
            work: connect.work,
            viewing: connect.view.then(|| viewers.enter()),
            subscriptions: Subscriptions::default(),
            pending: Vec::new(),
        }
    }

    /// Sends this once the broadcast has reached a point. That point is still in the inbox, or on
    /// its way there: the inbox is not read while a request is handled.
    pub(in crate::server) fn reply_after(&mut self, announced: Announced, frames: Vec<Frame>) {
        self.pending.push((announced, frames));
    }

    /// Starts the delayed subscriptions that are due.
    pub(in crate::server) async fn begin_due(
        &mut self,
        shared: &Shared,
        replies: &mut OutgoingFrames,
    ) {
        for session in self.subscriptions.begin_due() {
            self.catch_up(shared, replies, session).await;
        }
    }

    /// Forwards a broadcast update to the client, if it concerns the client.
    pub(in crate::server) async fn forward(
        &mut self,
        shared: &Shared,
        replies: &mut OutgoingFrames,
        update: ClientUpdate,
    ) {
        match update {
            ClientUpdate::Message(frame, _) => replies.queue_frame(frame),
            ClientUpdate::SessionCreated { frame, recent } => {
                replies.queue_frame(frame);
                let recent = convert::recent_sessions(&recent, self.recent_sessions);
                replies.queue(&ServerMessage::RecentSessions(recent));
            }
            ClientUpdate::Announced(announced) => self.reply(replies, |after| after == announced),
            ClientUpdate::Conversation(update) => {
                let ConversationUpdate { session, offset, .. } = *update;
                match self.subscriptions.next(session) {
                    Some(next) if *next == offset && update.frame.len() < replies.limit => {
                        *next += 1;
                        replies.queue_frame(update.frame.clone());
                    }
                    // An earlier message has not been sent yet, or this one has to be cut.
                    Some(next) if *next <= offset => self.catch_up(shared, replies, session).await,
                    Some(_) | None => {}
                }
            }
            ClientUpdate::Work(frame) => {
                if self.work {
                    replies.queue_frame(frame);
                }
            }
            ClientUpdate::View(frame) => {
                if self.viewing.is_some() {
                    replies.queue_frame(frame);
                }
            }
            ClientUpdate::Lagged => {
                // A session may have been created without an update to the client.
                for message in read::lists(shared, self.recent_sessions).await {
                    replies.queue(&message);
                }
                for session in self.subscriptions.sessions() {
                    self.catch_up(shared, replies, session).await;
                }
                self.reply(replies, |_| true);
            }
        }
    }

    fn reply(&mut self, replies: &mut OutgoingFrames, is_due: impl Fn(Announced) -> bool) {
        for frame in
            self.pending.extract_if(.., |(after, _)| is_due(*after)).flat_map(|(_, frames)| frames)
        {
            replies.queue_frame(frame);
        }
    }

    /// Sends the next part of a conversation.
    async fn catch_up(
        &mut self,
        shared: &Shared,
        replies: &mut OutgoingFrames,
        session: SessionId,
    ) {
        let Some(next) = self.subscriptions.next(session) else { return };
        match read::conversation(shared, session, read::From::Offset(*next), replies.limit).await {
            Ok(Some(history)) if !history.messages.is_empty() => {
                *next = history.next_offset;
                replies.queue(&ServerMessage::SessionHistory(history));
            }
            Ok(_) => {}
            Err(error) => replies.queue(&failure(&error)),
        }
    }
}
