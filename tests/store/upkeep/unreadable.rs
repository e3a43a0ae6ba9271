//! A row that cannot be read affects its own run, and nothing else.

use std::io;
use std::sync::{Arc, Mutex};

use surefire::run::RunId;
use surefire::store::{RunFilter, Sqlite, Store, StoreError};
use surefire::{Advise, Remedy};
use surefire_testkit::fixtures::{
    attempt, began, commit, ends, ends_until, events, new_session, queues, replied, run, says,
    session, started,
};
use tempfile::TempDir;

use super::{folder, open, tamper};

/// Four sessions with a run each: ended, open, due to resume, ended.
fn four_runs(store: &dyn Store) {
    for n in 1..=4 {
        commit(
            store,
            [new_session(n, 1), says(n, n, 2), events(n, 0, [started(n, n), began(n)], 3)],
        )
        .unwrap();
    }
    for (n, end) in [(1, ends("task-committed")), (3, ends_until(900)), (4, ends("x"))] {
        commit(store, [events(n, 2, [replied(n, None), end], 4)]).unwrap();
    }
}

fn listed(store: &dyn Store, filter: &RunFilter) -> Vec<RunId> {
    store.runs(filter).unwrap().iter().map(|run| run.id).collect()
}

fn with_four_runs() -> (TempDir, Sqlite) {
    let folder = folder();
    let store = open(&folder);
    four_runs(&store);
    (folder, store)
}

/// A run's number, as events name it.
fn number_of(n: u128) -> String {
    format!("(SELECT number FROM runs WHERE id = '{}')", run(n))
}

fn is_unreadable<T>(read: &Result<T, StoreError>) -> bool {
    matches!(read, Err(StoreError::Unreadable { .. }))
}

#[test]
fn a_run_that_cannot_be_read_is_missing_from_lists_and_the_others_are_there() {
    let id = run(1);
    let damages = [
        format!("UPDATE runs SET ending = '{{' WHERE id = '{id}'"),
        format!("UPDATE runs SET ending = '{{\"reason\": 7}}' WHERE id = '{id}'"),
        format!("UPDATE runs SET steps = -1 WHERE id = '{id}'"),
        format!("UPDATE runs SET steps = 99999999999 WHERE id = '{id}'"),
        format!("UPDATE runs SET step = CAST(X'ff' AS TEXT) WHERE id = '{id}'"),
        format!("UPDATE runs SET continues = 'x' WHERE id = '{id}'"),
    ];
    for damage in damages {
        let (folder, store) = with_four_runs();
        tamper(&folder, &damage);
        assert_eq!(listed(&store, &RunFilter::default()), [4, 3, 2].map(run), "{damage}");
        assert!(is_unreadable(&store.run(run(1))), "{damage}");
        let named = store.quarantined().unwrap();
        assert_eq!(named.len(), 1, "{damage}: {named:?}");
        assert_eq!((named[0].run, named[0].row.as_str()), (Some(run(1)), "runs 1"), "{damage}");
        drop(store);
        // The store opens nevertheless, and another run can use the session.
        let store = open(&folder);
        commit(&store, [events(5, 0, [started(5, 1)], 9)]).unwrap();
        assert_eq!(listed(&store, &RunFilter::default().open(Some(true))), [5, 2].map(run));
    }
}

#[test]
fn an_id_that_cannot_be_read_is_found_by_its_row() {
    let (folder, store) = with_four_runs();
    tamper(&folder, "PRAGMA foreign_keys = OFF; UPDATE runs SET id = 'nonsense' WHERE number = 4");
    assert_eq!(listed(&store, &RunFilter::default()), [3, 2, 1].map(run));
    let named = store.quarantined().unwrap();
    assert_eq!((named[0].run, named[0].row.as_str()), (None, "runs 4"), "{named:?}");
}

#[test]
fn an_event_that_cannot_be_read_hides_no_event_of_another_run() {
    let (folder, store) = with_four_runs();
    tamper(
        &folder,
        &format!("UPDATE events SET body = '{{\"event\": \"new\"}}' WHERE run = {}", number_of(1)),
    );
    let others = store.events_of_all(0, 99).unwrap();
    assert_eq!(others.len(), 10);
    assert!(others.iter().all(|event| event.run != run(1)));
    assert_eq!(store.events(run(4), 0, 99).unwrap().len(), 4);
    assert!(is_unreadable(&store.events(run(1), 0, 99)));
    let named = store.quarantined().unwrap();
    assert_eq!(
        named.len(),
        1,
        "a run is named once, however many of its events cannot be read: {named:?}"
    );
    assert_eq!((named[0].run, named[0].row.as_str()), (Some(run(1)), "events 1"));
}

#[test]
fn skipped_rows_do_not_shorten_a_page() {
    let (folder, store) = with_four_runs();
    tamper(&folder, "UPDATE runs SET continues = 'x' WHERE number IN (4, 2)");
    let page = |limit| listed(&store, &RunFilter::default().limit(Some(limit)));
    assert_eq!(page(0), []);
    assert_eq!(page(1), [3].map(run));
    assert_eq!(page(2), [3, 1].map(run));
    assert_eq!(page(3), [3, 1].map(run));
    tamper(&folder, "UPDATE events SET body = '' WHERE place <= 6");
    assert_eq!(store.events_of_all(0, 1).unwrap().len(), 1, "an empty page would mean the end");
}

