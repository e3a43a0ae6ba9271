//! The sessions that a client is subscribed to, and how far it has read each.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::run::SessionId;

/// How many sessions a client can subscribe to. It may name any, even those that are never created;
/// beyond this limit its oldest subscription is dropped.
const MAX_SESSIONS: usize = 1024;

/// How long the app may take to create a session that it was notified of.
const SUBSCRIBE_DELAY: Duration = Duration::from_millis(500);

#[derive(Debug, Default)]
pub(in crate::server) struct Subscriptions {
    by_session: HashMap<SessionId, Subscription>,
    order: u64,
    /// Sessions that the client has created with a run, and when it is subscribed to each, unless
    /// it subscribes or unsubscribes before.
    delayed: Vec<(Instant, SessionId)>,
}

#[derive(Debug)]
struct Subscription {
    /// The offset of the next message to send.
    next: u64,
    /// Its 1-based index in the order of subscribing; subscribing again renews it.
    order: u64,
}

impl Subscriptions {
    /// Subscribes to a session, from this offset on.
    pub(in crate::server) fn insert(&mut self, session: SessionId, next: u64) {
        self.cancel_delayed(session);
        self.order += 1;
        self.by_session.insert(session, Subscription { next, order: self.order });
        if self.by_session.len() > MAX_SESSIONS
            && let Some(first) =
                self.by_session.iter().min_by_key(|(_, it)| it.order).map(|(session, _)| *session)
        {
            self.by_session.remove(&first);
        }
    }

    /// Subscribes to a session that the client is about to create, a moment after it was notified
    /// of it: otherwise the app would create another one of the same name, without its working
    /// directory.
    pub(in crate::server) fn insert_delayed(&mut self, session: SessionId) {
        self.delayed.push((Instant::now() + SUBSCRIBE_DELAY, session));
    }

    pub(in crate::server) fn remove(&mut self, session: SessionId) {
        self.cancel_delayed(session);
        self.by_session.remove(&session);
    }

    fn cancel_delayed(&mut self, session: SessionId) {
        self.delayed.retain(|(_, delayed)| *delayed != session);
    }

    /// When the next delayed subscription is due.
    pub(in crate::server) fn next_due(&self) -> Option<Instant> {
        self.delayed.iter().map(|(then, _)| *then).min()
    }

    /// Subscribes to the sessions that are due, and returns them.
    pub(in crate::server) fn begin_due(&mut self) -> Vec<SessionId> {
        let now = Instant::now();
        let due: Vec<_> = self
            .delayed
            .extract_if(.., |(then, _)| *then <= now)
            .map(|(_, session)| session)
            .collect();
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

    /// The offset of the next message to send.
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
    fn beyond_the_limit_the_oldest_subscription_is_dropped() {
        let session = |number: usize| SessionId::from(Uuid::from_u128(number as u128));
        let mut subscriptions = Subscriptions::default();
        for number in 0..MAX_SESSIONS {
            subscriptions.insert(session(number), 0);
        }
        // Renewed, so it is no longer the oldest.
        subscriptions.insert(session(0), 7);
        for number in MAX_SESSIONS..MAX_SESSIONS + 10 {
            subscriptions.insert(session(number), 0);
        }
        assert_eq!(subscriptions.sessions().len(), MAX_SESSIONS);
        assert_eq!(subscriptions.next(session(0)), Some(&mut 7));
        let dropped: Vec<_> = (0..MAX_SESSIONS + 10)
            .filter(|number| !subscriptions.contains(session(*number)))
            .collect();
        assert_eq!(dropped, (1..=10).collect::<Vec<_>>());
        subscriptions.remove(session(0));
        assert!(!subscriptions.contains(session(0)));
    }
}
