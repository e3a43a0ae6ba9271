//! What the SQLite store guarantees in addition: it is durable, excludes other servers, and reports
//! what is wrong with the files that it finds.

use std::fs;
use std::io::{BufRead, BufReader, Lines, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use surefire::store::{
    Change, Holder, NewMessage, ProcessRecord, RunFilter, SessionRecord, Sqlite, SqliteOptions,
    Store, StoreError,
};
use surefire_testkit::fixtures::{
    attempt, began, chat_begins, chat_ends, commit, ends, ends_until, events, everything, expects,
    message, messages_of, moved, new_session, opens, prompt, queued, queues, replied, resumes, run,
    says, session, started, switches,
};
use tempfile::TempDir;

/// The environment variable with the data directory, for a child process that a test starts from
/// this executable.
const CHILD: &str = "SUREFIRE_STORE_CHILD";

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn database(folder: &TempDir) -> PathBuf {
    folder.path().join("surefire.db")
}

fn open(folder: &TempDir) -> Sqlite {
    let opened = Sqlite::open(folder.path()).unwrap();
    assert_eq!(opened.quarantined, None);
    opened.store
}

/// Commits enough to fill many pages.
fn fill(store: &dyn Store) {
    commit(store, [new_session(7, 1), events(7, 0, [started(7, 7), began(700)], 1)]).unwrap();
    for n in 0..60 {
        let text = format!("{n} {}", "x".repeat(2_000));
        let said = Change::message(NewMessage { text, ..message(7, n, 2) });
        let seq = 2 + 2 * u64::try_from(n).unwrap();
        commit(store, [said, events(7, seq, [replied(700 + n, Some(0.1)), began(701 + n)], 2)])
            .unwrap();
    }
}

#[test]
fn everything_committed_is_there_after_reopening() {
    let folder = folder();
    let store = open(&folder);
    fill(&store);
    commit(&store, [events(7, 122, [queues(1), ends_until(900)], 3)]).unwrap();
    commit(&store, [new_session(2, 5), events(2, 0, [started(2, 2), began(99)], 6)]).unwrap();
    let process = ProcessRecord { pid: 4711, started: "then".into() };
    commit(&store, [Change::Spawned { attempt: attempt(99), process }]).unwrap();
    commit(&store, [queued(2, 2, "later", 7), switches(2, false), opens(7)]).unwrap();
    let before = everything(&store).unwrap();
    drop(store);

    let store = open(&folder);
    assert_eq!(everything(&store).unwrap(), before);
    commit(&store, [events(7, 124, [resumes()], 8)]).unwrap();
}

#[test]
fn a_data_directory_has_one_server() {
    let folder = folder();
    let store = open(&folder);
    let holder = |error| match error {
        StoreError::Held { path, holder } if path == folder.path() => holder,
        other => panic!("{other}"),
    };
    let pid = std::process::id();
    let known = |address: Option<&str>, key_file: Option<&str>| Holder {
        pid: Some(pid),
        address: address.map(str::to_owned),
        key_file: key_file.map(PathBuf::from),
    };
    assert_eq!(holder(Sqlite::open(folder.path()).unwrap_err()), known(None, None));
    store.announce("ws://127.0.0.1:7777", Some(Path::new("/home/me/the key"))).unwrap();
    let whole = known(Some("ws://127.0.0.1:7777"), Some("/home/me/the key"));
    assert_eq!(Sqlite::holder(folder.path()), Ok(Some(whole.clone())));
    assert_eq!(holder(Sqlite::open(folder.path()).unwrap_err()), whole);
    let error = Sqlite::open(folder.path()).unwrap_err();
    let words = error.to_string();
    assert!(
        words
            .contains(&format!("in use by the server with pid {pid} at ws://127.0.0.1:7777; stop")),
        "{words}"
    );
    commit(&store, [new_session(1, 1)]).unwrap();
    drop(store);
    assert_eq!(Sqlite::holder(folder.path()), Ok(None));
    open(&folder);
}

#[test]
fn asking_which_server_holds_a_directory_creates_nothing() {
    let folder = folder();
    let missing = folder.path().join("data");
    assert_eq!(Sqlite::holder(&missing), Ok(None));
    assert!(!missing.exists());
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    assert_eq!(Sqlite::holder(&file), Ok(None), "opening it reports the problem");
}

#[test]
fn a_lock_file_with_unknown_content_counts_as_held() {
    let folder = folder();
    let _store = open(&folder);
    for contents in [&b"\xff\xfe"[..], b"pid 1 or so\n", " ".repeat(100_000).as_bytes()] {
        fs::write(folder.path().join("lock"), contents).unwrap();
        let words = Sqlite::open(folder.path()).unwrap_err().to_string();
        assert!(words.contains("in use by another server; stop"), "{words}");
    }
}

#[test]
fn a_second_process_is_excluded_until_the_first_is_killed() {
    let folder = folder();
    let child = Server::start(&folder).commits(3);
    match Sqlite::open(folder.path()).unwrap_err() {
        StoreError::Held { holder, .. } => {
            assert_eq!(holder.to_string(), format!("the server with pid {}", child.process.id()));
        }
        other => panic!("{other}"),
    }
    child.kill();
    assert!(open(&folder).session(session(1)).unwrap().is_some());
}

#[test]
fn a_kill_loses_no_acknowledged_commit_and_duplicates_none() {
    let folder = folder();
    for kill in 1..=10_u64 {
        let acknowledged = Server::start(&folder).commits(kill * 7).kill();
        let store = open(&folder);
        let (session, run) =
            (store.session(session(1)).unwrap().unwrap(), store.run(run(1)).unwrap().unwrap());
        let (messages, events) =
            (store.messages(session.id, 0, 9999).unwrap(), store.events(run.id, 0, 9999).unwrap());
        // The commit that was being written when the process was killed is there completely or not
        // at all.
        assert!(
            [acknowledged, acknowledged + 1].contains(&session.messages),
            "{acknowledged} {session:?}"
        );
        assert_eq!(run.last_seq, 1 + session.messages);
        assert_eq!(messages.len() as u64, session.messages);
        for (n, message) in (0..).zip(&messages) {
            assert_eq!((message.offset, message.text.as_str()), (n, format!("words {n}").as_str()));
        }
        assert_eq!(
            events.iter().map(|it| it.seq).collect::<Vec<_>>(),
            (1..=run.last_seq).collect::<Vec<_>>()
        );
        assert!(events.iter().zip(events.iter().skip(1)).all(|(a, b)| a.global_seq < b.global_seq));
    }
}

#[test]
fn a_full_store_keeps_what_it_has_and_accepts_commits_when_there_is_room() {
    let folder = folder();
    let store = SqliteOptions::default().max_size(600_000).open(folder.path()).unwrap().store;
    commit(&store, [new_session(1, 1), events(1, 0, [started(1, 1), began(1)], 1)]).unwrap();
    let large = |n| Change::message(NewMessage { text: "x".repeat(20_000), ..message(1, n, 1) });
    let written = (0..).take_while(|n| match commit(&store, [large(*n), says(1, 1000 + n, 1)]) {
        Ok(_) => true,
        Err(StoreError::Full) => false,
        Err(other) => panic!("{other}"),
    });
    let written = written.count() as u64;
    assert!((10..30).contains(&written), "{written}");
    let before = everything(&store).unwrap();
    assert_eq!(store.session(session(1)).unwrap().unwrap().messages, 2 * written);
    assert_eq!(commit(&store, [large(500)]), Err(StoreError::Full));
    // A commit that needs no room, such as the end of the run, is still accepted.
    commit(&store, [events(1, 2, [ends("storage-error")], 2)]).unwrap();
    assert_ne!(everything(&store).unwrap(), before);
    drop(store);

    let store = SqliteOptions::default().max_size(60_000_000).open(folder.path()).unwrap().store;
    let next = commit(&store, [large(500)]).unwrap();
    assert_eq!(messages_of(&next)[0].offset, 2 * written);
    assert_eq!(store.messages(session(1), 0, 9999).unwrap().len() as u64, 2 * written + 1);
}

#[test]
fn a_damaged_database_is_quarantined_and_never_deleted() {
    let healthy = folder();
    fill(&open(&healthy));
    let bytes = fs::read(database(&healthy)).unwrap();
    let (pages, middle) = (bytes.len() / 4096, bytes.len() / 2);
    assert!(pages > 60, "{pages}");
    let overwritten = |at: usize, with: &[u8]| {
        let mut bytes = bytes.clone();
        bytes[at..at + with.len()].copy_from_slice(with);
        bytes
    };
    let mut table = vec![
        (
            "garbage".to_owned(),
            b"no database at all, but some text that stands in its place".repeat(99),
        ),
        ("one byte".to_owned(), vec![b'x']),
        ("a few bytes".to_owned(), bytes[..100].to_vec()),
        ("most of the first page".to_owned(), bytes[..2000].to_vec()),
        ("the first page alone".to_owned(), bytes[..4096].to_vec()),
        ("half".to_owned(), bytes[..middle].to_vec()),
        ("half a page missing".to_owned(), bytes[..bytes.len() - 2048].to_vec()),
        ("another beginning".to_owned(), overwritten(0, b"SQLite format 4")),
        ("another page size".to_owned(), overwritten(16, &[0xff, 0xff])),
    ];
    for page in (1..pages).step_by(9) {
        table.push((format!("page {page} of noise"), overwritten(page * 4096, &[0xa5; 4096])));
        table.push((format!("page {page} of nothing"), overwritten(page * 4096, &[0; 4096])));
    }
    for (what, damaged) in table {
        let folder = folder();
        fs::write(database(&folder), &damaged).unwrap();
        let opened = Sqlite::open(folder.path()).unwrap();
        let quarantined = opened.quarantined.unwrap_or_else(|| panic!("{what} was not noticed"));
        assert_eq!(fs::read(&quarantined.path).unwrap(), damaged, "{what}");
        let name = quarantined.path.file_name().unwrap().to_str().unwrap();
        let stamp = name.strip_prefix("surefire.db.damaged-").unwrap_or_else(|| panic!("{name}"));
        assert!(stamp.len() == 15 && stamp.as_bytes()[8] == b'-', "{name}");
        assert!(!quarantined.why.is_empty());
        assert_eq!(opened.store.session_count(), Ok(0), "{what}");
        fill(&opened.store);
        drop(opened.store);
        assert_eq!(open(&folder).session_count(), Ok(1), "{what}");
    }
}

#[test]
fn damaged_databases_do_not_overwrite_each_other() {
    let folder = folder();
    let mut paths = Vec::new();
    for n in 0..3_u8 {
        fs::write(database(&folder), vec![n + 1; 5000]).unwrap();
        paths.push(Sqlite::open(folder.path()).unwrap().quarantined.unwrap().path);
    }
    for (n, path) in (0..).zip(&paths) {
        assert_eq!(fs::read(path).unwrap(), vec![n + 1; 5000], "{}", path.display());
    }
}

#[test]
fn the_log_of_a_damaged_database_is_quarantined_with_it() {
    let folder = folder();
    fill(&open(&folder));
    let mut bytes = fs::read(database(&folder)).unwrap();
    Server::start(&folder).commits(5).kill();
    let log = fs::read(log_of(&database(&folder))).unwrap();
    assert!(log.len() > 5 * 4096);
    let middle = bytes.len() / 2 / 4096 * 4096;
    bytes[middle..middle + 4096].fill(0xa5);
    fs::write(database(&folder), &bytes).unwrap();

    let opened = Sqlite::open(folder.path()).unwrap();
    let quarantined = opened.quarantined.unwrap().path;
    assert_eq!(fs::read(&quarantined).unwrap(), bytes);
    assert_eq!(fs::read(log_of(&quarantined)).unwrap(), log);
    assert_eq!(opened.store.session_count(), Ok(0), "a new database does not read an old log");
}

#[test]
fn commits_in_the_log_survive_a_damaged_database() {
    let folder = folder();
    let acknowledged = Server::start(&folder).commits(20).kill();
    fs::write(database(&folder), vec![b'x'; 4096]).unwrap();
    assert!(open(&folder).session(session(1)).unwrap().unwrap().messages >= acknowledged);
}

fn log_of(database: &Path) -> PathBuf {
    PathBuf::from(format!("{}-wal", database.display()))
}

#[test]
fn an_empty_file_is_a_new_database() {
    let folder = folder();
    fs::write(database(&folder), "").unwrap();
    assert_eq!(open(&folder).session_count(), Ok(0));
}

#[test]
fn a_newer_database_is_left_alone() {
    let folder = folder();
    fill(&open(&folder));
    let other = Connection::open(database(&folder)).unwrap();
    other.pragma_update(None, "user_version", 99).unwrap();
    drop(other);
    let bytes = fs::read(database(&folder)).unwrap();
    for _ in 0..2 {
        let error = Sqlite::open(folder.path()).unwrap_err();
        assert_eq!(error, StoreError::Newer { path: database(&folder), found: 99, known: 7 });
        assert!(
            error.to_string().ends_with("use the newer surefire, or another data directory"),
            "{error}"
        );
    }
    assert_eq!(fs::read(database(&folder)).unwrap(), bytes);
}

/// Writes the rows of a current database as the first version would have written them.
const INTO_THE_FIRST_VERSION: &str = r#"
    PRAGMA application_id = 0x53555245; PRAGMA user_version = 1;
    UPDATE store SET (epoch, last_place, orchestration) =
        (SELECT epoch, last_place, orchestration FROM present.store);
    INSERT INTO sessions
    SELECT number, id, name, directory, agent, created_at, changed_at, messages, last_message_at, opened, orchestration
    FROM present.sessions;
    INSERT INTO messages
    SELECT said.number, sessions.id, said."offset", said.id, said.role, coalesce(said.text, texts.text), said.at,
        said.attempt, said.run
    FROM present.messages AS said JOIN sessions ON sessions.number = said.session
    LEFT JOIN present.texts ON texts.number = said.said;
    INSERT INTO runs
    SELECT number, id, session, recipe, directory, agent, rehearsal, continues, started_at, changed_at, step, steps,
        last_seq, cost_usd, attempt, ended_at, reason, resume_at, ending
    FROM present.runs;
    INSERT INTO events
    SELECT happened.place, runs.id, happened.seq, happened.at, happened.event, happened.body
    FROM present.events AS happened JOIN runs ON runs.number = happened.run;
    INSERT INTO attempts
    SELECT turn.id, runs.id, sessions.id, turn.prompt, turn.began_at, turn.pid, turn.process_started, turn.chat_ended
    FROM present.attempts AS turn JOIN sessions ON sessions.number = turn.session
    LEFT JOIN runs ON runs.number = turn.run;
    INSERT INTO prompts SELECT number, id, session, run, text, at, taken FROM present.prompts;
"#;

#[test]
fn a_database_of_the_first_version_opens_with_all_its_data() {
    let folder = folder();
    let before = {
        let store = open(&folder);
        fill(&store);
        (
            store.sessions(999).unwrap(),
            store.events_of_all(0, 999).unwrap(),
            store.messages(session(7), 0, 999),
        )
    };
    let present = folder.path().join("present.db");
    fs::rename(database(&folder), &present).unwrap();
    let first = Connection::open(database(&folder)).unwrap();
    first.execute_batch(include_str!("../../src/store/sqlite/migrations/0001_begin.sql")).unwrap();
    first.execute("ATTACH ?1 AS present", [present.to_str().unwrap()]).unwrap();
    first.execute_batch(INTO_THE_FIRST_VERSION).unwrap();
    drop(first);
    let store = open(&folder);
    let without = |known: &SessionRecord| SessionRecord { system_prompt: None, ..known.clone() };
    assert_eq!(store.sessions(999).unwrap(), before.0.iter().map(without).collect::<Vec<_>>());
    assert_eq!(store.events_of_all(0, 999).unwrap(), before.1);
    assert_eq!(store.messages(session(7), 0, 999), before.2);
    commit(&store, [new_session(9, 1)]).unwrap();
    assert!(store.session(session(9)).unwrap().unwrap().system_prompt.is_some());
}

/// The lines of a text without the values that begin with one of these lines, each up to the line
/// that closes it.
fn without_values<'t>(text: &'t str, begin: &[&str]) -> Vec<&'t str> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut inside = None;
    let is_outside = |line: &&str| match inside {
        Some(depth) => {
            if indent(line) == depth {
                inside = None;
            }
            false
        }
        None if begin.contains(&line.trim()) => {
            inside = Some(indent(line));
            false
        }
        None => true,
    };
    text.lines().filter(is_outside).collect()
}

