//! The passages that an agent streams during a turn. Each becomes part of the conversation at once,
//! and exactly once.

use crate::engine::shared::Shared;
use crate::run::{AttemptId, SessionId};
use crate::store::{Store, StoreError};

/// The streamed passages of one turn.
pub(in crate::engine) struct StreamedMessages {
    session: SessionId,
    attempt: AttemptId,
    /// The part of the conversation with passages that an earlier engine persisted. An adopted turn
    /// may stream them again.
    before: Option<Before>,
    last: Last,
}

/// A part of a conversation.
#[derive(Clone, Copy)]
struct Before {
    from: u64,
    /// Its end when the turn was adopted; `None` until it is looked up.
    until: Option<u64>,
}

/// The last passage that this engine received.
enum Last {
    None,
    Persisted(String),
    /// An earlier engine had persisted it.
    Repeated(String),
    NotPersisted,
}

impl StreamedMessages {
    pub(in crate::engine) fn new(session: SessionId, attempt: AttemptId, adopted: bool) -> Self {
        let before = adopted.then_some(Before { from: 0, until: None });
        Self { session, attempt, before, last: Last::None }
    }

    /// Whether a passage is new: not one that was persisted before a crash.
    ///
    /// # Errors
    /// The store cannot be read. The passage is then dropped, since a duplicate would be worse.
    pub(in crate::engine) async fn is_new(
        &mut self,
        shared: &Shared,
        text: &str,
    ) -> Result<bool, StoreError> {
        let repeated = self.was_persisted_before(shared, text.to_owned()).await;
        self.last = match &repeated {
            Ok(true) => Last::Repeated(text.to_owned()),
            Ok(false) | Err(_) => Last::NotPersisted,
        };
        repeated.map(|repeated| !repeated)
    }

    /// Records that the passage is persisted.
    pub(in crate::engine) fn persisted(&mut self, text: String) {
        self.last = Last::Persisted(text);
    }

    /// Whether this reply is in the conversation already, because the agent streamed it as its last
    /// passage.
    pub(in crate::engine) async fn ends_with(
        &self,
        shared: &Shared,
        reply: &str,
    ) -> Result<bool, StoreError> {
        let are_equal = |last: &str| last.trim() == reply.trim();
        match (&self.last, self.before) {
            (Last::Persisted(last), _) => Ok(are_equal(last)),
            // An earlier attempt with an unknown result may have streamed the same text, followed
            // by more.
            (Last::Repeated(last), Some(before)) if are_equal(last) => {
                Ok(!self.is_any_left(shared, before).await?)
            }
            (Last::NotPersisted | Last::Repeated(_), _) | (Last::None, None) => Ok(false),
            (Last::None, Some(_)) => {
                let (session, attempt) = (self.session, self.attempt);
                let last = shared.read(move |store| last_passage(store, session, attempt)).await?;
                Ok(last.as_deref().is_some_and(are_equal))
            }
        }
    }

    /// Whether the conversation has passages of an earlier engine that were not streamed again.
    async fn is_any_left(
        &self,
        shared: &Shared,
        Before { from, until }: Before,
    ) -> Result<bool, StoreError> {
        let (session, attempt) = (self.session, self.attempt);
        let next = shared.read(move |store| store.passages(session, attempt, from, 1)).await?;
        Ok(next.first().is_some_and(|next| until.is_none_or(|until| next.offset < until)))
    }

    /// Whether an earlier engine persisted this passage. Each of its passages matches once, in
    /// order.
    async fn was_persisted_before(
        &mut self,
        shared: &Shared,
        text: String,
    ) -> Result<bool, StoreError> {
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
            // Read one at a time, since there may be many and long ones.
            while let Some(message) = store.passages(session, attempt, next, 1)?.pop() {
                if message.offset >= until {
                    break;
                }
                next = message.offset + 1;
                if message.text == text {
                    return Ok((true, Before { from: next, until: Some(until) }));
                }
            }
            // Nothing matches any more, so the conversation, which may be long, is not searched
            // again.
            let from = if next == from { until } else { from };
            Ok((false, Before { from, until: Some(until) }))
        };
        let (found, before) = shared.read(look).await?;
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
