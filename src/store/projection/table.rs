//! Rows of one kind while a commit is projected: each is read at most once and written at most
//! once.

use super::projected::Upsert;
use super::rows::{AttemptRow, PromptRow, RunRow, SessionRow};
use crate::run::{AttemptId, PromptId, RunId, SessionId};

/// A row that has an id and belongs to a session.
pub(super) trait Row {
    type Id: Copy + PartialEq;

    fn id(&self) -> Self::Id;
    fn session(&self) -> SessionId;
}

/// The rows read or added so far, in that order.
#[derive(Debug)]
pub(super) struct Table<T> {
    rows: Vec<Held<T>>,
}

#[derive(Debug)]
struct Held<T> {
    row: T,
    is_new: bool,
    changed: bool,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { rows: Vec::new() }
    }
}

impl<T: Row> Table<T> {
    pub(super) fn get(&self, id: T::Id) -> Option<&T> {
        self.rows.iter().find(|held| held.row.id() == id).map(|held| &held.row)
    }

    /// The row, marked to be written.
    pub(super) fn change(&mut self, id: T::Id) -> Option<&mut T> {
        let held = self.rows.iter_mut().find(|held| held.row.id() == id)?;
        held.changed = true;
        Some(&mut held.row)
    }

    /// Adds a row read from the store. A row that is here already may have changed, and stays.
    pub(super) fn hold(&mut self, row: T) {
        if self.get(row.id()).is_none() {
            self.rows.push(Held { row, is_new: false, changed: false });
        }
    }

    /// Adds a new row.
    pub(super) fn add(&mut self, row: T) {
        self.rows.push(Held { row, is_new: true, changed: true });
    }

    /// Drops all rows of a session.
    pub(super) fn forget(&mut self, session: SessionId) {
        self.rows.retain(|held| held.row.session() != session);
    }

    /// The rows to write.
    pub(super) fn into_changed(self) -> Vec<Upsert<T>> {
        let changed = self.rows.into_iter().filter(|held| held.changed);
        changed.map(|Held { row, is_new, .. }| Upsert { row, is_new }).collect()
    }
}

impl Row for SessionRow {
    type Id = SessionId;

    fn id(&self) -> SessionId {
        self.session.id
    }

    fn session(&self) -> SessionId {
        self.session.id
    }
}

impl Row for RunRow {
    type Id = RunId;

    fn id(&self) -> RunId {
        self.record.id
    }

    fn session(&self) -> SessionId {
        self.record.session
    }
}

impl Row for AttemptRow {
    type Id = AttemptId;

    fn id(&self) -> AttemptId {
        self.id
    }

    fn session(&self) -> SessionId {
        self.session
    }
}

impl Row for PromptRow {
    type Id = PromptId;

    fn id(&self) -> PromptId {
        self.record.prompt
    }

    fn session(&self) -> SessionId {
        self.session
    }
}