#[test]
fn a_store_that_the_previous_version_wrote_opens_and_can_be_written() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/store/before_0003");
    let folder = folder();
    fs::copy(fixture.join("surefire.db"), database(&folder)).unwrap();
    assert_eq!(
        Sqlite::inspect(folder.path()),
        Ok(None),
        "it cannot be inspected before it is migrated"
    );
    let store = open(&folder);
    assert_eq!(Sqlite::inspect(folder.path()), Ok(Some(vec![])));
    // The fixture is what the previous version read in it. That version had none of these fields.
    let before = fs::read_to_string(fixture.join("everything.txt")).unwrap();
    let new = [
        "commits: 0,",
        "withdrawn: [],",
        "again: false,",
        "exceeded: None,",
        "instead_of: None,",
        "delivered: true,",
        "allow_tools: [],",
        "cause: Reply,",
        "verify_time: 1800s,",
        "worktree: None,",
        "findings: [],",
        "graph: None,",
        "script: None,",
    ];
    let is_old = |line: &&str| !new.contains(&line.trim());
    let now = everything(&store).unwrap();
    let mut lines = without_values(
        &now,
        &["permits: Permits {", "project: Project {", "prompts: ChangedPrompts {"],
    );
    // A prompt's number is new too, and follows another new field; other numbers are old.
    lines.dedup_by(|line, before| {
        before.trim() == "again: false," && line.trim().starts_with("number: ")
    });
    lines.retain(is_old);
    // That version also had other names for these types and fields; the store contains no such
    // name.
    let renamed = [
        ("EventRecord {", "Recorded {"),
        ("ProcessRecord {", "Process {"),
        ("QueuedPromptRecord {", "Waiting {"),
        ("SessionRecord {", "Session {"),
        ("global_seq: ", "place: "),
        ("max_retries: ", "reasks: "),
        ("spent: Usage {", "spent: Spent {"),
        ("task: ", "about: "),
        ("redeliver: ", "unheard: "),
        ("purpose: Deliver {", "purpose: Pass {"),
    ];
    let lines = lines.iter().map(|line| {
        let (text, indent) = (line.trim_start(), line.len() - line.trim_start().len());
        let before = renamed.iter().find_map(|(now, before)| {
            text.strip_prefix(now).map(|rest| format!("{}{before}{rest}", " ".repeat(indent)))
        });
        before.unwrap_or_else(|| (*line).to_owned())
    });
    assert_eq!(lines.collect::<Vec<_>>(), before.lines().collect::<Vec<_>>());

    // The open turn is answered, the paused run resumes, and the chat ends; a new run and a new
    // chat begin.
    commit(
        &store,
        [expects(1, 0), events(2, 5, [replied(3, Some(0.1)), moved("fix", 2), began(20)], 700)],
    )
    .unwrap();
    commit(&store, [expects(2, 0), events(3, 4, [resumes(), began(21)], 700)]).unwrap();
    commit(&store, [expects(3, 0), chat_ends(7, 3, true), says(3, 20, 700)]).unwrap();
    commit(&store, [chat_begins(22, 3, 6, 701)]).unwrap();
    let next = commit(&store, [switches(4, true), events(10, 0, [started(10, 5)], 702)]).unwrap();
    assert_eq!(
        next.events().next().unwrap().global_seq,
        37,
        "the previous version numbered 31 events"
    );
    let queued: Vec<_> =
        store.queued_prompts(session(3)).unwrap().iter().map(|it| it.prompt).collect();
    assert_eq!(queued, [7, 9].map(prompt));
    assert_eq!(store.orchestration(Some(session(4))), Ok(true));
    assert_eq!(store.open_attempts().unwrap().len(), 4);
    let after = everything(&store).unwrap();
    drop(store);
    assert_eq!(everything(&open(&folder)).unwrap(), after);
}

