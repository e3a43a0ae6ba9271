//! Keeping the beginning and the end of runs apart in time.
//!
//! The app collects what it is told for a tenth of a second, and of a `recipe_started` and a `recipe_exited` that come together
//! it shows neither. So the two are sent a quarter of a second apart, in each session for itself. What belongs behind a message
//! that waits, waits with it; everything else goes on.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use tokio::time::Instant;

use crate::run::SessionId;

/// How far apart they are.
pub(in crate::server) const APART: Duration = Duration::from_millis(250);

/// How long those who come meanwhile can hold something up.
const LONGEST: Duration = Duration::from_secs(1);

/// How many changes of a session's picture may wait. Somebody who begins and ends runs faster than they can be told apart would
/// otherwise hold up everybody who looks at that session, for ever longer.
const MOST_CHANGES: usize = 8;

/// What a message means to the app's picture of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum Beat {
    /// A run goes on.
    Started,
    /// None does.
    Exited,
    /// Nothing.
    Neither,
}

/// What waits to be sent about runs, session by session.
#[derive(Debug)]
pub(in crate::server) struct Spacing<T> {
    lanes: HashMap<SessionId, Lane<T>>,
}

#[derive(Debug)]
struct Lane<T> {
    waiting: VecDeque<(Beat, T)>,
    /// What was last sent that meant something, and when.
    last: Option<(Beat, Instant)>,
    /// Since when something waits.
    since: Option<Instant>,
}

impl<T> Default for Spacing<T> {
    fn default() -> Self {
        Self { lanes: HashMap::new() }
    }
}

impl<T> Spacing<T> {
    /// Puts something at the end of a session's lane, and takes out what may be sent now.
    pub(in crate::server) fn push(
        &mut self,
        session: SessionId,
        beat: Beat,
        item: T,
        now: Instant,
    ) -> Vec<T> {
        let lane = self.lane(session);
        lane.waiting.push_back((beat, item));
        lane.release(now)
    }

    /// Notes that somebody is told of this on their own, so that what follows keeps its distance from that as well.
    pub(in crate::server) fn note(&mut self, session: SessionId, beat: Beat, now: Instant) {
        let lane = self.lane(session);
        if lane.since.is_none_or(|since| now + APART <= since + LONGEST) {
            lane.last = Some((beat, now));
        }
    }

    fn lane(&mut self, session: SessionId) -> &mut Lane<T> {
        let new = || Lane { waiting: VecDeque::new(), last: None, since: None };
        self.lanes.entry(session).or_insert_with(new)
    }

    /// Takes out of all lanes what may be sent now.
    pub(in crate::server) fn release(&mut self, now: Instant) -> Vec<T> {
        let mut released = Vec::new();
        self.lanes.retain(|_, lane| {
            released.extend(lane.release(now));
            // The app has forgotten by then what it was told last.
            !lane.waiting.is_empty() || lane.last.is_some_and(|(_, at)| now < at + APART)
        });
        released
    }

    /// When there is something to be sent next, or to be tidied up.
    pub(in crate::server) fn next(&self) -> Option<Instant> {
        self.lanes.values().filter_map(|lane| lane.last.map(|(_, at)| at + APART)).min()
    }
}

impl<T> Lane<T> {
    fn release(&mut self, now: Instant) -> Vec<T> {
        let mut released = Vec::new();
        while let Some((beat, _)) = self.waiting.front() {
            let (beat, changes) = (*beat, *beat != Beat::Neither);
            let too_soon = self.last.is_some_and(|(last, at)| last != beat && now < at + APART);
            if changes && too_soon && self.changes() <= MOST_CHANGES {
                self.since.get_or_insert(now);
                break;
            }
            if changes {
                (self.last, self.since) = (Some((beat, now)), None);
            }
            released.extend(self.waiting.pop_front().map(|(_, item)| item));
        }
        released
    }

