//! Lists that skip unreadable rows.
//!
//! One row that a disk, a person or another version made unreadable must not make the whole list
//! fail. A skipped row is logged once; `quarantined` lists them all.

use std::collections::HashSet;
use std::sync::Mutex;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, ToSql, params_from_iter};

use super::failure::{Failure, is_unreadable};
use super::hold::hold;
use super::rows;

/// How many rows are remembered as logged. With more, the log has made the problem clear already.
const MAX_LOGGED_ROWS: usize = 1000;

/// The unreadable rows that the log has named.
#[derive(Debug, Default)]
pub(super) struct Skipped {
    named: Mutex<HashSet<String>>,
}

impl Skipped {
    fn note(&self, row: String, error: &rusqlite::Error) {
        let mut named = hold(&self.named);
        if named.len() < MAX_LOGGED_ROWS && !named.contains(&row) {
            tracing::warn!(row, %error, "skipped a stored row that cannot be read; `surefire doctor` lists them");
            named.insert(row);
        }
    }
}

/// A list that is read from one table.
pub(super) struct List<'s> {
    /// The table's name for people.
    pub(super) table: &'static str,
    /// A statement whose last column is the row's key, and whose last parameter is the limit.
    pub(super) sql: &'s str,
    /// All parameters but the limit.
    pub(super) values: &'s [&'s dyn ToSql],
    pub(super) limit: usize,
}

impl List<'_> {
    /// The readable rows, up to the limit, not counting skipped ones.
    pub(super) fn read<T>(
        &self,
        connection: &Connection,
        skipped: &Skipped,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, Failure> {
        let mut statement = connection.prepare_cached(self.sql)?;
        let mut lost = 0;
        loop {
            let wanted = self.limit.saturating_add(lost);
            let limit = rows::limit(wanted);
            let values = self.values.iter().copied().chain([&limit as &dyn ToSql]);
            let (mut found, mut unreadable) = (Vec::new(), 0);
            let mut rows = statement.query(params_from_iter(values))?;
            while let Some(row) = rows.next()? {
                match read(row) {
                    Ok(item) => found.push(item),
                    Err(error) if is_unreadable(&error) => {
                        unreadable += 1;
                        skipped.note(format!("{} {}", self.table, key(row)?), &error);
                    }
                    Err(error) => return Err(error.into()),
                }
            }
            // Fill the page, because a short page would be taken for the last one.
            if found.len() < self.limit && found.len() + unreadable == wanted {
                lost = unreadable;
                continue;
            }
            found.truncate(self.limit);
            return Ok(found);
        }
    }
}

/// The key of a row, which is its last column.
pub(super) fn key(row: &Row<'_>) -> rusqlite::Result<String> {
    let last = row.as_ref().column_count().saturating_sub(1);
    Ok(match row.get_ref(last)? {
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        ValueRef::Null | ValueRef::Real(_) | ValueRef::Blob(_) => "of unknown key".to_owned(),
    })
}