#[test]
fn another_programs_database_is_left_alone() {
    for (application, table) in [(0, true), (0x1234, true), (0x1234, false)] {
        let folder = folder();
        let other = Connection::open(database(&folder)).unwrap();
        other.pragma_update(None, "application_id", application).unwrap();
        if table {
            other.execute_batch("CREATE TABLE bookmarks (url TEXT)").unwrap();
        }
        drop(other);
        let bytes = fs::read(database(&folder)).unwrap();
        let error = Sqlite::open(folder.path()).unwrap_err();
        assert_eq!(error, StoreError::Foreign { path: database(&folder) });
        assert!(error.to_string().contains("move it away"), "{error}");
        assert_eq!(fs::read(database(&folder)).unwrap(), bytes);
    }
}

#[test]
fn a_locked_database_is_an_error_after_the_timeout() {
    let folder = folder();
    fill(&open(&folder));
    let options = SqliteOptions::default().busy_timeout(Duration::from_millis(50));
    let other = Connection::open(database(&folder)).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    assert_eq!(options.open(folder.path()).unwrap_err(), StoreError::Locked);
    other.execute_batch("COMMIT").unwrap();

    let store = options.open(folder.path()).unwrap().store;
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let before = everything(&store).unwrap();
    assert_eq!(commit(&store, [new_session(2, 1)]), Err(StoreError::Locked));
    assert_eq!(store.prune(9), Err(StoreError::Locked));
    assert_eq!(everything(&store).unwrap(), before, "reads do not wait for the lock");
    other.execute_batch("COMMIT").unwrap();
    commit(&store, [new_session(2, 1)]).unwrap();

    drop(store);
    other.pragma_update(None, "locking_mode", "exclusive").unwrap();
    other.execute_batch("BEGIN IMMEDIATE; COMMIT").unwrap();
    assert_eq!(options.open(folder.path()).unwrap_err(), StoreError::Locked);
    drop(other);
    options.open(folder.path()).unwrap();
}

