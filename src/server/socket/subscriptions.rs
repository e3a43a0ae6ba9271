//! The sessions that a client listens to, and how far it has heard.

use std::collections::HashMap;

use crate::run::SessionId;

/// How many sessions a client can listen to. It may name any, also such that never begin; whoever names more hears no longer
/// of the one that it named first.
const MOST: usize = 1024;

#[derive(Debug, Default)]
pub(in crate::server) struct Subscriptions {
    by_session: HashMap<SessionId, Subscription>,
    named: u64,
}

#[derive(Debug)]
struct Subscription {
    /// The offset of what has not been heard yet.
    next: u64,
    /// The how-manieth it was when it was last named.
    named: u64,
}

impl Subscriptions {
    /// Listens to a session, from this offset on.
    pub(in crate::server) fn insert(&mut self, session: SessionId, next: u64) {
        self.named += 1;
        self.by_session.insert(session, Subscription { next, named: self.named });
        if self.by_session.len() > MOST
            && let Some(first) =
                self.by_session.iter().min_by_key(|(_, it)| it.named).map(|(session, _)| *session)
        {
            self.by_session.remove(&first);
        }
    }

    pub(in crate::server) fn remove(&mut self, session: SessionId) {
        self.by_session.remove(&session);
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
        for number in 0..MOST {
            subscriptions.insert(session(number), 0);
        }
        // Named again, so it is no longer the first.
        subscriptions.insert(session(0), 7);
        for number in MOST..MOST + 10 {
            subscriptions.insert(session(number), 0);
        }
        assert_eq!(subscriptions.sessions().len(), MOST);
        assert_eq!(subscriptions.next(session(0)), Some(&mut 7));
        let gone: Vec<_> =
            (0..MOST + 10).filter(|number| !subscriptions.contains(session(*number))).collect();
        assert_eq!(gone, (1..=10).collect::<Vec<_>>());
        subscriptions.remove(session(0));
        assert!(!subscriptions.contains(session(0)));
    }
}
