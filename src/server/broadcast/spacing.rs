//! Keeps the start and the end of runs apart in time.
//!
//! The app collects messages for a tenth of a second, and of a `recipe_started` and a
//! `recipe_exited` that arrive together it shows neither. So the two are sent a quarter of a second
//! apart, per session. What belongs after a delayed message is delayed too; nothing else is.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use tokio::time::Instant;

use crate::run::SessionId;

/// How far apart they are sent.
pub(in crate::server) const RUN_EDGE_INTERVAL: Duration = Duration::from_millis(250);

/// How long clients that connect meanwhile can delay an update.
const MAX_DELAY: Duration = Duration::from_secs(1);

/// How many changes of a session's state may be delayed. A client that starts and stops runs faster
/// than they can be spaced would otherwise delay all clients of that session, longer and longer.
const MAX_HELD_CHANGES: usize = 8;

/// What a message changes in the app's state of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum RunEdge {
    /// A run is running.
    Started,
    /// No run is running.
    Exited,
    /// No change.
    Neither,
}

/// Delayed updates about runs, by session.
#[derive(Debug)]
pub(in crate::server) struct Spacing<T> {
    lanes: HashMap<SessionId, Lane<T>>,
}

#[derive(Debug)]
struct Lane<T> {
    waiting: VecDeque<(RunEdge, T)>,
    /// The last update that was a change, and when it was sent.
    last: Option<(RunEdge, Instant)>,
    /// Since when an update is delayed.
    since: Option<Instant>,
}

impl<T> Default for Spacing<T> {
    fn default() -> Self {
        Self { lanes: HashMap::new() }
    }
}

impl<T> Spacing<T> {
    /// Appends an update to a session's lane, and removes what may be sent now.
    pub(in crate::server) fn push(
        &mut self,
        session: SessionId,
        edge: RunEdge,
        item: T,
        now: Instant,
    ) -> Vec<T> {
        let lane = self.lane(session);
        lane.waiting.push_back((edge, item));
        lane.release(now)
    }

    /// Records that one client was sent this separately, so that later updates keep their distance
    /// from it as well.
    pub(in crate::server) fn note(&mut self, session: SessionId, edge: RunEdge, now: Instant) {
        let lane = self.lane(session);
        if lane.since.is_none_or(|since| now + RUN_EDGE_INTERVAL <= since + MAX_DELAY) {
            lane.last = Some((edge, now));
        }
    }

    fn lane(&mut self, session: SessionId) -> &mut Lane<T> {
        let new = || Lane { waiting: VecDeque::new(), last: None, since: None };
        self.lanes.entry(session).or_insert_with(new)
    }

    /// Removes from all lanes what may be sent now.
    pub(in crate::server) fn release(&mut self, now: Instant) -> Vec<T> {
        let mut released = Vec::new();
        self.lanes.retain(|_, lane| {
            released.extend(lane.release(now));
            // By then the app does not hold the last message any more.
            !lane.waiting.is_empty()
                || lane.last.is_some_and(|(_, at)| now < at + RUN_EDGE_INTERVAL)
        });
        released
    }

    /// When the next update is due, or the next cleanup.
    pub(in crate::server) fn next(&self) -> Option<Instant> {
        self.lanes.values().filter_map(|lane| lane.last.map(|(_, at)| at + RUN_EDGE_INTERVAL)).min()
    }
}

impl<T> Lane<T> {
    fn release(&mut self, now: Instant) -> Vec<T> {
        let mut released = Vec::new();
        while let Some((edge, _)) = self.waiting.front() {
            let (edge, changes) = (*edge, *edge != RunEdge::Neither);
            let too_soon =
                self.last.is_some_and(|(last, at)| last != edge && now < at + RUN_EDGE_INTERVAL);
            if changes && too_soon && self.changes() <= MAX_HELD_CHANGES {
                self.since.get_or_insert(now);
                break;
            }
            if changes {
                (self.last, self.since) = (Some((edge, now)), None);
            }
            released.extend(self.waiting.pop_front().map(|(_, item)| item));
        }
        released
    }

