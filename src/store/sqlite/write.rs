//! Transactions: each is checked against the fence first, and rolled back whole on any error.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::failure::Failure;
use super::rows::{self, integer};
use super::save::{execute, save};
use super::tables::Tables;
use crate::session::Commit;
use crate::store::committed::Committed;
use crate::store::error::StoreError;
use crate::store::projection::project;

/// What became of a commit.
type Done = Result<Committed, StoreError>;

/// Makes this process the one that writes. Whoever did before is told so at its next commit.
pub(super) fn raise_epoch(connection: &mut Connection) -> Result<i64, Failure> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute("UPDATE store SET epoch = epoch + 1", [])?;
    let epoch = transaction.query_row("SELECT epoch FROM store", [], |row| row.get(0))?;
    transaction.commit()?;
    Ok(epoch)
}

/// Writes commits, with as few syncs of the disk as can be.
pub(super) fn commit_all(connection: &mut Connection, epoch: i64, commits: &[Commit]) -> Vec<Done> {
    if commits.len() > 1
        && let Ok(results) = together(connection, epoch, commits)
    {
        return results;
    }
    // Each for itself: one that the disk has no room for must not take the others with it.
    let alone = commits.iter().map(|each| commit(connection, epoch, each));
    alone.map(|result| result.map_err(StoreError::from)).collect()
}

pub(super) fn commit(connection: &mut Connection, epoch: i64, commit: &Commit) -> Result<Committed, Failure> {
    let (transaction, mut last_place) = begin(connection, epoch)?;
    let committed = apply(&transaction, &mut last_place, commit)?;
    transaction.commit()?;
    Ok(committed)
}

/// Writes several commits in one transaction. Each of them is written or refused for itself; an error of the storage
/// is everybody's.
fn together(connection: &mut Connection, epoch: i64, commits: &[Commit]) -> Result<Vec<Done>, Failure> {
    let (mut transaction, mut last_place) = begin(connection, epoch)?;
    let mut results = Vec::new();
    for commit in commits {
        // What it wrote is taken back when it is dropped without a commit.
        let part = transaction.savepoint()?;
        let mut place = last_place;
        let result = apply(&part, &mut place, commit);
        if result.is_ok() {
            part.commit()?;
            last_place = place;
        } else if part.is_autocommit() {
            // SQLite has given up the whole transaction, as it does when the disk is full.
            return result.map(|_| Vec::new());
        }
        results.push(result.map_err(StoreError::from));
    }
    transaction.commit()?;
    Ok(results)
}

fn apply(connection: &Connection, last_place: &mut u64, commit: &Commit) -> Result<Committed, Failure> {
    let projected = project(commit, &Tables { connection, last_place: *last_place })?;
    save(connection, &projected)?;
    *last_place = projected.last_place;
    Ok(projected.committed)
}

/// Deletes the runs that ended before this time and are not to go on after it.
pub(super) fn prune(connection: &mut Connection, epoch: i64, ended_before: u64) -> Result<u64, Failure> {
    const OVER: &str = "FROM runs WHERE ended_at < ?1 AND (resume_at IS NULL OR resume_at < ?1)";
    let (transaction, _) = begin(connection, epoch)?;
    let before = [integer(ended_before)];
    // What somebody said and nobody has heard yet is not part of a run's history.
    let kept = format!("UPDATE prompts SET run = NULL WHERE taken = 0 AND run IN (SELECT id {OVER})");
    execute(&transaction, &kept, before)?;
    execute(&transaction, &format!("DELETE FROM prompts WHERE run IN (SELECT id {OVER})"), before)?;
    execute(&transaction, &format!("DELETE FROM attempts WHERE run IN (SELECT number {OVER})"), before)?;
    let runs = execute(&transaction, &format!("DELETE FROM runs WHERE id IN (SELECT id {OVER})"), before)?;
    transaction.commit()?;
    Ok(u64::try_from(runs).unwrap_or(u64::MAX))
}

/// A transaction that nobody else's can come between, and the last place in the common order.
pub(super) fn begin(connection: &mut Connection, epoch: i64) -> Result<(Transaction<'_>, u64), Failure> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let sql = "SELECT epoch, max(last_place, coalesce((SELECT max(place) FROM events), 0)) FROM store";
    let (present, last_place) = transaction
        .prepare_cached(sql)?
        .query_row([], |row| Ok((row.get::<_, i64>(0)?, rows::number(row, 1)?)))?;
    if present == epoch { Ok((transaction, last_place)) } else { Err(StoreError::TakenOver.into()) }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::super::migrate::{MIGRATIONS, migrate};
    use super::*;
    use crate::run::SessionId;
    use crate::session::{Change, NewMessage, NewSession, Role, SessionEvent};

    fn says(session: SessionId) -> Change {
        let (id, role, text) = (Uuid::nil(), Role::User, String::new());
        Change::message(NewMessage { session, id, role, text, at: 1, attempt: None, run: None })
    }

    fn begins(session: SessionId) -> Change {
        let (id, name, directory, agent) = (session, String::new(), "/".into(), String::new());
        let begun = NewSession { id, name, directory, agent, system_prompt: None, at: 1 };
        Change::session(session, 1, SessionEvent::Began(begun))
    }

    #[test]
    fn of_commits_that_are_written_together_each_is_written_or_refused_for_itself() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, MIGRATIONS).unwrap();
        let (ours, nobody) = (Uuid::from_u128(1).into(), Uuid::from_u128(2).into());
        let first = Commit { changes: vec![begins(ours), says(ours)] };
        let refused = Commit { changes: vec![says(ours), says(nobody)] };
        let last = Commit { changes: vec![says(ours)] };
        let results = commit_all(&mut connection, 0, &[first, refused, last.clone()]);
        let offsets =
            |done: &Done| done.as_ref().map(|it| it.messages().next().unwrap().offset).map_err(Clone::clone);
        let missing = StoreError::Missing { kind: "session", id: nobody.to_string() };
        assert_eq!(results.iter().map(offsets).collect::<Vec<_>>(), [Ok(0), Err(missing), Ok(1)]);
        let kept: i64 = connection.query_row("SELECT count(*) FROM messages", [], |row| row.get(0)).unwrap();
        assert_eq!(kept, 2);
        let too_late = commit_all(&mut connection, 7, &[last.clone(), last]);
        assert_eq!(too_late, vec![Err(StoreError::TakenOver); 2]);
    }
}
