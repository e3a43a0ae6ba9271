//! Bringing a database to the schema that this version writes.

use rusqlite::{Connection, TransactionBehavior};

use super::failure::Failure;

/// Says whose database it is, in its header: "SURE".
pub(super) const APPLICATION: i32 = i32::from_be_bytes(*b"SURE");

/// The way from an empty database to the present schema. A change of the schema is one more entry; those that were
/// ever released stay as they are.
pub(super) const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_begin.sql"),
    include_str!("migrations/0002_system_prompts.sql"),
    include_str!("migrations/0003_session_commits.sql"),
    include_str!("migrations/0004_set_aside.sql"),
    include_str!("migrations/0005_repeated_prompts.sql"),
    include_str!("migrations/0006_delivered_messages.sql"),
];

/// The schema that this many migrations lead to.
pub(super) fn version(migrations: &[&str]) -> i64 {
    i64::try_from(migrations.len()).unwrap_or(i64::MAX)
}

/// Takes the steps that the database has not taken yet: all of them, or none.
pub(super) fn migrate(connection: &mut Connection, migrations: &[&str]) -> Result<(), Failure> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let at: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    for step in migrations.iter().skip(usize::try_from(at).unwrap_or(0)) {
        transaction.execute_batch(step)?;
    }
    if at < version(migrations) {
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", version(migrations))?;
    }
    transaction.commit()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open() -> Connection {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, MIGRATIONS).unwrap();
        connection
    }

    fn user_version(connection: &Connection) -> i64 {
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
    }

    fn with(step: &'static str) -> Vec<&'static str> {
        MIGRATIONS.iter().copied().chain([step]).collect()
    }

    #[test]
    fn a_later_step_is_taken_once_and_keeps_what_was_there() {
        let mut connection = open();
        connection.execute_batch("UPDATE store SET epoch = 7").unwrap();
        let longer = with("ALTER TABLE store ADD COLUMN motto TEXT NOT NULL DEFAULT 'why'");
        for _ in 0..2 {
            migrate(&mut connection, &longer).unwrap();
            let row =
                connection.query_row("SELECT epoch, motto FROM store", [], |r| Ok((r.get(0)?, r.get(1)?)));
            assert_eq!(row.unwrap(), (7, "why".to_owned()));
            assert_eq!(user_version(&connection), version(&longer));
        }
    }

    #[test]
    fn sessions_of_the_first_version_have_no_system_prompt() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, &MIGRATIONS[..1]).unwrap();
        let sql = "INSERT INTO sessions (id, name, directory, agent, created_at, changed_at) \
                   VALUES ('a', 'b', '/', 'c', 1, 1)";
        connection.execute_batch(sql).unwrap();
        migrate(&mut connection, MIGRATIONS).unwrap();
        let row = connection
            .query_row("SELECT name, system_prompt FROM sessions", [], |row| Ok((row.get(0)?, row.get(1)?)));
        assert_eq!(row, Ok(("b".to_owned(), None::<String>)));
    }

    #[test]
    fn a_step_that_fails_leaves_nothing_behind() {
        let mut connection = open();
        let broken = with("CREATE TABLE half (a); INSERT INTO nowhere VALUES (1);");
        migrate(&mut connection, &broken).unwrap_err();
        assert_eq!(user_version(&connection), version(MIGRATIONS));
        let halves: i64 = connection
            .query_row("SELECT count(*) FROM sqlite_master WHERE name = 'half'", [], |row| row.get(0))
            .unwrap();
        assert_eq!(halves, 0);
        migrate(&mut connection, &with("CREATE TABLE half (a);")).unwrap();
    }
}