#[test]
fn sessions_messages_attempts_and_prompts_are_skipped_as_well() {
    let (folder, store) = with_four_runs();
    commit(&store, [events(2, 2, [queues(1), queues(2)], 5)]).unwrap();
    commit(&store, [says(2, 7, 6), says(2, 8, 6)]).unwrap();
    tamper(
        &folder,
        "PRAGMA foreign_keys = OFF; UPDATE sessions SET messages = -1 WHERE number = 1",
    );
    tamper(&folder, "UPDATE messages SET role = 'narrator' WHERE \"offset\" = 1");
    tamper(&folder, "UPDATE prompts SET at = -1 WHERE number = 1");
    let sessions: Vec<_> = store.sessions(9).unwrap().iter().map(|session| session.id).collect();
    assert_eq!(sessions, [2, 4, 3].map(session));
    assert!(is_unreadable(&store.session(session(1))));
    let offsets: Vec<_> =
        store.messages(session(2), 0, 9).unwrap().iter().map(|it| it.offset).collect();
    assert_eq!(offsets, [0, 2]);
    assert_eq!(store.queued_prompts(session(2)).unwrap().len(), 1);
    tamper(&folder, "UPDATE attempts SET began_at = -1");
    assert_eq!(store.open_attempts(), Ok(vec![]));
    let mut rows: Vec<_> = store.quarantined().unwrap().into_iter().map(|it| it.row).collect();
    rows.retain(|row| !row.starts_with("attempts"));
    assert_eq!(rows, ["sessions 1", "messages 5", "prompts 1"]);
}

#[test]
fn an_open_run_that_cannot_be_read_is_quarantined_when_the_store_opens() {
    let id = run(2);
    let damages = [
        format!("UPDATE events SET body = 'x' WHERE run = {} AND seq = 2", number_of(2)),
        format!("UPDATE runs SET steps = -1 WHERE id = '{id}'"),
        "PRAGMA foreign_keys = OFF; UPDATE runs SET id = 'x' WHERE number = 2".to_owned(),
    ];
    for damage in damages {
        let (folder, store) = with_four_runs();
        let before = store.events_of_all(0, 99).unwrap().len();
        drop(store);
        tamper(&folder, &damage);
        let store = open(&folder);
        let open_ones = RunFilter::default().open(Some(true));
        assert_eq!(listed(&store, &open_ones), [], "{damage}");
        assert_eq!(store.open_attempts(), Ok(vec![]), "{damage}");
        let named = store.quarantined().unwrap();
        assert_eq!((named.len(), named[0].row.as_str()), (1, "runs 2"), "{damage}: {named:?}");
        assert!(named[0].why.starts_with("its "), "{damage}: {named:?}");
        // Nothing is lost, and the session is free.
        assert!(store.events_of_all(0, 99).unwrap().len() >= before - 2, "{damage}");
        commit(&store, [events(9, 0, [started(9, 2)], 9)]).unwrap();
        assert_eq!(store.session(session(2)).unwrap().unwrap().run, Some(run(9)), "{damage}");
    }
}

#[test]
fn a_quarantined_run_is_listed_as_failed_with_the_cause() {
    let (folder, store) = with_four_runs();
    drop(store);
    tamper(
        &folder,
        &format!("UPDATE events SET body = 'x' WHERE run = {} AND seq = 2", number_of(2)),
    );
    let store = open(&folder);
    let record = store.run(run(2)).unwrap().unwrap();
    let ending = record.ending.unwrap();
    assert_eq!((ending.reason.as_str(), ending.title.as_str()), ("storage_error", "Set aside"));
    assert!(ending.description.unwrap().starts_with("its event 2: "));
    assert!(is_unreadable(&store.events(run(2), 0, 99)), "its unreadable events stay unreadable");
    assert!(store.attempt(attempt(2)).unwrap().unwrap().ended);
    let reason = Some("storage_error".to_owned());
    assert_eq!(listed(&store, &RunFilter::default().reason(reason)), [run(2)]);
}

#[test]
fn inspecting_a_store_changes_nothing_and_works_while_it_is_open() {
    let (folder, store) = with_four_runs();
    tamper(&folder, &format!("UPDATE runs SET ending = '' WHERE id = '{}'", run(4)));
    let found = Sqlite::inspect(folder.path()).unwrap().unwrap();
    assert_eq!(found.iter().map(|it| it.run).collect::<Vec<_>>(), [Some(run(4))]);
    drop(store);
    let names = || {
        let mut names: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let (before, bytes) = (names(), std::fs::read(super::database(&folder)).unwrap());
    assert_eq!(Sqlite::inspect(folder.path()).unwrap(), Some(found));
    assert_eq!((names(), std::fs::read(super::database(&folder)).unwrap()), (before, bytes));
    std::fs::write(super::database(&folder), "no database").unwrap();
    let damaged = Sqlite::inspect(folder.path()).unwrap_err();
    assert!(matches!(damaged, StoreError::Damaged { .. }), "{damaged}");
    assert_eq!(damaged.remedy(), Some(Remedy::Restart));
}

#[derive(Clone, Default)]
struct LogOutput(Arc<Mutex<Vec<u8>>>);

impl io::Write for LogOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_skipped_row_is_logged_once() {
    let (folder, store) = with_four_runs();
    tamper(&folder, "UPDATE runs SET ending = '' WHERE number = 4");
    let log = LogOutput::default();
    let out = log.clone();
    let subscriber =
        tracing_subscriber::fmt().with_ansi(false).with_writer(move || out.clone()).finish();
    tracing::subscriber::with_default(subscriber, || {
        for _ in 0..3 {
            store.runs(&RunFilter::default()).unwrap();
        }
    });
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert_eq!(text.matches("skipped a stored row").count(), 1, "{text}");
    assert!(text.contains("WARN") && text.contains("row=\"runs 4\""), "{text}");
}
