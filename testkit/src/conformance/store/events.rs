//! Events are numbered, and come back as they were.

use std::time::Duration;

use crate::fixtures::{
    attempt, began, commit, ends, ends_until, events, events_of, moved, new_session, passes,
    prompt, queues, replied, run, session, started,
};
use surefire::run::{
    Event, Finding, Limits, Permits, Purpose, ReplyReading, ResumedBy, RetryCause, WorktreeEnd,
};
use surefire::store::{EventRecord, Store};
use surefire::{BrokenRule, Tool, Violation};

pub fn events_are_numbered_and_come_back_as_they_were(store: &dyn Store) {
    commit(store, [new_session(1, 1), new_session(2, 1)]).unwrap();
    let first = commit(
        store,
        [events(1, 0, [started(1, 1), began(1)], 10), events(2, 0, [started(2, 2)], 11)],
    );
    let all = [
        replied(1, Some(0.1 + 0.2)),
        moved("fix", 2),
        queues(1),
        passes(2, 1),
        ends("task-committed"),
    ];
    let second =
        commit(store, [events(1, 2, all.clone(), 9), events(2, 1, [began(3)], 12)]).unwrap();
    let recorded = [events_of(&first.unwrap()), events_of(&second)].concat();

    let numbers = |events: &[EventRecord]| {
        events.iter().map(|it| (it.run, it.seq, it.at)).collect::<Vec<_>>()
    };
    assert_eq!(
        numbers(&recorded[..5]),
        [(run(1), 1, 10), (run(1), 2, 10), (run(2), 1, 11), (run(1), 3, 9), (run(1), 4, 9)]
    );
    assert!(recorded.is_sorted_by(|a, b| a.global_seq < b.global_seq));
    assert_eq!(recorded[3..8].iter().map(|it| it.event.clone()).collect::<Vec<_>>(), all);
    assert!(recorded.iter().all(|it| it.session == session(if it.run == run(1) { 1 } else { 2 })));

    let of_first: Vec<_> = recorded.iter().filter(|it| it.run == run(1)).cloned().collect();
    assert_eq!(store.events(run(1), 0, 100), Ok(of_first.clone()));
    assert_eq!(store.events(run(1), 2, 3), Ok(of_first[2..5].to_vec()));
    assert_eq!(store.events(run(1), 7, 100), Ok(vec![]));
    assert_eq!(store.events(run(3), 0, 100), Ok(vec![]));

    // Page by page, no event is missed or returned twice.
    let (mut place, mut read) = (0, Vec::new());
    while let Some(last) = {
        let page = store.events_of_all(place, 2).unwrap();
        assert!(page.len() <= 2);
        read.extend(page.iter().cloned());
        page.last().map(|event| event.global_seq)
    } {
        place = last;
    }
    assert_eq!(read, recorded);
    assert_eq!(store.last_global_seq(), Ok(place));
}

pub fn every_kind_of_event_comes_back_as_it_was(store: &dyn Store) {
    let (step, problem) = ("fix".to_owned(), "no \u{1}JSON".to_owned());
    let reply = |attempt, read| Event::Replied {
        attempt,
        read,
        took: Duration::new(7, 123_456_789),
        cost_usd: Some(0.014_159_265_358_979_3),
        version: Some("2.0".into()),
    };
    let turn = |attempt, purpose| Event::TurnBegan { attempt, step: step.clone(), purpose };
    let all = [
        started(1, 1),
        turn(attempt(1), Purpose::Step),
        reply(
            attempt(1),
            ReplyReading::Unread { unread: "no-json".into(), problem: problem.clone() },
        ),
        Event::Retried {
            step: step.clone(),
            number: 1,
            of: 3,
            problem: problem.clone(),
            cause: RetryCause::Reply,
        },
        turn(attempt(2), Purpose::Remind { number: 1, problem }),
        queues(1),
        reply(
            attempt(2),
            ReplyReading::Outcome {
                outcome: "complete".into(),
                description: Some("ü".into()),
                findings: vec![Finding {
                    text: "ü".into(),
                    file: Some("a.rs".into()),
                    line: Some(1),
                    severity: None,
                }],
                repaired: vec!["fence".into()],
            },
        ),
        moved("code-review", 2),
        turn(attempt(3), Purpose::Deliver { prompt: prompt(1) }),
        reply(attempt(3), ReplyReading::NotAsked),
        turn(attempt(4), Purpose::Continue),
        ends_until(77),
        Event::Resumed {
            by: ResumedBy::Auto,
            limits: Limits::default().time(Some(Duration::from_millis(1))).budget_usd(Some(1e-9)),
            extra_visits: 2,
            extra_steps: 3,
            allow_tools: vec![Tool::Edit, Tool::command("npm test *")],
            permits: Permits { allow_deps: true, ..Permits::default() },
            delivered: vec![prompt(1)],
        },
        turn(attempt(5), Purpose::Continue),
        Event::RulesBroken {
            attempt: attempt(5),
            violations: vec![
                Violation::new("Cargo.lock", BrokenRule::Lockfile),
                Violation::new("ü", BrokenRule::Denied { pattern: "**".into() }),
            ],
        },
        ends("lockfile_violation"),
        Event::WorktreeEnded {
            end: WorktreeEnd::Merged { into: Some("main".into()), commit: "ab".into() },
        },
    ];
    commit(store, [new_session(1, 1), events(1, 0, all.clone(), 1)]).unwrap();
    let read: Vec<_> =
        store.events(run(1), 0, 99).unwrap().into_iter().map(|it| it.event).collect();
    assert_eq!(read, all);
}
