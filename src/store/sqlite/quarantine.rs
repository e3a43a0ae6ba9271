//! Quarantining unreadable runs, so that they block neither their session nor a server's start.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use super::failure::{Failure, is_unreadable};
use super::rows::{self, RECORDED, RUN};
use super::{save, write};
use crate::run::RunId;
use crate::store::projection::missing;
use crate::{ExitReason, Registry};

/// Quarantines a run. It counts as ended, because open runs are found by their missing end.
pub(super) fn quarantine(
    connection: &mut Connection,
    epoch: i64,
    run: RunId,
    why: &str,
) -> Result<(), Failure> {
    let (transaction, _) = write::begin(connection, epoch)?;
    let sql = "SELECT number FROM runs WHERE id = ?1";
    let number = transaction.query_row(sql, [run.to_string()], |row| row.get(0)).optional()?;
    mark(&transaction, number.ok_or_else(|| missing("run", &run))?, why)?;
    transaction.commit()?;
    Ok(())
}

fn mark(connection: &Connection, number: i64, why: &str) -> Result<(), Failure> {
    let sql = "UPDATE runs SET set_aside = ?2, ended_at = coalesce(ended_at, changed_at), reason = ?3, \
               resume_at = NULL, attempt = NULL WHERE number = ?1";
    save::execute(connection, sql, (number, why, ExitReason::StorageError.definition().code))?;
    Ok(())
}

/// Quarantines the open runs that cannot be read, which would keep an engine from starting. Ended
/// ones report their error when they are read.
pub(super) fn quarantine_unreadable(connection: &mut Connection) -> Result<(), Failure> {
    let open: Vec<(i64, String)> = {
        let sql = "SELECT number, CAST(id AS BLOB) FROM runs WHERE ended_at IS NULL";
        let mut statement = connection.prepare(sql)?;
        let row = |row: &rusqlite::Row<'_>| {
            let id: Vec<u8> = row.get(1)?;
            Ok((row.get(0)?, String::from_utf8_lossy(&id).into_owned()))
        };
        statement.query_map([], row)?.collect::<Result<_, _>>()?
    };
    let mut unreadable = Vec::new();
    for (number, id) in open {
        if let Some(why) = problem(connection, number)? {
            tracing::error!(run = %id.escape_debug(), row = number, why, "quarantined a run that cannot be read");
            unreadable.push((number, why));
        }
    }
    if !unreadable.is_empty() {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for (number, why) in unreadable {
            mark(&transaction, number, &why)?;
        }
        transaction.commit()?;
    }
    Ok(())
}

/// What is unreadable in a run: its own row, or its first unreadable event.
fn problem(connection: &Connection, number: i64) -> Result<Option<String>, Failure> {
    let sql = format!("SELECT {RUN} FROM runs WHERE number = ?1");
    let read = connection.prepare_cached(&sql)?.query_row([number], |row| rows::run(row).map(drop));
    match read {
        Err(error) if is_unreadable(&error) => return Ok(Some(format!("its row: {error}"))),
        read => read?,
    }
    let sql = format!(
        "SELECT {RECORDED} FROM runs JOIN events ON events.run = runs.number WHERE runs.number = ?1 ORDER BY events.seq"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut events = statement.query([number])?;
    let mut seen = 0_u64;
    while let Some(row) = events.next()? {
        seen += 1;
        match rows::recorded(row) {
            Err(error) if is_unreadable(&error) => {
                return Ok(Some(format!("its event {seen}: {error}")));
            }
            read => drop(read?),
        }
    }
    Ok(None)
}
