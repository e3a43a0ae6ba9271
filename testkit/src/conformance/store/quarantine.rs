//! A quarantined run blocks nothing, and keeps its events.

use crate::fixtures::{
    attempt, began, commit, ends_until, events, new_session, queues, resumes, run, session, started,
};
use surefire::store::{RunFilter, Store, StoreError};

pub fn a_quarantined_run_blocks_nothing_and_keeps_its_events(store: &dyn Store) {
    commit(store, (1..=3).map(|n| new_session(n, 1)).collect::<Vec<_>>()).unwrap();
    commit(store, [events(1, 0, [started(1, 1), began(1), queues(1)], 5)]).unwrap();
    commit(store, [events(2, 0, [started(2, 2), ends_until(900)], 6)]).unwrap();
    assert_eq!(store.quarantined(), Ok(vec![]));
    store.quarantine(run(1), "its event 2 is not JSON").unwrap();
    store.quarantine(run(2), "its row is damaged").unwrap();
    let of = |filter: RunFilter| {
        store.runs(&filter).unwrap().iter().map(|run| run.id).collect::<Vec<_>>()
    };
    assert_eq!(of(RunFilter::default().open(Some(true))), []);
    assert_eq!(of(RunFilter::default().resume_due(true)), []);
    assert_eq!(of(RunFilter::default()), [2, 1].map(run), "and it is still listed");
    let reason = Some("storage_error".to_owned());
    assert_eq!(of(RunFilter::default().reason(reason)), [2, 1].map(run));
    let ending = store.run(run(1)).unwrap().unwrap().ending.unwrap();
    assert_eq!(ending.description.as_deref(), Some("its event 2 is not JSON"));
    assert_eq!(
        (store.open_attempts(), store.session(session(1)).unwrap().unwrap().run),
        (Ok(vec![]), None)
    );
    assert_eq!(store.attempt(attempt(1)).unwrap().map(|it| it.ended), Some(true));
    assert_eq!(store.events(run(1), 0, 9).unwrap().len(), 3, "nothing of it is deleted");
    assert_eq!(store.queued_prompts(session(1)).unwrap().len(), 1, "nor is its queued prompt");
    let named = store.quarantined().unwrap();
    let named: Vec<_> = named.iter().map(|it| (it.run, it.row.as_str(), it.why.as_str())).collect();
    let expected = [
        (Some(run(1)), "runs 1", "its event 2 is not JSON"),
        (Some(run(2)), "runs 2", "its row is damaged"),
    ];
    assert_eq!(named, expected);

    // Its session is free for another one.
    commit(store, [events(3, 0, [started(3, 1)], 7)]).unwrap();
    assert_eq!(store.session(session(1)).unwrap().unwrap().run, Some(run(3)));
    // A run that resumes after all is no longer quarantined.
    commit(store, [events(2, 2, [resumes()], 8)]).unwrap();
    assert_eq!(store.run(run(2)).unwrap().unwrap().ending, None);
    assert_eq!(store.quarantined().unwrap().len(), 1);
    let missing = StoreError::Missing { kind: "run", id: run(9).to_string() };
    assert_eq!(store.quarantine(run(9), "x"), Err(missing));
}
