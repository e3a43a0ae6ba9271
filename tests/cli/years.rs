//! Years of use: rows that cannot be read, lists of thousands, and pruning.

use std::fs::DirBuilder;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rusqlite::Connection;
use serde_json::Value;
use surefire::store::{Change, NewMessage, Sqlite};
use surefire_testkit::fixtures::{
    attempt, began, commit, ends, events, message, new_session, replied, run, session, started,
};

use crate::command::Place;

fn now() -> u64 {
    let since = SystemTime::UNIX_EPOCH.elapsed().expect("it is after 1970");
    u64::try_from(since.as_millis()).expect("it is before the year 292 million")
}

/// Stores sessions with these numbers, each with a run that ended at this time.
fn store_runs(place: &Place, numbers: std::ops::Range<u128>, at: u64) {
    let store = Sqlite::open(&place.data()).unwrap().store;
    for n in numbers {
        let output = Change::message(NewMessage { text: "word ".repeat(100), ..message(n, n, at) });
        let happened = [started(n, n), began(n), replied(n, None), ends("task-committed")];
        commit(&store, [new_session(n, at), output, events(n, 0, happened, at)]).unwrap();
    }
}

fn tamper(place: &Place, sql: &str) {
    let other = Connection::open(place.data().join("surefire.db")).unwrap();
    other.execute_batch("DROP TRIGGER IF EXISTS events_never_change").unwrap();
    other.execute_batch(sql).unwrap();
}

fn ids(place: &Place, words: &[&str]) -> Vec<String> {
    let listed = place.run(&[&["runs", "--json", "-q"], words].concat()).ok();
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let runs = listed["runs"].as_array().unwrap().iter();
    runs.map(|run| run["run_id"].as_str().unwrap().to_owned()).collect()
}

/// What the doctor reports about the store.
fn store(place: &Place) -> Option<(String, String, String)> {
    let output = place.run(&["doctor", "--json", "--listen", "127.0.0.1:0"]);
    let report: Value =
        serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    let check =
        report["checks"].as_array().unwrap().iter().find(|check| check["name"] == "store")?;
    let text = |key: &str| check[key].as_str().unwrap_or_default().to_owned();
    Some((text("status"), text("finding"), text("fix")))
}

#[test]
fn a_row_that_cannot_be_read_costs_one_run_and_the_doctor_finds_it() {
    let place = Place::new();
    assert_eq!(store(&place), None, "there is no store yet");
    store_runs(&place, 1..4, now());
    assert_eq!(store(&place).unwrap().0, "ok");
    tamper(&place, &format!("UPDATE runs SET ending = '{{' WHERE id = '{}'", run(2)));
    let expected: Vec<_> = [3, 1].map(|n| run(n).to_string()).into();
    assert_eq!(ids(&place, &[]), expected);
    let is_found = || {
        let (status, found, fix) = store(&place).unwrap();
        assert_eq!(status, "warning", "{found}");
        assert!(found.starts_with("1 entry cannot be read and is left out: run "), "{found}");
        assert!(found.contains(&run(2).to_string()) && found.contains("(row runs 2)"), "{found}");
        assert!(fix.contains("everything else works") && fix.contains("surefire prune"), "{fix}");
    };
    is_found();
    // A server starts anyway, and the doctor finds the row while the server runs, too.
    let (_server, _) = place.serve(&[]);
    assert_eq!(ids(&place, &[]), expected);
    is_found();
}

#[test]
fn an_open_run_that_cannot_be_read_is_quarantined_and_reported() {
    let place = Place::new();
    store_runs(&place, 1..3, now());
    let store = Sqlite::open(&place.data()).unwrap().store;
    commit(&store, [events(9, 0, [started(9, 1), began(90)], now())]).unwrap();
    drop(store);
    let number = format!("(SELECT number FROM runs WHERE id = '{}')", run(9));
    tamper(&place, &format!("UPDATE events SET body = 'x' WHERE run = {number} AND seq = 2"));
    let (_server, _) = place.serve(&[]);
    let printed = place.run(&["runs"]).ok();
    assert_eq!(printed.matches("task-committed").count(), 2, "{printed}");
    assert!(printed.contains("✗ storage_error") && !printed.contains("running"), "{printed}");
    let (status, found, _) = self::store(&place).unwrap();
    assert!(
        status == "warning" && found.contains(&run(9).to_string()) && found.contains("its event 2"),
        "{found}"
    );
}