#[test]
fn a_server_that_lost_its_directory_to_another_cannot_write() {
    let folder = folder();
    let first = open(&folder);
    commit(&first, [new_session(1, 1)]).unwrap();
    // A user deletes the lock file, against all advice.
    fs::remove_file(folder.path().join("lock")).unwrap();
    let second = open(&folder);
    assert_eq!(commit(&first, [new_session(2, 1)]), Err(StoreError::TakenOver));
    assert_eq!(first.prune(9), Err(StoreError::TakenOver));
    commit(&second, [new_session(3, 1)]).unwrap();
    assert_eq!(second.session_count(), Ok(2));
}

#[test]
fn a_data_directory_that_cannot_be_used_is_reported_with_its_path() {
    let folder = folder();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    for path in [file.clone(), file.join("below")] {
        let error = Sqlite::open(&path).unwrap_err();
        let words = error.to_string();
        assert!(matches!(error, StoreError::Directory { .. }), "{words}");
        assert!(
            words.starts_with(&format!("the data directory `{}` cannot be used: ", path.display())),
            "{words}"
        );
    }
    assert_eq!(fs::read(&file).unwrap(), b"");
}

#[test]
fn only_the_owner_can_read_any_of_it() {
    let folder = folder();
    let data = folder.path().join("new").join("data");
    let child = Server::start_in(&data, "umask 0; exec \"$0\" \"$@\"").commits(1);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&data), mode(data.parent().unwrap())), (0o700, 0o700));
    let mut files: Vec<_> = fs::read_dir(&data).unwrap().map(|it| it.unwrap().path()).collect();
    files.sort();
    let names: Vec<_> = files.iter().map(|it| it.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["lock", "surefire.db", "surefire.db-shm", "surefire.db-wal"]);
    for file in &files {
        assert_eq!(mode(file), 0o600, "{}", file.display());
    }
    child.kill();

    fs::set_permissions(data.join("surefire.db"), fs::Permissions::from_mode(0o644)).unwrap();
    let _store = Sqlite::open(&data).unwrap();
    assert_eq!(mode(&data.join("surefire.db")), 0o600);
}

