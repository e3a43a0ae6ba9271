//! What the agent says in the middle of a turn: each passage is part of the conversation as soon as it is said.

use uuid::Uuid;

use super::inner::Inner;
use super::turn::Task;
use crate::run::{AttemptId, RunId, SessionId};
use crate::store::{Change, Commit, NewMessage, Role, Store, StoreError};

/// The passages of one turn.
pub(super) struct Passages {
    session: SessionId,
    attempt: AttemptId,
    run: Option<RunId>,
    /// Where the conversation holds passages that an earlier engine heard, which may be said again while the turn is taken
    /// up.
    before: Option<Before>,
    heard: Heard,
}

/// A part of a conversation.
#[derive(Clone, Copy)]
struct Before {
    from: u64,
    /// Where it ended when the turn was taken up; `None` until somebody has looked.
    until: Option<u64>,
}

/// What this engine has heard last.
enum Heard {
    Nothing,
    /// A passage that is written down.
    Saved(String),
    /// A passage that an earlier engine had written down.
    Again(String),
    /// A passage that is not.
    Unsaved,
}

impl Passages {
    pub(super) fn new(session: SessionId, attempt: AttemptId, run: Option<RunId>, task: &Task) -> Self {
        let before = match task {
            Task::Take => None,
            Task::Recover(_) => Some(Before { from: 0, until: None }),
        };
        Self { session, attempt, run, before, heard: Heard::Nothing }
    }

    /// Writes a passage down, unless it stands in the conversation since before a crash. One that cannot be saved is no
    /// reason to end anything: the reply is what counts.
    pub(super) async fn said(&mut self, inner: &Inner, text: String) {
        let heard = match self.was_heard_before(inner, text.clone()).await {
            Ok(true) => Ok(Heard::Again(text)),
            Ok(false) => self.save(inner, text.clone()).await.map(|()| Heard::Saved(text)),
            // Whether it is there cannot be told, and twice would be worse than not at all.
            Err(error) => Err(error),
        };
        let (session, attempt) = (self.session, self.attempt);
        self.heard = match heard {
            Ok(heard) => heard,
            Err(error) => {
                tracing::warn!(%session, %attempt, %error, "what the agent said could not be saved");
                Heard::Unsaved
            }
        };
    }

    /// Whether this reply stands in the conversation already, because the agent said it as its last passage.
    pub(super) async fn end_with(&self, inner: &Inner, reply: &str) -> Result<bool, StoreError> {
        let are_equal = |last: &str| last.trim() == reply.trim();
        match (&self.heard, self.before) {
            (Heard::Saved(last), _) => Ok(are_equal(last)),
            // An earlier try, of which nobody knows what became, may have said the same, and then more was said.
            (Heard::Again(last), Some(before)) if are_equal(last) => {
                Ok(!self.is_any_left(inner, before).await?)
            }
            (Heard::Unsaved | Heard::Again(_), _) | (Heard::Nothing, None) => Ok(false),
            (Heard::Nothing, Some(_)) => {
                let (session, attempt) = (self.session, self.attempt);
                let last = inner.read(move |store| last_passage(store, session, attempt)).await?;
                Ok(last.as_deref().is_some_and(are_equal))
            }
        }
    }

    /// Whether the conversation holds passages of an earlier engine that were not said again.
    async fn is_any_left(&self, inner: &Inner, Before { from, until }: Before) -> Result<bool, StoreError> {
        let (session, attempt) = (self.session, self.attempt);
        let next = inner.read(move |store| store.passages(session, attempt, from, 1)).await?;
        Ok(next.first().is_some_and(|next| until.is_none_or(|until| next.offset < until)))
    }

    async fn save(&self, inner: &Inner, text: String) -> Result<(), StoreError> {
        let Self { session, attempt, run, .. } = *self;
        let (id, role, at) = (Uuid::new_v4(), Role::Assistant, inner.now());
        let passage = NewMessage { session, id, role, text, at, attempt: Some(attempt), run };
        inner.keeper.commit(Commit { changes: vec![Change::message(passage)] }).await.map(|_| ())
    }

    /// Whether this is one of the passages that an earlier engine heard. Each of them is found once, in their order.
    async fn was_heard_before(&mut self, inner: &Inner, text: String) -> Result<bool, StoreError> {
        let Some(Before { from, until }) = self.before else { return Ok(false) };
        if until.is_some_and(|until| from >= until) {
            return Ok(false);
        }
        let (session, attempt) = (self.session, self.attempt);
        let look = move |store: &dyn Store| {
            let until = match until {
                Some(until) => until,
                None => store.session(session)?.map_or(0, |session| session.messages),
            };
            let mut next = from;
            // One at a time, for there may be many, and long ones.
            while let Some(message) = store.passages(session, attempt, next, 1)?.pop() {
                if message.offset >= until {
                    break;
                }
                next = message.offset + 1;
                if message.text == text {
                    return Ok((true, Before { from: next, until: Some(until) }));
                }
            }
            // Where none is left, nobody has to look again: the conversation may be long.
            let from = if next == from { until } else { from };
            Ok((false, Before { from, until: Some(until) }))
        };
        let (found, before) = inner.read(look).await?;
        self.before = Some(before);
        Ok(found)
    }
}

fn last_passage(
    store: &dyn Store,
    session: SessionId,
    attempt: AttemptId,
) -> Result<Option<String>, StoreError> {
    let (mut from, mut last) = (0, None);
    while let Some(message) = store.passages(session, attempt, from, 1)?.pop() {
        (from, last) = (message.offset + 1, Some(message.text));
    }
    Ok(last)
}
