//! A run's row follows its events, and a session has one run at a time.

use crate::fixtures::{
    began, commit, ending, ends, ends_until, events, moved, new_session, replied, resumes, run,
    session, spec, started, started_as,
};
use surefire::run::{Event, RunSpec};
use surefire::store::{Change, RunFilter, RunRecord, Store, StoreError};

pub fn a_run_follows_its_events(store: &dyn Store) {
    commit(store, [new_session(1, 1)]).unwrap();
    let spec = RunSpec { rehearsal: true, continues: Some(run(9)), ..spec(1, 1) };
    commit(store, [events(1, 0, [started_as("rebase", spec), began(1)], 100)]).unwrap();
    let mut expected = RunRecord {
        id: run(1),
        session: session(1),
        recipe: "rebase".into(),
        directory: "/projects".into(),
        agent: "claude".into(),
        rehearsal: true,
        continues: Some(run(9)),
        started_at: 100,
        changed_at: 100,
        step: "implement".into(),
        steps: 1,
        last_seq: 2,
        cost_usd: 0.0,
        ending: None,
    };
    assert_eq!(store.run(run(1)), Ok(Some(expected.clone())));
    assert_eq!(store.session(session(1)).unwrap().unwrap().run, Some(run(1)));

    commit(store, [events(1, 2, [replied(1, Some(0.1)), moved("code-review", 2), began(2)], 200)])
        .unwrap();
    commit(store, [events(1, 5, [replied(2, Some(0.2)), began(3)], 150)]).unwrap();
    // A cost that is not a valid amount counts as zero.
    commit(store, [events(1, 7, [replied(3, Some(-5.0)), began(4)], 250)]).unwrap();
    (expected.step, expected.steps, expected.last_seq) = ("code-review".into(), 2, 9);
    (expected.changed_at, expected.cost_usd) = (250, 0.1 + 0.2);
    assert_eq!(store.run(run(1)), Ok(Some(expected.clone())));

    commit(store, [events(1, 9, [ends_until(900)], 300)]).unwrap();
    (expected.last_seq, expected.changed_at) = (10, 300);
    expected.ending = Some(surefire::run::Ending { resume_at: Some(900), ..ending("usage-limit") });
    assert_eq!(store.run(run(1)), Ok(Some(expected.clone())));
    assert_eq!(store.session(session(1)).unwrap().unwrap().run, None);

    commit(store, [events(1, 10, [resumes(), began(5)], 400)]).unwrap();
    (expected.last_seq, expected.changed_at, expected.ending) = (12, 400, None);
    assert_eq!(store.run(run(1)), Ok(Some(expected)));
    assert_eq!(store.session(session(1)).unwrap().unwrap().run, Some(run(1)));
    assert_eq!(store.run(run(2)), Ok(None));
}

pub fn what_a_failed_turn_cost_counts(store: &dyn Store) {
    let mut ended = ends("cost_budget");
    if let Event::Ended { cost_usd, .. } = &mut ended {
        *cost_usd = Some(0.25);
    }
    commit(store, [new_session(1, 1), events(1, 0, [started(1, 1), began(1), ended], 1)]).unwrap();
    assert!((store.run(run(1)).unwrap().unwrap().cost_usd - 0.25).abs() < 1e-9);
}

pub fn a_paused_run_can_end_again(store: &dyn Store) {
    commit(store, [new_session(1, 1), events(1, 0, [started(1, 1), began(1), ends_until(77)], 1)])
        .unwrap();
    commit(store, [events(1, 3, [ends("user-requested")], 2)]).unwrap();
    let ending = store.run(run(1)).unwrap().unwrap().ending.unwrap();
    assert_eq!((ending.reason.as_str(), ending.resume_at), ("user-requested", None));
    assert!(store.runs(&RunFilter::default().resume_due(true)).unwrap().is_empty());
}

pub fn a_session_has_one_run_at_a_time(store: &dyn Store) {
    commit(store, [new_session(1, 1), events(1, 0, [started(1, 1)], 1)]).unwrap();
    let busy = |holder| Err(StoreError::Busy { session: session(1), holder: run(holder) });
    assert_eq!(commit(store, [events(2, 0, [started(2, 1)], 2)]), busy(1));
    assert_eq!(commit(store, [Change::SessionDeleted { session: session(1) }]), busy(1));

    // One run ends and the next begins, in one commit.
    commit(store, [events(1, 1, [ends("max-ticks")], 3), events(2, 0, [started(2, 1)], 3)])
        .unwrap();
    assert_eq!(commit(store, [events(1, 2, [resumes()], 4)]), busy(2));
    commit(store, [events(2, 1, [ends("task-committed")], 5)]).unwrap();
    commit(store, [events(1, 2, [resumes(), began(1)], 6)]).unwrap();
    assert_eq!(commit(store, [events(3, 0, [started(3, 1)], 7)]), busy(1));
    // And within one change.
    commit(store, [events(1, 4, [ends("x"), resumes(), ends("y")], 8)]).unwrap();
    let ended = store.run(run(1)).unwrap().unwrap();
    assert_eq!((ended.last_seq, ended.ending.unwrap().reason), (7, "y".to_owned()));
}