#[test]
fn users_can_query_it_while_it_is_open() {
    let folder = folder();
    let store = open(&folder);
    let all =
        [started(1, 1), began(1), replied(1, Some(0.5)), moved("fix", 2), ends("task-committed")];
    commit(&store, [new_session(1, 1), events(1, 0, all, 1_750_000_000_123)]).unwrap();
    let reader =
        Connection::open_with_flags(store.path(), OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let texts = |sql: &str| -> Vec<String> {
        let mut statement = reader.prepare(sql).unwrap();
        let columns = statement.column_count();
        let row = |row: &rusqlite::Row<'_>| {
            let text = |column| row.get::<_, Option<String>>(column).map(Option::unwrap_or_default);
            (0..columns).map(text).collect::<Result<Vec<_>, _>>().map(|texts| texts.join("|"))
        };
        statement.query_map([], row).unwrap().map(Result::unwrap).collect()
    };
    assert_eq!(
        texts("SELECT time, event, step, what FROM timeline"),
        [
            "2025-06-15 15:06:40.123|started|implement|",
            "2025-06-15 15:06:40.123|turn_began|implement|step",
            "2025-06-15 15:06:40.123|replied||complete",
            "2025-06-15 15:06:40.123|moved|fix|complete",
            "2025-06-15 15:06:40.123|ended|implement|task-committed",
        ]
    );
    assert_eq!(
        texts("SELECT recipe, step, ended FROM run_list"),
        ["implement-and-review|fix|task-committed"]
    );
    assert_eq!(texts("SELECT run FROM timeline WHERE event = 'moved'"), [run(1).to_string()]);
    assert_eq!(texts("SELECT id FROM sessions"), ["00000000-0000-0000-0000-00005e550001"]);
}

