//! Transactions: each checks the fencing token (the epoch) first, and is rolled back on any error.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::failure::Failure;
use super::rows::{self, integer};
use super::save::{execute, save};
use super::tables::Tables;
use crate::session::Commit;
use crate::store::committed::Committed;
use crate::store::error::StoreError;
use crate::store::projection::project;

/// The result of a commit.
type Done = Result<Committed, StoreError>;

/// Makes this process the only writer. The previous writer gets an error at its next commit.
pub(super) fn raise_epoch(connection: &mut Connection) -> Result<i64, Failure> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute("UPDATE store SET epoch = epoch + 1", [])?;
    let epoch = transaction.query_row("SELECT epoch FROM store", [], |row| row.get(0))?;
    transaction.commit()?;
    Ok(epoch)
}

/// Writes commits, with as few syncs as possible.
pub(super) fn commit_all(connection: &mut Connection, epoch: i64, commits: &[Commit]) -> Vec<Done> {
    if commits.len() > 1
        && let Ok(results) = commit_together(connection, epoch, commits)
    {
        return results;
    }
    // One by one: a commit that does not fit on the disk must not make the others fail.
    let alone = commits.iter().map(|each| commit(connection, epoch, each));
    alone.map(|result| result.map_err(StoreError::from)).collect()
}

pub(super) fn commit(
    connection: &mut Connection,
    epoch: i64,
    commit: &Commit,
) -> Result<Committed, Failure> {
    let (transaction, mut last_global_seq) = begin(connection, epoch)?;
    let committed = apply(&transaction, &mut last_global_seq, commit)?;
    transaction.commit()?;
    Ok(committed)
}

/// Writes several commits in one transaction. Each is accepted or refused on its own; a storage
/// error fails all of them.
fn commit_together(
    connection: &mut Connection,
    epoch: i64,
    commits: &[Commit],
) -> Result<Vec<Done>, Failure> {
    let (mut transaction, mut last_global_seq) = begin(connection, epoch)?;
    let mut results = Vec::new();
    for commit in commits {
        // Dropping the savepoint rolls it back.
        let part = transaction.savepoint()?;
        let mut new_last_seq = last_global_seq;
        let result = apply(&part, &mut new_last_seq, commit);
        if result.is_ok() {
            part.commit()?;
            last_global_seq = new_last_seq;
        } else if part.is_autocommit() {
            // SQLite has rolled back the whole transaction, as it does when the disk is full.
            return result.map(|_| Vec::new());
        }
        results.push(result.map_err(StoreError::from));
    }
    transaction.commit()?;
    Ok(results)
}

fn apply(
    connection: &Connection,
    last_global_seq: &mut u64,
    commit: &Commit,
) -> Result<Committed, Failure> {
    let projected = project(commit, &Tables { connection, last_global_seq: *last_global_seq })?;
    save(connection, &projected)?;
    *last_global_seq = projected.last_global_seq;
    Ok(projected.committed)
}

/// Deletes the runs that ended before this time and do not resume after it.
pub(super) fn prune(
    connection: &mut Connection,
    epoch: i64,
    ended_before: u64,
) -> Result<u64, Failure> {
    const OLD_RUNS: &str =
        "FROM runs WHERE ended_at < ?1 AND (resume_at IS NULL OR resume_at < ?1)";
    let (transaction, _) = begin(connection, epoch)?;
    let before = [integer(ended_before)];
    // A queued prompt is not part of a run's history, so it stays.
    let kept =
        format!("UPDATE prompts SET run = NULL WHERE taken = 0 AND run IN (SELECT id {OLD_RUNS})");
    execute(&transaction, &kept, before)?;
    execute(
        &transaction,
        &format!("DELETE FROM prompts WHERE run IN (SELECT id {OLD_RUNS})"),
        before,
    )?;
    execute(
        &transaction,
        &format!("DELETE FROM attempts WHERE run IN (SELECT number {OLD_RUNS})"),
        before,
    )?;
    let runs = execute(
        &transaction,
        &format!("DELETE FROM runs WHERE id IN (SELECT id {OLD_RUNS})"),
        before,
    )?;
    transaction.commit()?;
    Ok(u64::try_from(runs).unwrap_or(u64::MAX))
}

/// Begins an exclusive transaction. Returns it with the last global sequence number.
pub(super) fn begin(
    connection: &mut Connection,
    epoch: i64,
) -> Result<(Transaction<'_>, u64), Failure> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let sql =
        "SELECT epoch, max(last_place, coalesce((SELECT max(place) FROM events), 0)) FROM store";
    let (current, last_global_seq) = transaction
        .prepare_cached(sql)?
        .query_row([], |row| Ok((row.get::<_, i64>(0)?, rows::number(row, 1)?)))?;
    if current == epoch {
        Ok((transaction, last_global_seq))
    } else {
        Err(StoreError::TakenOver.into())
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::super::migrate::{MIGRATIONS, migrate};
    use super::*;
    use crate::run::SessionId;
    use crate::session::{Change, NewMessage, NewSession, Role, SessionEvent};

    fn message(session: SessionId) -> Change {
        let (id, role, text) = (Uuid::nil(), Role::User, String::new());
        Change::message(NewMessage { session, id, role, text, at: 1, attempt: None, run: None })
    }

    fn begins(session: SessionId) -> Change {
        let (id, name, directory, agent) = (session, String::new(), "/".into(), String::new());
        let begun = NewSession { id, name, directory, agent, system_prompt: None, at: 1 };
        Change::session(session, 1, SessionEvent::Began(begun))
    }

    #[test]
    fn commits_in_one_transaction_are_accepted_or_refused_one_by_one() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, MIGRATIONS).unwrap();
        let (known, unknown) = (Uuid::from_u128(1).into(), Uuid::from_u128(2).into());
        let first = Commit { changes: vec![begins(known), message(known)] };
        let refused = Commit { changes: vec![message(known), message(unknown)] };
        let last = Commit { changes: vec![message(known)] };
        let results = commit_all(&mut connection, 0, &[first, refused, last.clone()]);
        let offsets = |done: &Done| {
            done.as_ref().map(|it| it.messages().next().unwrap().offset).map_err(Clone::clone)
        };
        let missing = StoreError::Missing { kind: "session", id: unknown.to_string() };
        assert_eq!(results.iter().map(offsets).collect::<Vec<_>>(), [Ok(0), Err(missing), Ok(1)]);
        let kept: i64 =
            connection.query_row("SELECT count(*) FROM messages", [], |row| row.get(0)).unwrap();
        assert_eq!(kept, 2);
        let stale = commit_all(&mut connection, 7, &[last.clone(), last]);
        assert_eq!(stale, vec![Err(StoreError::TakenOver); 2]);
    }
}
