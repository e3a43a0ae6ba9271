//! Runs are filtered, and lists of runs and sessions are read page by page.

use crate::fixtures::{
    commit, ends, ends_until, events, new_session, resumes, run, says, session, spec, started,
    started_as,
};
use surefire::store::{RunFilter, Store, StoreError};

pub fn runs_are_filtered(store: &dyn Store) {
    commit(store, [new_session(1, 1), new_session(2, 1)]).unwrap();
    commit(store, [events(1, 0, [started(1, 1), ends("task-committed")], 90)]).unwrap();
    commit(store, [events(2, 0, [started(2, 1), ends("max-step-visits-exceeded:fix")], 80)])
        .unwrap();
    commit(store, [events(3, 0, [started_as("rebase", spec(3, 1)), ends_until(500)], 70)]).unwrap();
    commit(store, [events(4, 0, [started(4, 1)], 60), events(5, 0, [started(5, 2)], 50)]).unwrap();
    let any = RunFilter::default;
    let text = |text: &str| Some(text.to_owned());
    let table: [(RunFilter, &[u128]); 22] = [
        (any(), &[5, 4, 3, 2, 1]),
        (any().limit(Some(2)), &[5, 4]),
        (any().limit(Some(0)), &[]),
        (any().recipe(text("rebase")), &[3]),
        (any().session(Some(session(2))), &[5]),
        (any().reason(text("task-committed")), &[1]),
        (any().reason(text("max-step-visits-exceeded")), &[2]),
        (any().reason(text("max-step-visits-exceeded:fix")), &[2]),
        (any().reason(text("max-step-visits-exceeded:commit")), &[]),
        (any().reason(text("max")), &[]),
        (any().open(Some(true)), &[5, 4]),
        (any().open(Some(false)).session(Some(session(1))).limit(Some(2)), &[3, 2]),
        (any().resume_due(true), &[3]),
        (any().id_prefix(text("00000000-0000")), &[5, 4, 3, 2, 1]),
        (any().id_prefix(text("00000000-0000")).limit(Some(1)).open(Some(false)), &[3]),
        (any().id_prefix(text(&run(4).to_string())), &[4]),
        (any().id_prefix(text(&format!("{}0", run(4)))), &[]),
        (any().id_prefix(text("0000-")), &[]),
        (any().id_prefix(text("0000%")), &[]),
        (any().id_prefix(text("0000000_")), &[]),
        (any().id_prefix(text("0000\0")), &[]),
        (any().id_prefix(text("")), &[5, 4, 3, 2, 1]),
    ];
    for (filter, expected) in table {
        let found: Vec<_> = store.runs(&filter).unwrap().iter().map(|run| run.id).collect();
        assert_eq!(found, expected.iter().copied().map(run).collect::<Vec<_>>(), "{filter:?}");
    }
    commit(store, [events(4, 1, [ends("x")], 95), events(3, 2, [resumes()], 95)]).unwrap();
    assert_eq!(store.runs(&any().resume_due(true)), Ok(vec![]));
}

pub fn lists_continue_page_after_page(store: &dyn Store) {
    for n in 1..=7 {
        commit(
            store,
            [new_session(n, n.try_into().unwrap()), events(n, 0, [started(n, n), ends("x")], 50)],
        )
        .unwrap();
    }
    let page = |before, limit| {
        let filter = RunFilter::default().before(before).limit(Some(limit));
        store.runs(&filter).unwrap().iter().map(|run| run.id).collect::<Vec<_>>()
    };
    assert_eq!(page(None, 3), [7, 6, 5].map(run));
    // Runs that begin between two pages do not shift the list.
    commit(store, [new_session(8, 8), events(8, 0, [started(8, 8)], 60)]).unwrap();
    assert_eq!(page(Some(run(5)), 3), [4, 3, 2].map(run));
    assert_eq!(page(Some(run(2)), 3), [run(1)]);
    assert_eq!(page(Some(run(1)), 3), []);
    let ended = RunFilter::default().before(Some(run(8))).open(Some(false)).limit(Some(1));
    assert_eq!(store.runs(&ended).unwrap()[0].id, run(7));
    let gone = RunFilter::default().before(Some(run(99)));
    assert_eq!(
        store.runs(&gone),
        Err(StoreError::Missing { kind: "run", id: run(99).to_string() })
    );

    let ids = |sessions: &[surefire::store::SessionRecord]| {
        sessions.iter().map(|it| it.id).collect::<Vec<_>>()
    };
    let first = store.sessions(3).unwrap();
    assert_eq!(ids(&first), [8, 7, 6].map(session));
    // The last of the page has moved to the top since; the list continues where the page ended.
    commit(store, [says(6, 1, 99)]).unwrap();
    let second = store.sessions_before(first.last().unwrap(), 3).unwrap();
    assert_eq!(ids(&second), [5, 4, 3].map(session));
    let third = store.sessions_before(second.last().unwrap(), 3).unwrap();
    assert_eq!(ids(&third), [2, 1].map(session));
    assert_eq!(store.sessions_before(third.last().unwrap(), 3), Ok(vec![]));
}
