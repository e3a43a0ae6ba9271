//! The row numbers of sessions and runs, which other rows refer to.

use rusqlite::Connection;

use super::failure::Failure;
use super::read::one;
use crate::run::{RunId, SessionId};
use crate::store::projection::missing;

/// Finds numbers by id. Nearly all rows of a commit belong to one session and one run, so the last
/// of each is cached.
pub(super) struct Numbers<'c> {
    connection: &'c Connection,
    session: Option<(SessionId, i64)>,
    run: Option<(RunId, i64)>,
}

impl<'c> Numbers<'c> {
    pub(super) const fn new(connection: &'c Connection) -> Self {
        Self { connection, session: None, run: None }
    }

    pub(super) fn session(&mut self, id: SessionId) -> Result<i64, Failure> {
        match self.session {
            Some((known, number)) if known == id => Ok(number),
            Some(_) | None => {
                let number =
                    self.find("SELECT number FROM sessions WHERE id = ?1", &id.to_string())?;
                let number = number.ok_or_else(|| missing("session", &id))?;
                self.session = Some((id, number));
                Ok(number)
            }
        }
    }

    pub(super) fn run(&mut self, id: RunId) -> Result<i64, Failure> {
        match self.run {
            Some((known, number)) if known == id => Ok(number),
            Some(_) | None => {
                let number = self.find("SELECT number FROM runs WHERE id = ?1", &id.to_string())?;
                let number = number.ok_or_else(|| missing("run", &id))?;
                self.run = Some((id, number));
                Ok(number)
            }
        }
    }

    fn find(&self, sql: &str, id: &str) -> Result<Option<i64>, Failure> {
        one(self.connection, sql, [id], |row| row.get(0))
    }
}
