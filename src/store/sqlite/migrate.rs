//! Migrating a database to the current schema.

use rusqlite::{Connection, TransactionBehavior};

use super::failure::Failure;

/// The application id in the database's header: "SURE".
pub(super) const APPLICATION: i32 = i32::from_be_bytes(*b"SURE");

/// The steps from an empty database to the current schema. To change the schema, append a step;
/// released steps never change.
pub(super) const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_begin.sql"),
    include_str!("migrations/0002_system_prompts.sql"),
    include_str!("migrations/0003_session_commits.sql"),
    include_str!("migrations/0004_set_aside.sql"),
    include_str!("migrations/0005_repeated_prompts.sql"),
    include_str!("migrations/0006_delivered_messages.sql"),
    include_str!("migrations/0007_numbers_and_texts.sql"),
];

/// The schema version after these migrations.
pub(super) fn version(migrations: &[&str]) -> i64 {
    i64::try_from(migrations.len()).unwrap_or(i64::MAX)
}

/// Applies the missing migrations, atomically.
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
    fn a_later_migration_is_applied_once_and_keeps_existing_rows() {
        let mut connection = open();
        connection.execute_batch("UPDATE store SET epoch = 7").unwrap();
        let longer = with("ALTER TABLE store ADD COLUMN motto TEXT NOT NULL DEFAULT 'why'");
        for _ in 0..2 {
            migrate(&mut connection, &longer).unwrap();
            let row = connection
                .query_row("SELECT epoch, motto FROM store", [], |r| Ok((r.get(0)?, r.get(1)?)));
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
        let row = connection.query_row("SELECT name, system_prompt FROM sessions", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        });
        assert_eq!(row, Ok(("b".to_owned(), None::<String>)));
    }

    #[test]
    fn rows_that_referred_to_ids_refer_to_numbers_and_keep_their_values() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.pragma_update(None, "foreign_keys", true).unwrap();
        migrate(&mut connection, &MIGRATIONS[..5]).unwrap();
        connection
            .execute_batch(
                "INSERT INTO sessions (number, id, name, directory, agent, created_at, changed_at) \
                 VALUES (3, 's3', '', '/', '', 1, 1), (7, 's7', '', '/', '', 1, 1);
                 INSERT INTO runs (number, id, session, recipe, directory, agent, rehearsal, started_at, changed_at, \
                 step, steps, last_seq, cost_usd, attempt) \
                 VALUES (5, 'r5', 's7', '', '/', '', 0, 1, 1, '', 1, 2, 0.0, 'a1');
                 INSERT INTO events VALUES (4, 'r5', 1, 1, 'started', '{}'), (9, 'r5', 2, 1, 'turn_began', '{}');
                 INSERT INTO attempts (id, run, session, began_at) VALUES ('a1', 'r5', 's7', 1), ('a2', NULL, 's3', 1), \
                 ('a3', 'gone', 's3', 1);
                 INSERT INTO messages VALUES (2, 's7', 0, 'm', 'user', 'words', 1, 'a1', 'gone')",
            )
            .unwrap();
        migrate(&mut connection, MIGRATIONS).unwrap();
        let rows = |sql: &str| -> Vec<String> {
            let mut statement = connection.prepare(sql).unwrap();
            statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
        };
        assert_eq!(
            rows("SELECT concat_ws(' ', place, run, seq, event) FROM events"),
            ["4 5 1 started", "9 5 2 turn_began"]
        );
        assert_eq!(
            rows("SELECT concat_ws(' ', id, run, session) FROM attempts"),
            ["a1 5 7", "a2 3"]
        );
        assert_eq!(
            rows("SELECT concat_ws(' ', number, session, text, attempt, run) FROM messages"),
            ["2 7 words a1 gone"]
        );
        assert_eq!(
            rows("SELECT concat_ws(' ', session, \"offset\", text) FROM conversation"),
            ["s7 0 words"]
        );
        assert_eq!(
            rows("SELECT concat_ws(' ', run, event) FROM timeline"),
            ["r5 started", "r5 turn_began"]
        );
        assert_eq!(rows("SELECT \"table\" FROM pragma_foreign_key_check"), [""; 0]);
        connection.execute_batch("UPDATE runs SET ended_at = 1; DELETE FROM sessions").unwrap();
        assert_eq!(rows("SELECT cast(count(*) AS TEXT) FROM events"), ["0"]);
    }

    #[test]
    fn a_migration_that_fails_is_rolled_back() {
        let mut connection = open();
        let broken = with("CREATE TABLE half (a); INSERT INTO nowhere VALUES (1);");
        migrate(&mut connection, &broken).unwrap_err();
        assert_eq!(user_version(&connection), version(MIGRATIONS));
        let halves: i64 = connection
            .query_row("SELECT count(*) FROM sqlite_master WHERE name = 'half'", [], |row| {
                row.get(0)
            })
            .unwrap();
        assert_eq!(halves, 0);
        migrate(&mut connection, &with("CREATE TABLE half (a);")).unwrap();
    }
}
