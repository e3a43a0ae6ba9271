//! A client that has shown the key: what it wants to hear, and what it was told.

use super::read;
use super::replies::{Replies, failure};
use super::subscriptions::Subscriptions;
use crate::run::SessionId;
use crate::server::broadcast::convert;
use crate::server::broadcast::stream::Inbox;
use crate::server::broadcast::update::{Announced, ClientId, Frame, Spoken, Update};
use crate::server::broadcast::viewers::{Viewers, Viewing};
use crate::server::net::auth::Authenticated;
use crate::server::net::peer::Peer;
use crate::server::net::widening::MayWiden;
use crate::server::shared::Shared;
use crate::wire::{Connect, ServerMessage};

pub(in crate::server) struct Client {
    _authenticated: Authenticated,
    /// Whether it is a process of the user whom the server belongs to.
    pub(in crate::server) same_user: bool,
    /// Whether it may say what widens a run.
    pub(in crate::server) may_widen: Option<MayWiden>,
    pub(in crate::server) id: ClientId,
    pub(in crate::server) inbox: Inbox,
    /// How many recent sessions it wants to be told of.
    pub(in crate::server) recent_sessions: u32,
    /// Whether it wants to be told when what agents work on has changed.
    work: bool,
    /// Where it wants to be sent how runs are shown.
    viewing: Option<Viewing>,
    pub(in crate::server) subscriptions: Subscriptions,
    /// Replies that belong behind a place in the broadcast which has not come by yet.
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

    /// Sends this once the broadcast has come to a place. That place is still in the inbox, or on its way there: the inbox is
    /// not read while a request is handled.
    pub(in crate::server) fn reply_behind(&mut self, announced: Announced, frames: Vec<Frame>) {
        self.pending.push((announced, frames));
    }

    /// Begins with the conversations that were put off until now.
    pub(in crate::server) async fn begin_due(&mut self, shared: &Shared, replies: &mut Replies) {
        for session in self.subscriptions.begin_due() {
            self.catch_up(shared, replies, session).await;
        }
    }

    /// Passes on what everybody is told.
    pub(in crate::server) async fn hear(&mut self, shared: &Shared, replies: &mut Replies, update: Update) {
        match update {
            Update::Told(frame, _) => replies.put(frame),
            Update::Began { frame, recent } => {
                replies.put(frame);
                let recent = convert::recent_sessions(&recent, self.recent_sessions);
                replies.say(&ServerMessage::RecentSessions(recent));
            }
            Update::Announced(announced) => self.reply(replies, |behind| behind == announced),
            Update::Said(spoken) => {
                let Spoken { session, offset, .. } = *spoken;
                match self.subscriptions.next(session) {
                    Some(next) if *next == offset && spoken.frame.len() < replies.limit => {
                        *next += 1;
                        replies.put(spoken.frame.clone());
                    }
                    // Something before it has not been heard yet, or it has to be cut.
                    Some(next) if *next <= offset => self.catch_up(shared, replies, session).await,
                    Some(_) | None => {}
                }
            }
            Update::Work(frame) => {
                if self.work {
                    replies.put(frame);
                }
            }
            Update::View(frame) => {
                if self.viewing.is_some() {
                    replies.put(frame);
                }
            }
            Update::Missed => {
                // A session may have begun without the client being told.
                for message in read::lists(shared, self.recent_sessions).await {
                    replies.say(&message);
                }
                for session in self.subscriptions.sessions() {
                    self.catch_up(shared, replies, session).await;
                }
                self.reply(replies, |_| true);
            }
        }
    }

    fn reply(&mut self, replies: &mut Replies, is_due: impl Fn(Announced) -> bool) {
        for frame in self.pending.extract_if(.., |(behind, _)| is_due(*behind)).flat_map(|(_, frames)| frames)
        {
            replies.put(frame);
        }
    }

    /// Sends the next part of a conversation.
    async fn catch_up(&mut self, shared: &Shared, replies: &mut Replies, session: SessionId) {
        let Some(next) = self.subscriptions.next(session) else { return };
        match read::conversation(shared, session, read::From::Offset(*next), replies.limit).await {
            Ok(Some(history)) if !history.messages.is_empty() => {
                *next = history.next_offset;
                replies.say(&ServerMessage::SessionHistory(history));
            }
            Ok(_) => {}
            Err(error) => replies.say(&failure(&error)),
        }
    }
}
