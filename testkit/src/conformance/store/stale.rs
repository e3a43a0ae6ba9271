//! A writer that does not know the last commit writes nothing; of racing writers, one wins.

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::fixtures::{
    attempt, began, chat_begins, chat_ends, commit, ends, ends_redelivering, events, everything,
    expects, moved, new_session, opens, passes, queued, queues, replied, resumes, run, says,
    session, started, switches, withdraws,
};
use surefire::store::{Change, ProcessRecord, RunFilter, Store, StoreError};

pub fn a_stale_writer_writes_nothing(store: &dyn Store) {
    commit(store, [new_session(1, 1), events(1, 0, [started(1, 1), began(1)], 1)]).unwrap();
    let before = everything(store).unwrap();
    let stale = |expected| StoreError::Stale { run: run(1), expected, found: 2 };
    assert_eq!(commit(store, [events(1, 1, [queues(1)], 2)]), Err(stale(1)));
    assert_eq!(commit(store, [events(1, 3, [queues(1)], 2)]), Err(stale(3)));
    assert_eq!(commit(store, [events(1, 0, [started(1, 1)], 2)]), Err(stale(0)));
    assert_eq!(commit(store, [events(1, 0, [], 2)]), Err(stale(0)));
    assert_eq!(everything(store).unwrap(), before);

    // Without events there is no change, but the rest of the commit is written.
    let committed = commit(store, [events(1, 2, [], 2), says(1, 1, 3)]).unwrap();
    assert_eq!((committed.events().count(), committed.messages().count()), (0, 1));
}

pub fn of_racing_starts_one_wins(store: &dyn Store) {
    const RUNNERS: u128 = 50;
    commit(store, [new_session(1, 1)]).unwrap();
    let (line, winner) = (Barrier::new(50), AtomicUsize::new(usize::MAX));
    let results: Vec<_> = std::thread::scope(|scope| {
        let racers: Vec<_> = (0..RUNNERS)
            .map(|n| {
                let (line, winner) = (&line, &winner);
                scope.spawn(move || {
                    line.wait();
                    let result = commit(store, [events(n, 0, [started(n, 1), began(n)], 2)]);
                    if result.is_ok() {
                        winner.store(usize::try_from(n).unwrap(), Ordering::SeqCst);
                    }
                    result.map(|_| ())
                })
            })
            .collect();
        racers.into_iter().map(|racer| racer.join().unwrap()).collect()
    });
    let holder = run(winner.load(Ordering::SeqCst) as u128);
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    let busy = StoreError::Busy { session: session(1), holder };
    assert_eq!(results.iter().filter(|result| **result == Err(busy.clone())).count(), 49);
    assert_eq!(store.runs(&RunFilter::default()).unwrap().len(), 1);
    assert_eq!(store.session(session(1)).unwrap().unwrap().run, Some(holder));
    assert_eq!(store.last_global_seq(), Ok(2));
}

pub fn of_writers_that_expect_the_same_one_wins(store: &dyn Store) {
    commit(store, [new_session(1, 1), events(1, 0, [started(1, 1)], 1)]).unwrap();
    let line = Barrier::new(8);
    let results: Vec<_> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..8)
            .map(|n| {
                let line = &line;
                scope.spawn(move || {
                    line.wait();
                    commit(store, [events(1, 1, [queues(n)], 2)]).map(|_| ())
                })
            })
            .collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    let stale = StoreError::Stale { run: run(1), expected: 1, found: 2 };
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    assert_eq!(results.iter().filter(|result| **result == Err(stale.clone())).count(), 7);
    assert_eq!(store.queued_prompts(session(1)).unwrap().len(), 1);
}

pub fn a_writer_that_knows_too_little_of_a_session_writes_nothing(store: &dyn Store) {
    commit(store, [new_session(1, 1), expects(1, 0), says(1, 1, 1)]).unwrap();
    let commits = || store.session(session(1)).unwrap().unwrap().commits;
    commit(store, [says(1, 2, 1)]).unwrap();
    assert_eq!(commits(), 1, "only changes with an expectation count");
    let stale = |expected, found| StoreError::StaleSession { session: session(1), expected, found };
    assert_eq!(commit(store, [says(1, 3, 1), expects(1, 0)]), Err(stale(0, 1)));
    assert_eq!(commit(store, [expects(1, 2), says(1, 3, 1)]), Err(stale(2, 1)));
    assert_eq!(
        stale(2, 1).to_string(),
        format!("session {} has had 1 commits, the writer knew 2; read it again", session(1))
    );
    assert_eq!(store.session(session(1)).unwrap().unwrap().messages, 2);
    // The changes apply in order, so the second one sees the first.
    commit(store, [expects(1, 1), expects(1, 2)]).unwrap();
    assert_eq!((commits(), commit(store, [expects(1, 3), expects(1, 3)])), (3, Err(stale(3, 4))));
    let changed_at = store.session(session(1)).unwrap().unwrap().changed_at;
    assert_eq!(changed_at, 1, "and nothing happened in it");
}

/// Commits of every kind, each of which can be written once the ones before it are.
fn commits_of_every_kind() -> Vec<Vec<Change>> {
    let process = ProcessRecord { pid: 4711, started: "then".into() };
    vec![
        vec![new_session(1, 1), expects(1, 0), says(1, 0, 1)],
        vec![expects(1, 1), says(1, 1, 2)],
        vec![expects(1, 2), queued(1, 1, "a", 3), queued(2, 1, "b", 3)],
        vec![expects(1, 3), chat_begins(1, 1, 1, 4)],
        vec![expects(1, 4), Change::Spawned { attempt: attempt(1), process }],
        vec![expects(1, 5), chat_ends(1, 1, true), opens(1)],
        vec![expects(1, 6), withdraws(1, [2])],
        vec![expects(1, 7), switches(1, false)],
        vec![expects(1, 8), Change::Orchestration { enabled: false }],
        vec![expects(1, 9), events(1, 0, [started(1, 1), queues(3), began(2)], 5)],
        vec![
            expects(1, 10),
            events(1, 3, [replied(2, Some(0.5)), moved("fix", 2), passes(3, 3)], 6),
        ],
        vec![expects(1, 11), events(1, 6, [ends_redelivering("interrupted")], 7)],
        vec![expects(1, 12), events(1, 7, [resumes(), began(4)], 8)],
        vec![expects(1, 13), events(1, 9, [ends("x")], 9), new_session(2, 9), expects(2, 0)],
    ]
}

pub fn a_commit_that_is_applied_twice_is_stale_and_harmless(store: &dyn Store) {
    for changes in commits_of_every_kind() {
        commit(store, changes.clone()).unwrap();
        let written = everything(store).unwrap();
        let again = commit(store, changes.clone());
        assert!(again.as_ref().is_err_and(StoreError::is_stale), "{again:?}: {changes:?}");
        assert_eq!(everything(store).unwrap(), written, "{changes:?}");
    }
    let forgets = [expects(2, 1), Change::SessionDeleted { session: session(2) }];
    commit(store, forgets.clone()).unwrap();
    let written = everything(store).unwrap();
    let missing = StoreError::Missing { kind: "session", id: session(2).to_string() };
    assert_eq!(
        commit(store, forgets),
        Err(missing),
        "the session is gone, so the commit is not stale"
    );
    assert_eq!(everything(store).unwrap(), written);
}