#[test]
fn a_store_that_is_a_link_is_refused_with_a_fix() {
    let place = Place::new();
    store_runs(&place, 1..2, now());
    let (file, elsewhere) = (place.data().join("surefire.db"), place.path().join("elsewhere.db"));
    std::fs::rename(&file, &elsewhere).unwrap();
    symlink(&elsewhere, &file).unwrap();
    let printed = place.run(&["runs"]).failure(1);
    assert!(
        printed.contains("`[PLACE]/data/surefire.db` is a link to `[PLACE]/elsewhere.db`"),
        "{printed}"
    );
    assert!(printed.contains("fix: put the file itself in its place"), "{printed}");
    let (status, found, fix) = store(&place).unwrap();
    assert!(status == "failed" && found.contains("is a link to"), "{found}");
    assert!(fix.starts_with("put the file itself in its place"), "{fix}");
}

#[test]
fn lists_go_past_a_thousand_runs_even_at_a_server() {
    let place = Place::new();
    store_runs(&place, 1..2_346, now());
    let newest_first: Vec<_> = (1..2_346).rev().map(|n| run(n).to_string()).collect();
    let check = || {
        assert_eq!(ids(&place, &["--all"]), newest_first);
        assert_eq!(ids(&place, &["--limit", "5000"]), newest_first);
        assert_eq!(ids(&place, &["--limit", "1500"]), newest_first[..1_500]);
        assert_eq!(ids(&place, &["--limit", "1000"]), newest_first[..1_000]);
        assert_eq!(ids(&place, &["--limit", "0"]), newest_first[..0]);
        assert_eq!(ids(&place, &[]), newest_first[..20]);
        assert_eq!(ids(&place, &["--all", "--recipe", "implement-and-review"]).len(), 2_345);
    };
    check();
    let (_server, _) = place.serve(&[]);
    check();
}

fn size(place: &Place) -> u64 {
    std::fs::metadata(place.data().join("surefire.db")).unwrap().len()
}

/// Creates the files that an agent leaves behind in an attempt.
fn leave_behind(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join("stdout"), "words").unwrap();
}

/// Creates the lock file of a session, at the path where a turn of its agent would leave it.
fn lock_file(place: &Place, n: u128) -> PathBuf {
    let folder =
        place.path().join(format!("surefire-sessions-{}", rustix::process::getuid().as_raw()));
    DirBuilder::new().recursive(true).mode(0o700).create(&folder).unwrap();
    let file = folder.join(format!("{}.lock", session(n)));
    std::fs::write(&file, "").unwrap();
    file
}

#[test]
fn old_sessions_are_pruned_with_all_that_belongs_to_them() {
    for at_a_server in [false, true] {
        let place = Place::new();
        let (old, new) = (now() - 100 * 24 * 3_600_000, now());
        store_runs(&place, 1..400, old);
        store_runs(&place, 400..403, new);
        // The files come afterwards: a server that starts would remove them as leftovers.
        let server = at_a_server.then(|| place.serve(&[]));
        let left = place.data().join("attempts").join(attempt(7).to_string());
        let needed = place.data().join("attempts").join(attempt(400).to_string());
        leave_behind(&left);
        leave_behind(&needed);
        let [free, held] = [7, 400].map(|n| lock_file(&place, n));
        let before = size(&place);
        let printed = place.run(&["prune", "--sessions", "90d"]).ok();
        assert!(
            printed.starts_with("Deleted 399 sessions with 399 runs. The database is "),
            "{printed}"
        );
        assert!(printed.trim_end().ends_with(" smaller."), "{printed}");
        assert!(size(&place) < before / 2, "{before} {}", size(&place));
        assert!(!left.exists() && needed.exists());
        assert!(!free.exists() && held.exists());
        assert_eq!(ids(&place, &["--all"]), [402, 401, 400].map(|n| run(n).to_string()));
        assert_eq!(
            place.run(&["prune", "--sessions", "90d"]).ok(),
            "Deleted 0 sessions with 0 runs.\n"
        );
        let printed = place.run(&["prune", "--runs", "1ms", "--sessions", "90d", "--json"]).ok();
        let printed: Value = serde_json::from_str(&printed).unwrap();
        assert_eq!((&printed["runs"], &printed["sessions"]), (&3.into(), &0.into()), "{printed}");
        assert!(printed["problem"].is_null(), "{printed}");
        drop(server);
    }
}

#[test]
fn pruning_needs_an_age() {
    let place = Place::new();
    let printed = place.run(&["prune"]).failure(64);
    assert!(printed.contains("--runs") && printed.contains("--sessions"), "{printed}");
    assert_eq!(place.run(&["prune", "--sessions", "1d"]).ok(), "Deleted 0 sessions with 0 runs.\n");
    assert!(!place.data().exists(), "nothing is created for it");
    let printed = place.run(&["prune", "--runs", "soon"]).failure(64);
    assert!(printed.contains("soon"), "{printed}");
}
