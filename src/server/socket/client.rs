//! A client that has shown the key: what it wants to hear, and what it was told.

use std::time::Duration;

use tokio::time::Instant;

use super::read;
use super::replies::Replies;
use super::subscriptions::Subscriptions;
use crate::run::{RunId, SessionId};
use crate::server::broadcast::convert;
use crate::server::broadcast::hub::{ClientId, Frame, Inbox, Meaning, Spoken, Update};
use crate::server::net::auth::Authenticated;
use crate::server::net::peer::Peer;
use crate::server::shared::Shared;
use crate::wire::{Connect, ServerMessage};

/// How long the app may take to make room for a session that it is told of.
const SETTLED: Duration = Duration::from_millis(500);

pub(in crate::server) struct Client {
    _authenticated: Authenticated,
    /// Whether it is a process of the user whom the server belongs to.
    pub(in crate::server) same_user: bool,
    pub(in crate::server) id: ClientId,
    pub(in crate::server) inbox: Inbox,
    /// How many recent sessions it wants to be told of.
    pub(in crate::server) recent_sessions: u32,
    /// Whether it wants to be told when what agents work on has changed.
    work: bool,
    pub(in crate::server) subscriptions: Subscriptions,
    /// Sessions that it has begun with a run, and when it hears what is said in them, unless it has asked for that by then.
    soon: Vec<(Instant, SessionId)>,
    /// Answers that come after something that everybody is told.
    awaiting: Vec<(After, Vec<Frame>)>,
}

/// What an answer waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum After {
    /// That this run is told to be at a step.
    Started(RunId),
    /// That this session is told to be new.
    Began(SessionId),
    /// The same, or that its run goes on without it: somebody else may have begun the session in the same moment.
    BeganWith(SessionId, RunId),
}

impl After {
    fn is_began(self, session: SessionId) -> bool {
        matches!(self, Self::Began(began) | Self::BeganWith(began, _) if began == session)
    }

    fn is_of(self, run: RunId) -> bool {
        matches!(self, Self::Started(of) | Self::BeganWith(_, of) if of == run)
    }
}

impl Client {
    pub(in crate::server) fn new(
        authenticated: Authenticated,
        peer: Peer,
        id: ClientId,
        inbox: Inbox,
        connect: &Connect,
    ) -> Self {
        Self {
            _authenticated: authenticated,
            same_user: peer.same_user,
            id,
            inbox,
            recent_sessions: connect.recent_sessions_limit,
            work: connect.work,
            subscriptions: Subscriptions::default(),
            soon: Vec::new(),
            awaiting: Vec::new(),
        }
    }

    /// Answers after something that everybody is told. That waits in the inbox, so it has not been sent yet.
    pub(in crate::server) fn answer_after(&mut self, after: After, answers: &[ServerMessage]) {
        let frames = answers.iter().map(crate::server::broadcast::hub::frame).collect();
        self.awaiting.push((after, frames));
    }

    /// Has it hear what is said in a session that it is about to begin, a moment after it was told that there is one: the app
    /// would otherwise make another one of the same name, and not know where that works.
    pub(in crate::server) fn listen_soon(&mut self, session: SessionId) {
        self.soon.push((Instant::now() + SETTLED, session));
    }

    /// It has asked for a session, or wants to hear it no longer: what was put off about it is settled.
    pub(in crate::server) fn has_decided_about(&mut self, session: SessionId) {
        self.soon.retain(|(_, soon)| *soon != session);
    }

    /// When there is something to tell that was put off.
    pub(in crate::server) fn next_due(&self) -> Option<Instant> {
        self.soon.iter().map(|(then, _)| *then).min()
    }

    /// Tells what was put off until now.
    pub(in crate::server) async fn tell_what_is_due(&mut self, shared: &Shared, replies: &mut Replies) {
        let now = Instant::now();
        let due: Vec<_> = self.soon.extract_if(.., |(then, _)| *then <= now).collect();
        for (_, session) in due {
            if !self.subscriptions.contains(session) {
                self.subscriptions.insert(session, 0);
            }
            self.catch_up(shared, replies, session).await;
        }
    }

    /// Passes on what everybody is told.
    pub(in crate::server) async fn hear(&mut self, shared: &Shared, replies: &mut Replies, update: Update) {
        match update {
            Update::Told(frame, meaning) => {
                if let Meaning::Stepped(run) = meaning {
                    self.answer(replies, |after| after.is_of(run));
                }
                replies.put(frame);
                if let Meaning::Started(run) = meaning {
                    self.answer(replies, |after| after == After::Started(run));
                }
            }
            Update::Began { session, frame, recent } => {
                replies.put(frame);
                let recent = convert::recent_sessions(&recent, self.recent_sessions);
                replies.say(&ServerMessage::RecentSessions(recent));
                self.answer(replies, |after| after.is_began(session));
            }
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
            Update::Missed => {
                // A session may have begun without anybody being told.
                read::lists(shared, replies, self.recent_sessions).await;
                for session in self.subscriptions.sessions() {
                    self.catch_up(shared, replies, session).await;
                }
                self.answer(replies, |_| true);
            }
        }
    }

    fn answer(&mut self, replies: &mut Replies, is_due: impl Fn(After) -> bool) {
        self.awaiting.retain_mut(|(after, frames)| {
            let due = is_due(*after);
            if due {
                frames.drain(..).for_each(|frame| replies.put(frame));
            }
            !due
        });
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
            Err(error) => replies.failed(&error),
        }
    }
}
