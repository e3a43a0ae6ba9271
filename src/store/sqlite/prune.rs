//! Deleting old sessions, and returning their space to the file system.

use std::sync::Mutex;

use rusqlite::Connection;

use super::failure::Failure;
use super::hold::hold;
use super::rows::{self, integer};
use super::{save, texts, write};
use crate::run::{AttemptId, SessionId};
use crate::store::Pruned;

/// Deleting a session searches for its rows. These two tables have no index for that, because every
/// turn would pay for it, so temporary ones are created while sessions are deleted.
const INDEXES: &str = "CREATE INDEX pruned_attempts ON attempts (session); \
                       CREATE INDEX pruned_prompts ON prompts (session);";
const NO_INDEXES: &str = "DROP INDEX pruned_attempts; DROP INDEX pruned_prompts;";

/// How many free pages are returned in one transaction. Commits wait for one transaction, not for
/// all.
const PAGES_PER_TRANSACTION: i64 = 2000;

/// An older database is vacuumed if at least one page in this many is free.
const MIN_FREE_SHARE: i64 = 8;

/// `PRAGMA auto_vacuum = INCREMENTAL`: free pages can be returned a few at a time.
pub(super) const INCREMENTAL: i64 = 2;

/// Deletes the sessions that last changed before this time and have nothing open.
pub(super) fn sessions(
    connection: &mut Connection,
    epoch: i64,
    before: u64,
) -> Result<Pruned, Failure> {
    let (transaction, _) = write::begin(connection, epoch)?;
    let old: Vec<SessionId> = {
        let sql = "SELECT id FROM sessions WHERE changed_at < ?1 \
             AND id NOT IN (SELECT session FROM runs WHERE ended_at IS NULL OR resume_at IS NOT NULL) \
             AND id NOT IN (SELECT session FROM prompts WHERE taken = 0) \
             AND number NOT IN (SELECT session FROM attempts WHERE run IS NULL AND chat_ended = 0) ORDER BY number";
        let mut statement = transaction.prepare_cached(sql)?;
        let ids = statement.query_map([integer(before)], |row| row.get::<_, Option<String>>(0))?;
        // A session with an unreadable id cannot be reported as deleted, so it stays.
        ids.filter_map(|id| id.ok()??.parse().ok()).collect()
    };
    let mut pruned = Pruned::default();
    if old.is_empty() {
        return Ok(pruned);
    }
    transaction.execute_batch(INDEXES)?;
    for session in old {
        let id = session.to_string();
        let count = "SELECT count(*) FROM runs WHERE session = ?1";
        pruned.runs +=
            transaction.prepare_cached(count)?.query_row([&id], |row| rows::number(row, 0))?;
        let attempts =
            "SELECT id FROM attempts WHERE session = (SELECT number FROM sessions WHERE id = ?1)";
        let mut statement = transaction.prepare_cached(attempts)?;
        let attempts = statement.query_map([&id], |row| rows::parsed::<AttemptId>(row, 0))?;
        pruned.attempts.extend(attempts.filter_map(Result::ok));
        // Foreign keys delete everything that belongs to the session.
        save::execute(&transaction, "DELETE FROM sessions WHERE id = ?1", [&id])?;
        pruned.sessions.push(session);
    }
    transaction.execute_batch(NO_INDEXES)?;
    texts::delete_unused(&transaction)?;
    transaction.commit()?;
    Ok(pruned)
}

/// Returns free pages to the file system. Returns the number of bytes.
pub(super) fn reclaim(writer: &Mutex<Connection>, epoch: i64) -> Result<u64, Failure> {
    let number =
        |name: &str| hold(writer).pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (page, before, free) =
        (number("page_size")?, number("page_count")?, number("freelist_count")?);
    // If another server has taken over, stop: it is responsible now.
    write::begin(&mut hold(writer), epoch)?.0.rollback()?;
    if number("auto_vacuum")? == INCREMENTAL {
        let mut left = free;
        while left > 0 {
            let sql = format!("PRAGMA incremental_vacuum({PAGES_PER_TRANSACTION})");
            // The pragma yields one row per freed page; `execute_batch` runs it to completion.
            hold(writer).execute_batch(&sql)?;
            let now = number("freelist_count")?;
            if now >= left {
                break;
            }
            left = now;
        }
    } else if free > 0 && free.saturating_mul(MIN_FREE_SHARE) >= before {
        // One full vacuum makes later incremental ones possible. It is atomic.
        hold(writer).execute_batch(&format!("PRAGMA auto_vacuum = {INCREMENTAL}; VACUUM"))?;
    } else {
        return Ok(0);
    }
    // The file itself shrinks at the next checkpoint.
    hold(writer).query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    let freed = (before - number("page_count")?).max(0).saturating_mul(page);
    Ok(u64::try_from(freed).unwrap_or(0))
}