    /// How often what waits changes the app's picture.
    fn changes(&self) -> usize {
        let waiting = self.waiting.iter().map(|(beat, _)| *beat).filter(|beat| *beat != Beat::Neither);
        let mut before = self.last.map(|(beat, _)| beat);
        waiting.filter(|beat| before.replace(*beat).is_some_and(|before| before != *beat)).count()
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
    fn an_end_waits_for_its_beginning_and_a_beginning_for_the_end_before_it() {
        let (mut spacing, start) = (Spacing::default(), Instant::now());
        let one = session(1);
        assert_eq!(spacing.push(one, Beat::Started, "started 1", start), ["started 1"]);
        assert_eq!(spacing.push(one, Beat::Neither, "step", start), ["step"]);
        assert_eq!(spacing.push(one, Beat::Started, "started 2", start), ["started 2"]);
        assert!(spacing.push(one, Beat::Exited, "exited", start).is_empty());
        assert!(spacing.push(one, Beat::Neither, "turn", start).is_empty(), "it belongs behind");
        assert!(spacing.push(one, Beat::Started, "again", start).is_empty());
        assert!(spacing.release(start + APART / 2).is_empty());
        assert_eq!(spacing.release(start + APART), ["exited", "turn"]);
        assert_eq!(spacing.release(start + APART * 2), ["again"]);
    }

    #[test]
    fn only_so_much_waits_and_nothing_is_lost() {
        let (mut spacing, start) = (Spacing::default(), Instant::now());
        let mut told = Vec::new();
        for number in 0..1000 {
            let beat = if number % 2 == 0 { Beat::Started } else { Beat::Exited };
            told.extend(spacing.push(session(1), beat, number, start));
            told.extend(spacing.push(session(1), Beat::Neither, number, start));
        }
        assert_eq!(told.len(), 2 * (1000 - MOST_CHANGES));
        for later in 1..=8 {
            told.extend(spacing.release(start + APART * later));
        }
        assert_eq!(told, (0..1000).flat_map(|number| [number, number]).collect::<Vec<_>>());
    }

    #[test]
    fn sessions_do_not_wait_for_each_other() {
        let (mut spacing, start) = (Spacing::default(), Instant::now());
        assert_eq!(spacing.push(session(1), Beat::Started, 1, start), [1]);
        assert!(spacing.push(session(1), Beat::Exited, 2, start).is_empty());
        assert_eq!(spacing.push(session(2), Beat::Exited, 3, start), [3]);
    }

    #[test]
    fn who_comes_late_has_them_apart_too_but_does_not_hold_them_up_for_ever() {
        let (mut spacing, start) = (Spacing::default(), Instant::now());
        let one = session(1);
        spacing.push(one, Beat::Started, "started", start);
        assert!(spacing.push(one, Beat::Exited, "exited", start).is_empty());
        spacing.note(one, Beat::Started, start + APART / 2);
        assert!(spacing.release(start + APART).is_empty());
        assert_eq!(spacing.release(start + APART / 2 + APART), ["exited"]);

        spacing.push(one, Beat::Started, "again", start + LONGEST);
        spacing.push(one, Beat::Exited, "exited", start + LONGEST);
        let mut now = start + LONGEST;
        while spacing.release(now).is_empty() {
            spacing.note(one, Beat::Started, now);
            now += APART / 10;
        }
        assert!(now > start + LONGEST + APART * 2 && now <= start + LONGEST * 2, "{:?}", now - start);
    }

    #[test]
    fn nothing_is_kept_of_a_session_in_which_nothing_happens() {
        let (mut spacing, start) = (Spacing::default(), Instant::now());
        spacing.push(session(1), Beat::Started, 1, start);
        assert_eq!(spacing.next(), Some(start + APART));
        assert!(spacing.release(start + APART).is_empty());
        assert_eq!((spacing.next(), spacing.lanes.len()), (None, 0));
    }
}
