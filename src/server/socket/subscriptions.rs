//! The sessions that a client listens to, and how far it has heard.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::run::SessionId;

/// How many sessions a client can listen to. It may name any, even those that never begin; a client that names more hears no longer
/// of the one that it named first.
const MAX_SESSIONS: usize = 1024;

/// How long the app may take to make room for a session that it is told of.
const ROOM_MADE_TIMEOUT: Duration = Duration::from_millis(500);

#[derive(Debug, Default)]
pub(in crate::server) struct Subscriptions {
    by_session: HashMap<SessionId, Subscription>,
    named: u64,
    /// Sessions that the client has begun with a run, and when it hears what is said in them, unless it decides otherwise.
    soon: Vec<(Instant, SessionId)>,
}

#[derive(Debug)]
struct Subscription {
    /// The offset of what has not been heard yet.
    next: u64,
    /// Its 1-based index in the order of naming, when it was last named.
    named: u64,
}

impl Subscriptions {
    /// Listens to a session, from this offset on.
    pub(in crate::server) fn insert(&mut self, session: SessionId, next: u64) {
        self.has_decided_about(session);
        self.named += 1;
        self.by_session.insert(session, Subscription { next, named: self.named });
        if self.by_session.len() > MAX_SESSIONS
            && let Some(first) =
                self.by_session.iter().min_by_key(|(_, it)| it.named).map(|(session, _)| *session)
        {
            self.by_session.remove(&first);
        }
    }

    /// Listens to a session that the client is about to begin, a moment after it was told that there is one: the app would
    /// otherwise make another one of the same name, and not know where that works.
    pub(in crate::server) fn insert_soon(&mut self, session: SessionId) {
        self.soon.push((Instant::now() + ROOM_MADE_TIMEOUT, session));
    }

    pub(in crate::server) fn remove(&mut self, session: SessionId) {
        self.has_decided_about(session);
        self.by_session.remove(&session);
    }

    fn has_decided_about(&mut self, session: SessionId) {
        self.soon.retain(|(_, soon)| *soon != session);
    }

    /// When the next of those begins that begin later.
    pub(in crate::server) fn next_due(&self) -> Option<Instant> {
        self.soon.iter().map(|(then, _)| *then).min()
    }

    /// Listens to those whose time has come, and says which they are.
    pub(in crate::server) fn begin_due(&mut self) -> Vec<SessionId> {
        let now = Instant::now();
        let due: Vec<_> =
            self.soon.extract_if(.., |(then, _)| *then <= now).map(|(_, session)| session).collect();
        for session in &due {
            if !self.contains(*session) {
                self.insert(*session, 0);
            }
        }
        due
    }

    pub(in crate::server) fn contains(&self, session: SessionId) -> bool {
        self.by_session.contains_key(&session)
    }

    /// The offset of what has not been heard yet.
    pub(in crate::server) fn next(&mut self, session: SessionId) -> Option<&mut u64> {
        self.by_session.get_mut(&session).map(|it| &mut it.next)
    }

    pub(in crate::server) fn sessions(&self) -> Vec<SessionId> {
        self.by_session.keys().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn whoever_names_too_many_hears_no_longer_of_the_first() {
        let session = |number: usize| SessionId::from(Uuid::from_u128(number as u128));
        let mut subscriptions = Subscriptions::default();
        for number in 0..MAX_SESSIONS {
            subscriptions.insert(session(number), 0);
        }
        // Named again, so it is no longer the first.
        subscriptions.insert(session(0), 7);
        for number in MAX_SESSIONS..MAX_SESSIONS + 10 {
            subscriptions.insert(session(number), 0);
        }
        assert_eq!(subscriptions.sessions().len(), MAX_SESSIONS);
        assert_eq!(subscriptions.next(session(0)), Some(&mut 7));
        let gone: Vec<_> =
            (0..MAX_SESSIONS + 10).filter(|number| !subscriptions.contains(session(*number))).collect();
        assert_eq!(gone, (1..=10).collect::<Vec<_>>());
        subscriptions.remove(session(0));
        assert!(!subscriptions.contains(session(0)));
    }
}