#[test]
fn a_prompt_text_is_stored_once_and_read_in_every_conversation() {
    let folder = folder();
    let store = open(&folder);
    let text = "Review the code. ".repeat(40);
    let prompted = |n| {
        let (text, attempt) = (text.clone(), Some(attempt(n)));
        Change::message(NewMessage { text, attempt, ..message(n, 2 * n, 1) })
    };
    commit(&store, [new_session(1, 1), prompted(1), new_session(2, 1), prompted(2), says(2, 7, 1)])
        .unwrap();
    let reader =
        Connection::open_with_flags(store.path(), OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let number = |sql: &str| reader.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    let read = format!("SELECT count(*) FROM conversation WHERE text = '{text}' AND role = 'user'");
    let found = || (number("SELECT count(*) FROM texts"), number(&read));
    assert_eq!(found(), (1, 2));
    assert_eq!(number("SELECT count(*) FROM messages WHERE text IS NOT NULL"), 1);
    commit(&store, [Change::SessionDeleted { session: session(1) }]).unwrap();
    assert_eq!(found(), (1, 1));
    // With the last session that uses it, the text is deleted as well.
    store.prune_sessions(100).unwrap();
    assert_eq!(found(), (0, 0));
}

#[test]
fn events_are_append_only() {
    let folder = folder();
    let store = open(&folder);
    commit(&store, [new_session(1, 1), events(1, 0, [started(1, 1), ends("x")], 1)]).unwrap();
    commit(&store, [events(2, 0, [started(2, 1)], 1)]).unwrap();
    let other = Connection::open(store.path()).unwrap();
    other.pragma_update(None, "foreign_keys", true).unwrap();
    let refused = |sql| other.execute_batch(sql).unwrap_err().to_string();
    assert_eq!(refused("UPDATE events SET body = '{}'"), "events are never changed");
    assert_eq!(refused("DELETE FROM events"), "events are deleted with their run only");
    assert_eq!(refused("DELETE FROM sessions"), "a run that goes on is not deleted");
    let started_twice = format!(
        "INSERT INTO runs SELECT 99, 'x', session, recipe, directory, agent, rehearsal, continues, started_at, \
         changed_at, step, steps, last_seq, cost_usd, attempt, ended_at, reason, resume_at, ending, set_aside \
         FROM runs WHERE id = '{}'",
        run(2)
    );
    assert_eq!(refused(&started_twice), "UNIQUE constraint failed: runs.session");
    other.execute_batch("DELETE FROM runs WHERE ended_at IS NOT NULL").unwrap();
    assert_eq!(store.events(run(1), 0, 9), Ok(vec![]));
    assert_eq!(store.runs(&RunFilter::default()).unwrap().len(), 1);
}

#[test]
fn rows_that_a_user_damaged_are_reported_and_not_guessed() {
    let folder = folder();
    let store = open(&folder);
    commit(&store, [new_session(1, 1), says(1, 1, 1)]).unwrap();
    let other = Connection::open(store.path()).unwrap();
    other.execute_batch("UPDATE messages SET role = 'narrator'").unwrap();
    assert_eq!(store.messages(session(1), 0, 9), Ok(vec![]));
    assert_eq!(store.quarantined().unwrap()[0].row, "messages 1");
    other.execute_batch("UPDATE sessions SET messages = -1").unwrap();
    let error = store.session(session(1)).unwrap_err();
    assert!(matches!(error, StoreError::Unreadable { .. }), "{error}");
    other.execute_batch("UPDATE sessions SET messages = 1").unwrap();
    other.execute_batch("DROP TABLE messages").unwrap();
    let error = commit(&store, [says(1, 2, 1)]).unwrap_err();
    assert!(matches!(error, StoreError::Failed { .. }), "{error}");
    assert_eq!(store.session(session(1)).unwrap().unwrap().messages, 1);
}

#[test]
fn the_schema_file_is_up_to_date() {
    let folder = folder();
    let store = open(&folder);
    let reader =
        Connection::open_with_flags(store.path(), OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let mut statement = reader
        .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
        .unwrap();
    let items: Vec<String> =
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let version: i64 = reader.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    let present = format!(
        "-- The tables as all migrations together make them; `UPDATE_DOCS=1 cargo test --test store sqlite` writes it.\n\
         -- Version {version}.\n\n{};\n",
        items.join(";\n\n")
    );
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/store/sqlite/schema.sql");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &present).unwrap();
    }
    assert!(
        fs::read_to_string(&path).unwrap_or_default() == present,
        "the schema has changed: released migrations stay as they are, a new one is added; then \
         `UPDATE_DOCS=1 cargo test --test store sqlite` and read the diff of {}",
        path.display()
    );
}

/// A process that commits until it is killed, and prints the number of commits after each one.
struct Server {
    process: Child,
    lines: Lines<BufReader<ChildStdout>>,
    acknowledged: u64,
}

impl Server {
    fn start(folder: &TempDir) -> Self {
        Self::start_in(folder.path(), "exec \"$0\" \"$@\"")
    }

    fn start_in(data_dir: &Path, script: &str) -> Self {
        let mut command = Command::new("sh");
        command.args(["-c", script]).arg(std::env::current_exe().unwrap());
        command.args(["--exact", "sqlite::commits_until_it_is_killed", "--ignored", "--nocapture"]);
        let mut process = command.env(CHILD, data_dir).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        Self { process, lines, acknowledged: 0 }
    }

    /// Waits for this many acknowledged commits.
    fn commits(mut self, number: u64) -> Self {
        let mut seen = 0;
        while seen < number {
            assert!(self.read_line().is_some(), "the process ended before its commit {number}");
            seen += u64::from(self.acknowledged > 0);
        }
        self
    }

    fn read_line(&mut self) -> Option<()> {
        let line = self.lines.next()?.unwrap();
        if let Some(number) = line.strip_prefix("acknowledged ") {
            self.acknowledged = number.parse().unwrap();
        }
        Some(())
    }

    /// Kills it with SIGKILL, and returns how many commits it had acknowledged.
    fn kill(mut self) -> u64 {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        while self.read_line().is_some() {}
        self.acknowledged
    }
}

#[test]
#[ignore = "started by other tests, as a process of its own"]
fn commits_until_it_is_killed() {
    let Some(data_dir) = std::env::var_os(CHILD) else { return };
    let store = Sqlite::open(Path::new(&data_dir)).unwrap().store;
    commit(&store, [new_session(1, 1)]).unwrap();
    if store.run(run(1)).unwrap().is_none() {
        commit(&store, [events(1, 0, [started(1, 1)], 1)]).unwrap();
    }
    let first = store.session(session(1)).unwrap().unwrap().messages;
    for n in first.. {
        let event = queues(n.into());
        commit(&store, [says(1, n.into(), 1), events(1, 1 + n, [event], 1)]).unwrap();
        let mut out = std::io::stdout().lock();
        writeln!(out, "acknowledged {}", n + 1).unwrap();
        out.flush().unwrap();
    }
}