    /// How many of the delayed updates change the app's state.
    fn changes(&self) -> usize {
        let waiting =
            self.waiting.iter().map(|(edge, _)| *edge).filter(|edge| *edge != RunEdge::Neither);
        let mut before = self.last.map(|(edge, _)| edge);
        waiting.filter(|edge| before.replace(*edge).is_some_and(|before| before != *edge)).count()
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn session(number: u128) -> SessionId {
        Uuid::from_u128(number).into()
    }

    #[test]
    fn an_end_is_spaced_from_its_start_and_a_start_from_the_end_before_it() {
        let (mut spacing, start) = (Spacing::default(), Instant::now());
        let one = session(1);
        assert_eq!(spacing.push(one, RunEdge::Started, "started 1", start), ["started 1"]);
        assert_eq!(spacing.push(one, RunEdge::Neither, "step", start), ["step"]);
        assert_eq!(spacing.push(one, RunEdge::Started, "started 2", start), ["started 2"]);
        assert!(spacing.push(one, RunEdge::Exited, "exited", start).is_empty());
        assert!(
            spacing.push(one, RunEdge::Neither, "turn", start).is_empty(),
            "it belongs after the end"
        );
        assert!(spacing.push(one, RunEdge::Started, "again", start).is_empty());
        assert!(spacing.release(start + RUN_EDGE_INTERVAL / 2).is_empty());
        assert_eq!(spacing.release(start + RUN_EDGE_INTERVAL), ["exited", "turn"]);
        assert_eq!(spacing.release(start + RUN_EDGE_INTERVAL * 2), ["again"]);
    }

    #[test]
    fn only_a_bounded_number_is_delayed_and_nothing_is_lost() {
        let (mut spacing, start) = (Spacing::default(), Instant::now());
        let mut sent = Vec::new();
        for number in 0..1000 {
            let edge = if number % 2 == 0 { RunEdge::Started } else { RunEdge::Exited };
            sent.extend(spacing.push(session(1), edge, number, start));
            sent.extend(spacing.push(session(1), RunEdge::Neither, number, start));
        }
        assert_eq!(sent.len(), 2 * (1000 - MAX_HELD_CHANGES));
        for later in 1..=8 {
            sent.extend(spacing.release(start + RUN_EDGE_INTERVAL * later));
        }
        assert_eq!(sent, (0..1000).flat_map(|number| [number, number]).collect::<Vec<_>>());
    }

    #[test]
    fn sessions_do_not_wait_for_each_other() {
        let (mut spacing, start) = (Spacing::default(), Instant::now());
        assert_eq!(spacing.push(session(1), RunEdge::Started, 1, start), [1]);
        assert!(spacing.push(session(1), RunEdge::Exited, 2, start).is_empty());
        assert_eq!(spacing.push(session(2), RunEdge::Exited, 3, start), [3]);
    }

    #[test]
    fn a_late_client_gets_them_spaced_too_but_does_not_delay_them_forever() {
        let (mut spacing, start) = (Spacing::default(), Instant::now());
        let one = session(1);
        spacing.push(one, RunEdge::Started, "started", start);
        assert!(spacing.push(one, RunEdge::Exited, "exited", start).is_empty());
        spacing.note(one, RunEdge::Started, start + RUN_EDGE_INTERVAL / 2);
        assert!(spacing.release(start + RUN_EDGE_INTERVAL).is_empty());
        assert_eq!(spacing.release(start + RUN_EDGE_INTERVAL / 2 + RUN_EDGE_INTERVAL), ["exited"]);

        spacing.push(one, RunEdge::Started, "again", start + MAX_DELAY);
        spacing.push(one, RunEdge::Exited, "exited", start + MAX_DELAY);
        let mut now = start + MAX_DELAY;
        while spacing.release(now).is_empty() {
            spacing.note(one, RunEdge::Started, now);
            now += RUN_EDGE_INTERVAL / 10;
        }
        assert!(
            now > start + MAX_DELAY + RUN_EDGE_INTERVAL * 2 && now <= start + MAX_DELAY * 2,
            "{:?}",
            now - start
        );
    }

    #[test]
    fn nothing_is_kept_about_an_idle_session() {
        let (mut spacing, start) = (Spacing::default(), Instant::now());
        spacing.push(session(1), RunEdge::Started, 1, start);
        assert_eq!(spacing.next(), Some(start + RUN_EDGE_INTERVAL));
        assert!(spacing.release(start + RUN_EDGE_INTERVAL).is_empty());
        assert_eq!((spacing.next(), spacing.lanes.len()), (None, 0));
    }
}
