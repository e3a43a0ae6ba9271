//! The snapshots of a run's work tree, turn by turn.

use crate::run::{AttemptId, Event, Moment, TreeState};

/// The snapshots of a run's work tree that its events contain.
///
/// ```
/// use surefire::view::Snapshots;
///
/// let snapshots = Snapshots::of([]);
/// assert_eq!((snapshots.baseline.as_deref(), snapshots.whole()), (None, None));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snapshots {
    /// The work tree when the run began; `None` before its first turn, and outside of git.
    pub baseline: Option<String>,
    /// The turns that have ended with a snapshot, in order.
    pub turns: Vec<TurnSnapshots>,
    /// How many turns have begun.
    pub began: u32,
}

/// The snapshots around one turn.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TurnSnapshots {
    /// 1-based index of the turn in the run.
    pub turn: u32,
    /// The visit of a step that it belongs to, by its number.
    pub visit: u32,
    /// That step.
    pub step: String,
    /// The last snapshot before the turn, taken after the previous turn. Changes that a command or
    /// a person made between two turns therefore count towards the second one.
    pub before: String,
    /// The snapshot after the turn.
    pub after: String,
}

impl TurnSnapshots {
    /// Whether the two snapshots differ.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.before != self.after
    }
}

/// The turn in flight.
struct Current {
    attempt: AttemptId,
    visit: u32,
    step: String,
}

impl Snapshots {
    /// Reads a run's events, all of them and in order.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut snapshots = Self::default();
        let mut visit = 1;
        let mut current = None;
        for event in events {
            match event {
                Event::Moved { number, .. } => visit = *number,
                Event::TurnBegan { attempt, step, .. } => {
                    snapshots.began = snapshots.began.saturating_add(1);
                    current = Some(Current { attempt: *attempt, visit, step: step.clone() });
                }
                Event::TreeSeen { attempt, tree, moment } => {
                    let current = current.as_ref().filter(|it| it.attempt == *attempt);
                    snapshots.see(current, tree, moment);
                }
                Event::Started { .. }
                | Event::RulesBroken { .. }
                | Event::WorktreeEnded { .. }
                | Event::ToolsRefused { .. }
                | Event::Replied { .. }
                | Event::CheckBegan { .. }
                | Event::Checked { .. }
                | Event::Retried { .. }
                | Event::LimitReached { .. }
                | Event::PromptQueued { .. }
                | Event::Ended { .. }
                | Event::Resumed { .. } => {}
            }
        }
        snapshots
    }

    /// The run's first snapshot and its last.
    #[must_use]
    pub fn whole(&self) -> Option<(&str, &str)> {
        Some((self.baseline.as_deref()?, &self.turns.last()?.after))
    }

    /// The snapshots before and after this turn.
    #[must_use]
    pub fn turn(&self, turn: u32) -> Option<(&str, &str)> {
        let found = self.turns.iter().find(|it| it.turn == turn)?;
        Some((&found.before, &found.after))
    }

    fn see(&mut self, current: Option<&Current>, tree: &TreeState, moment: &Moment) {
        // Before most turns the engine only reads HEAD.
        let Some(tree) = &tree.tree else { return };
        match moment {
            Moment::Before => {
                self.baseline.get_or_insert_with(|| tree.clone());
            }
            Moment::After { .. } => {
                let Some(Current { visit, step, .. }) = current else { return };
                let last = self.turns.last().map(|it| &it.after).or(self.baseline.as_ref());
                let Some(before) = last.cloned() else { return };
                let (turn, step, after) = (self.began, step.clone(), tree.clone());
                self.turns.push(TurnSnapshots { turn, visit: *visit, step, before, after });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Changes, Purpose};
    use crate::view::one_run::{attempt, moved, resumed, started, turn};

    fn tree(tree: Option<&str>) -> TreeState {
        TreeState { tree: tree.map(str::to_owned), ..TreeState::default() }
    }

    fn before(id: Option<&str>) -> Event {
        Event::TreeSeen { attempt: attempt(), tree: tree(id), moment: Moment::Before }
    }

    fn after(id: Option<&str>) -> Event {
        let moment = Moment::After { changes: Changes::default() };
        Event::TreeSeen { attempt: attempt(), tree: tree(id), moment }
    }

    fn shown(snapshots: &Snapshots) -> Vec<(u32, u32, &str, &str)> {
        snapshots
            .turns
            .iter()
            .map(|it| (it.turn, it.visit, it.before.as_str(), it.after.as_str()))
            .collect()
    }

    #[test]
    fn each_turn_begins_where_the_last_snapshot_was() {
        let events = [
            started(),
            turn(Purpose::Step),
            before(Some("a")),
            after(Some("b")),
            moved("fix", 2),
            turn(Purpose::Step),
            before(None),
            // The engine took no snapshot after this turn.
            turn(Purpose::Continue),
            before(None),
            after(Some("c")),
            resumed(crate::run::ResumedBy::User, 0),
            turn(Purpose::Continue),
            // A resumed run keeps its baseline.
            before(Some("x")),
            after(Some("c")),
            turn(Purpose::Step),
        ];
        let snapshots = Snapshots::of(&events);
        assert_eq!(shown(&snapshots), [(1, 1, "a", "b"), (3, 2, "b", "c"), (4, 2, "c", "c")]);
        assert_eq!((snapshots.whole(), snapshots.began), (Some(("a", "c")), 5));
        assert_eq!(snapshots.turn(3), Some(("b", "c")));
        assert_eq!((snapshots.turn(2), snapshots.turn(0), snapshots.turn(5)), (None, None, None));
        let changed: Vec<_> = snapshots.turns.iter().map(TurnSnapshots::is_changed).collect();
        assert_eq!(changed, [true, true, false]);
    }

    #[test]
    fn without_a_first_snapshot_there_is_nothing_to_compare_with() {
        let snapshots =
            Snapshots::of(&[started(), turn(Purpose::Step), before(None), after(Some("b"))]);
        assert_eq!((snapshots.whole(), snapshots.turns.len()), (None, 0));
        let snapshots =
            Snapshots::of(&[started(), turn(Purpose::Step), before(Some("a")), after(None)]);
        assert_eq!((snapshots.whole(), snapshots.turns.len()), (None, 0));
    }
}
