//! What holds for every store: a function each, called with an empty one.
//!
//! [`store_conformance!`](crate::store_conformance) makes a test of each, and [`all`] calls one after the other.

#![expect(missing_docs, reason = "each function is named by the sentence that it holds a store to")]
#![expect(clippy::missing_panics_doc, reason = "that a test panics is its verdict")]

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::fixtures::{
    attempt, began, begins, chat_begins, chat_ends, commit, ending, ends, ends_unheard, ends_until,
    ends_withdrawing, events, events_of, everything, expects, message, messages_of, moved, new_session,
    opens, order, passes, prompt, queued, queues, replied, resumes, run, says, session, started, started_as,
    switches, withdraws,
};
use surefire::run::{Event, Order};
use surefire::store::{
    Change, Committed, Entry, NewMessage, NewSession, Process, Recorded, RunFilter, RunRecord, SessionEvent,
    Store, StoreError, Written, WrittenEvent,
};

pub fn a_session_is_there_from_its_first_commit_on(store: &dyn Store) {
    assert_eq!(store.session(session(1)), Ok(None));
    commit(store, [new_session(1, 10)]).unwrap();
    let other = NewSession {
        id: session(1),
        name: "another name".into(),
        directory: "/elsewhere".into(),
        agent: "other".into(),
        system_prompt: None,
        at: 99,
    };
    commit(store, [begins(other)]).unwrap();
    let found = store.session(session(1)).unwrap().unwrap();
    assert_eq!((found.name.as_str(), found.created_at, found.changed_at), ("session 1", 10, 10));
    assert_eq!((found.messages, found.opened, found.run), (0, false, None));
    assert_eq!(found.system_prompt.as_deref(), Some("be brief 1"));
    assert_eq!(store.session_count(), Ok(1));

    commit(store, [opens(1)]).unwrap();
    assert!(store.session(session(1)).unwrap().unwrap().opened);
}

pub fn a_commit_names_the_sessions_that_it_began(store: &dyn Store) {
    let begun = |changes: Vec<Change>| commit(store, changes).unwrap().sessions;
    let first = begun(vec![new_session(1, 10), new_session(1, 11), says(1, 1, 20), new_session(2, 12)]);
    assert_eq!(
        first.iter().map(|it| (it.id, it.messages)).collect::<Vec<_>>(),
        [(session(1), 1), (session(2), 0)]
    );
    assert_eq!(first[0].changed_at, 20, "it is told as it is after the whole commit");
    assert_eq!(Some(&first[0]), store.session(session(1)).unwrap().as_ref());
    assert_eq!(begun(vec![new_session(1, 30), says(1, 2, 30)]), [], "it was there already");

    let second = begun(vec![new_session(3, 40), events(1, 0, [started(1, 3)], 40)]);
    assert_eq!(second[0].run, Some(run(1)));
    let forget = |n| Change::Forgotten { session: session(n) };
    assert_eq!(begun(vec![new_session(4, 50), forget(4)]), []);
    let again = begun(vec![new_session(4, 50), forget(4), new_session(4, 51), forget(1), new_session(1, 52)]);
    assert_eq!(again.iter().map(|it| it.created_at).collect::<Vec<_>>(), [51, 52]);
}

pub fn what_was_said_in_an_attempt_is_found(store: &dyn Store) {
    commit(store, [new_session(1, 1), new_session(2, 1)]).unwrap();
    let of = |session_n, n, it| {
        let new = surefire::store::NewMessage { attempt: Some(attempt(it)), ..message(session_n, n, 1) };
        Change::message(new)
    };
    // Odd numbers are the agent's words.
    commit(store, [of(1, 0, 1), of(1, 1, 1), says(1, 2, 1), of(1, 3, 2), of(1, 5, 1), says(1, 7, 1)])
        .unwrap();
    commit(store, [of(2, 9, 1)]).unwrap();
    let passages = |n, from, limit| {
        let said = store.passages(session(1), attempt(n), from, limit).unwrap();
        said.iter().map(|it| it.offset).collect::<Vec<_>>()
    };
    for (asked, offsets) in [
        ((1, 0, 9), vec![1, 4]),
        ((1, 0, 1), vec![1]),
        ((1, 2, 9), vec![4]),
        ((1, 5, 9), vec![]),
        ((2, 0, 9), vec![3]),
        ((3, 0, 9), vec![]),
    ] {
        assert_eq!(passages(asked.0, asked.1, asked.2), offsets, "{asked:?}");
    }
    assert_eq!(store.passages(session(1), attempt(1), 4, 1), store.messages(session(1), 4, 1));
}

pub fn sessions_are_listed_by_their_last_change(store: &dyn Store) {
    commit(store, (1..=4).map(|n| new_session(n, 10)).collect::<Vec<_>>()).unwrap();
    let listed = |limit| store.sessions(limit).unwrap().iter().map(|session| session.id).collect::<Vec<_>>();
    assert_eq!(listed(9), [4, 3, 2, 1].map(session), "of equally old ones, the later comes first");

    commit(store, [events(1, 0, [started(1, 2)], 30)]).unwrap();
    commit(store, [says(1, 1, 20)]).unwrap();
    commit(store, [queued(1, 4, "hello", 25)]).unwrap();
    assert_eq!(listed(9), [2, 4, 1, 3].map(session));
    assert_eq!(listed(2), [2, 4].map(session));
    assert_eq!(listed(0), []);

    // A clock that goes back makes nothing older.
    commit(store, [says(2, 2, 5)]).unwrap();
    assert_eq!(store.session(session(2)).unwrap().unwrap().changed_at, 30);
}

pub fn messages_have_offsets_without_gaps_and_times_that_never_decrease(store: &dyn Store) {
    commit(store, [new_session(1, 1), new_session(2, 1)]).unwrap();
    let said = [says(1, 1, 50), says(2, 2, 7), says(1, 3, 40), says(1, 4, 60), says(2, 5, 8)];
    let committed = messages_of(&commit(store, said).unwrap());
    assert_eq!(
        committed.iter().map(|it| (it.offset, it.at)).collect::<Vec<_>>(),
        [(0, 50), (0, 7), (1, 50), (2, 60), (1, 8)]
    );
    let next = messages_of(&commit(store, [says(1, 6, 55)]).unwrap());
    assert_eq!((next[0].offset, next[0].at), (3, 60));

    let of = |from, limit| store.messages(session(1), from, limit).unwrap();
    let expected = [&committed[0], &committed[2], &committed[3], &next[0]];
    assert_eq!(of(0, 100).iter().collect::<Vec<_>>(), expected);
    assert_eq!(of(1, 2).iter().collect::<Vec<_>>(), expected[1..3]);
    assert_eq!(of(4, 100), []);
    assert_eq!(store.session(session(1)).unwrap().unwrap().messages, 4);

    let missing = StoreError::Missing { kind: "session", id: session(3).to_string() };
    assert_eq!(commit(store, [says(3, 7, 1)]), Err(missing));
}

pub fn words_come_back_as_they_were(store: &dyn Store) {
    commit(store, [new_session(1, 1)]).unwrap();
    let texts = ["", " \n\t", "ü 🦀 \u{202e}", "a\0b", "'; DROP TABLE events; --", "{\"outcome\":\"x\"}"];
    for (n, text) in (0..).zip(texts) {
        let (attempt, run) = (Some(attempt(n)), Some(run(n)));
        let new = surefire::store::NewMessage { text: text.into(), attempt, run, ..message(1, n, 1) };
        commit(store, [Change::message(new)]).unwrap();
    }
    let said = store.messages(session(1), 0, 100).unwrap();
    assert_eq!(said.iter().map(|it| it.text.as_str()).collect::<Vec<_>>(), texts);
    assert_eq!((said[3].attempt, said[3].run), (Some(attempt(3)), Some(run(3))));
    assert_eq!(said[0].role, message(1, 0, 1).role);
}

pub fn what_agents_are_told_again_comes_back_in_full(store: &dyn Store) {
    commit(store, (1..=4).map(|n| new_session(n, u64::try_from(n).unwrap())).collect::<Vec<_>>()).unwrap();
    let prompts = ["Review the code.\n".repeat(40), "Fix what was found.\n".repeat(40)];
    // Even numbers are what agents are told, each of the two prompts in turn.
    let told = |session_n, n: usize| {
        let (text, attempt) = (prompts[n / 2 % 2].clone(), Some(attempt(n as u128)));
        Change::message(surefire::store::NewMessage { text, attempt, ..message(session_n, n as u128, 9) })
    };
    let texts = |n| -> Vec<String> {
        store.messages(session(n), 0, 99).unwrap().into_iter().map(|it| it.text).collect()
    };
    for n in 1..=4 {
        let answered = commit(store, [told(n, 0), told(n, 2), told(n, 4), told(n, 1)]).unwrap();
        assert_eq!(messages_of(&answered), store.messages(session(n), 0, 99).unwrap());
    }
    let all = [&prompts[0], &prompts[1], &prompts[0], &prompts[0]].map(String::clone);
    assert_eq!(texts(1), all);
    // Whatever is deleted, the others keep their words, and they can be said once more.
    commit(store, [Change::Forgotten { session: session(1) }]).unwrap();
    commit(store, [says(4, 9, 500)]).unwrap();
    assert_eq!((texts(1), texts(2), texts(3)), (vec![], all.to_vec(), all.to_vec()));
    assert_eq!(store.prune_sessions(100).unwrap().sessions, [2, 3].map(session));
    store.reclaim().unwrap();
    assert_eq!(texts(4)[..4], all);
    commit(store, [Change::Forgotten { session: session(4) }, new_session(5, 600), told(5, 0)]).unwrap();
    assert_eq!(texts(5), [prompts[0].clone()]);
}

pub fn a_run_follows_its_events(store: &dyn Store) {
    commit(store, [new_session(1, 1)]).unwrap();
    let order = Order { rehearsal: true, continues: Some(run(9)), ..order(1, 1) };
    commit(store, [events(1, 0, [started_as("rebase", order), began(1)], 100)]).unwrap();
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

    commit(store, [events(1, 2, [replied(1, Some(0.1)), moved("code-review", 2), began(2)], 200)]).unwrap();
    commit(store, [events(1, 5, [replied(2, Some(0.2)), began(3)], 150)]).unwrap();
    // What is no sum of money costs nothing.
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

pub fn events_are_numbered_and_come_back_as_they_were(store: &dyn Store) {
    commit(store, [new_session(1, 1), new_session(2, 1)]).unwrap();
    let first =
        commit(store, [events(1, 0, [started(1, 1), began(1)], 10), events(2, 0, [started(2, 2)], 11)]);
    let all = [replied(1, Some(0.1 + 0.2)), moved("fix", 2), queues(1), passes(2, 1), ends("task-committed")];
    let second = commit(store, [events(1, 2, all.clone(), 9), events(2, 1, [began(3)], 12)]).unwrap();
    let recorded = [events_of(&first.unwrap()), events_of(&second)].concat();

    let numbers = |events: &[Recorded]| events.iter().map(|it| (it.run, it.seq, it.at)).collect::<Vec<_>>();
    assert_eq!(
        numbers(&recorded[..5]),
        [(run(1), 1, 10), (run(1), 2, 10), (run(2), 1, 11), (run(1), 3, 9), (run(1), 4, 9)]
    );
    assert!(recorded.is_sorted_by(|a, b| a.place < b.place));
    assert_eq!(recorded[3..8].iter().map(|it| it.event.clone()).collect::<Vec<_>>(), all);
    assert!(recorded.iter().all(|it| it.session == session(if it.run == run(1) { 1 } else { 2 })));

    let of_first: Vec<_> = recorded.iter().filter(|it| it.run == run(1)).cloned().collect();
    assert_eq!(store.events(run(1), 0, 100), Ok(of_first.clone()));
    assert_eq!(store.events(run(1), 2, 3), Ok(of_first[2..5].to_vec()));
    assert_eq!(store.events(run(1), 7, 100), Ok(vec![]));
    assert_eq!(store.events(run(3), 0, 100), Ok(vec![]));

    // Page by page, nothing is missed and nothing comes twice.
    let (mut place, mut read) = (0, Vec::new());
    while let Some(last) = {
        let page = store.events_of_all(place, 2).unwrap();
        assert!(page.len() <= 2);
        read.extend(page.iter().cloned());
        page.last().map(|event| event.place)
    } {
        place = last;
    }
    assert_eq!(read, recorded);
    assert_eq!(store.last_place(), Ok(place));
}

pub fn a_stale_writer_writes_nothing(store: &dyn Store) {
    commit(store, [new_session(1, 1), events(1, 0, [started(1, 1), began(1)], 1)]).unwrap();
    let before = everything(store).unwrap();
    let stale = |expected| StoreError::Stale { run: run(1), expected, found: 2 };
    assert_eq!(commit(store, [events(1, 1, [queues(1)], 2)]), Err(stale(1)));
    assert_eq!(commit(store, [events(1, 3, [queues(1)], 2)]), Err(stale(3)));
    assert_eq!(commit(store, [events(1, 0, [started(1, 1)], 2)]), Err(stale(0)));
    assert_eq!(commit(store, [events(1, 0, [], 2)]), Err(stale(0)));
    assert_eq!(everything(store).unwrap(), before);

    // No events, no change; but the rest of the commit is written.
    let committed = commit(store, [events(1, 2, [], 2), says(1, 1, 3)]).unwrap();
    assert_eq!((committed.events().count(), committed.messages().count()), (0, 1));
}

pub fn what_is_not_there_is_named(store: &dyn Store) {
    commit(store, [new_session(1, 1), new_session(2, 1), events(1, 0, [started(1, 1)], 1)]).unwrap();
    commit(store, [events(1, 1, [queues(1), began(1)], 1)]).unwrap();
    let before = everything(store).unwrap();
    let nobody = session(7);
    let process = Process { pid: 7, started: "now".into() };
    let table = [
        (events(7, 0, [began(7)], 1), "run", run(7).to_string()),
        (events(7, 3, [ends("x")], 1), "run", run(7).to_string()),
        (events(7, 3, [started(7, 2)], 1), "run", run(7).to_string()),
        (events(7, 0, [], 1), "run", run(7).to_string()),
        (events(7, 0, [started(7, 7)], 1), "session", nobody.to_string()),
        (events(1, 3, [replied(1, None), passes(2, 7)], 1), "prompt", prompt(7).to_string()),
        (Change::Spawned { attempt: attempt(7), process }, "attempt", attempt(7).to_string()),
        (chat_begins(8, 2, 7, 1), "prompt", prompt(7).to_string()),
        (chat_begins(8, 2, 1, 1), "prompt", prompt(1).to_string()),
        (chat_begins(8, 7, 1, 1), "session", nobody.to_string()),
        (chat_ends(7, 1, false), "attempt", attempt(7).to_string()),
        // The turns of a run end with its events.
        (chat_ends(1, 1, false), "attempt", attempt(1).to_string()),
        (opens(7), "session", nobody.to_string()),
        (switches(7, false), "session", nobody.to_string()),
        (Change::Forgotten { session: nobody }, "session", nobody.to_string()),
        (expects(7, 0), "session", nobody.to_string()),
        (withdraws(7, []), "session", nobody.to_string()),
        (Change::Session { session: nobody, at: 1, entries: vec![] }, "session", nobody.to_string()),
    ];
    for (change, kind, id) in table {
        let told = format!("{change:?}");
        assert_eq!(commit(store, [change]), Err(StoreError::Missing { kind, id }), "{told}");
    }
    assert_eq!(everything(store).unwrap(), before);
}

pub fn contradictions_are_refused(store: &dyn Store) {
    commit(store, [new_session(1, 1), new_session(2, 1), new_session(3, 1)]).unwrap();
    commit(store, [events(1, 0, [started(1, 1), began(1), queues(1)], 1)]).unwrap();
    commit(store, [events(2, 0, [started(2, 2), ends("task-committed")], 1)]).unwrap();
    let queued = |n| queued(n, 2, "", 1);
    commit(store, [queued(2)]).unwrap();
    let before = everything(store).unwrap();
    let unreadable = {
        use std::os::unix::ffi::OsStringExt;
        let directory = std::ffi::OsString::from_vec(vec![b'/', 0xff]).into();
        let (name, agent) = (String::new(), String::new());
        let id = session(4);
        begins(NewSession { id, name, directory, agent, system_prompt: None, at: 1 })
    };
    let empty = || vec![Entry { event: None, message: None }];
    let of_another = || vec![Entry { event: None, message: Some(message(3, 1, 1)) }];
    let begins_as_another = {
        let (name, directory, agent) = (String::new(), "/".into(), String::new());
        let new = NewSession { id: session(4), name, directory, agent, system_prompt: None, at: 1 };
        Change::session(session(5), 1, SessionEvent::Began(new))
    };
    let table = [
        ("has started before", events(1, 3, [started(1, 1)], 1)),
        ("with another run's order", events(3, 0, [started(4, 3)], 1)),
        ("goes on already", events(1, 3, [resumes()], 1)),
        ("has ended", events(2, 2, [began(4)], 1)),
        ("has ended", events(2, 2, [queues(4)], 1)),
        ("in the middle of a turn", events(1, 3, [began(4)], 1)),
        ("not in the turn", events(1, 3, [replied(4, None)], 1)),
        ("not in the turn", events(1, 3, [replied(1, None), replied(1, None)], 1)),
        ("is there already", events(1, 3, [replied(1, None), began(1)], 1)),
        // A prompt of another session.
        ("is there already", events(1, 3, [queues(2)], 1)),
        ("is there already", queued(2)),
        ("UTF-8", unreadable),
        ("neither an event nor a message", Change::Run { run: run(1), after: 3, at: 1, entries: empty() }),
        (
            "neither an event nor a message",
            Change::Session {
                session: session(1),
                at: 1,
                entries: vec![Entry { event: None, message: None }],
            },
        ),
        ("in an entry of session", Change::Run { run: run(1), after: 3, at: 1, entries: of_another() }),
        (
            "in an entry of session",
            Change::Session {
                session: session(1),
                at: 1,
                entries: vec![Entry { event: None, message: Some(message(3, 1, 1)) }],
            },
        ),
        ("was to begin as", begins_as_another),
    ];
    for (words, change) in table {
        let told = format!("{change:?}");
        match commit(store, [change]) {
            Err(StoreError::Contradiction { what }) => assert!(what.contains(words), "{what}: {told}"),
            other => panic!("{other:?}: {told}"),
        }
    }
    assert_eq!(everything(store).unwrap(), before);
}

pub fn a_commit_is_written_whole_or_not_at_all(store: &dyn Store) {
    commit(store, [new_session(1, 1), events(1, 0, [started(1, 1), queues(1), began(1)], 1)]).unwrap();
    let before = everything(store).unwrap();
    let changes = [
        new_session(2, 5),
        says(1, 1, 5),
        events(1, 3, [replied(1, Some(1.0)), moved("fix", 2), passes(2, 1)], 5),
        events(2, 0, [started(2, 2), began(3), ends("x")], 5),
        new_session(3, 5),
        queued(2, 3, "later", 5),
        chat_begins(4, 3, 2, 5),
        opens(1),
        Change::Orchestration { enabled: false },
        switches(1, false),
        expects(1, 0),
        Change::Forgotten { session: session(2) },
        // And then one that cannot be.
        events(1, 99, [ends("x")], 5),
    ];
    let stale = StoreError::Stale { run: run(1), expected: 99, found: 6 };
    assert_eq!(commit(store, changes.clone()), Err(stale));
    assert_eq!(everything(store).unwrap(), before);
    commit(store, &changes[..changes.len() - 1]).unwrap();
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
    assert_eq!(store.last_place(), Ok(2));
}

pub fn of_writers_who_know_the_same_one_wins(store: &dyn Store) {
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
    assert_eq!(store.waiting(session(1)).unwrap().len(), 1);
}

pub fn a_session_has_one_run_at_a_time(store: &dyn Store) {
    commit(store, [new_session(1, 1), events(1, 0, [started(1, 1)], 1)]).unwrap();
    let busy = |holder| Err(StoreError::Busy { session: session(1), holder: run(holder) });
    assert_eq!(commit(store, [events(2, 0, [started(2, 1)], 2)]), busy(1));
    assert_eq!(commit(store, [Change::Forgotten { session: session(1) }]), busy(1));

    // One goes and the other comes, in one commit.
    commit(store, [events(1, 1, [ends("max-ticks")], 3), events(2, 0, [started(2, 1)], 3)]).unwrap();
    assert_eq!(commit(store, [events(1, 2, [resumes()], 4)]), busy(2));
    commit(store, [events(2, 1, [ends("task-committed")], 5)]).unwrap();
    commit(store, [events(1, 2, [resumes(), began(1)], 6)]).unwrap();
    assert_eq!(commit(store, [events(3, 0, [started(3, 1)], 7)]), busy(1));
    // And within one change.
    commit(store, [events(1, 4, [ends("x"), resumes(), ends("y")], 8)]).unwrap();
    let ended = store.run(run(1)).unwrap().unwrap();
    assert_eq!((ended.last_seq, ended.ending.unwrap().reason), (7, "y".to_owned()));
}

pub fn prompts_wait_until_the_agent_is_told(store: &dyn Store) {
    commit(store, [new_session(1, 1), events(1, 0, [started(1, 1), began(1)], 1)]).unwrap();
    commit(store, [events(1, 2, [queues(1)], 2), events(1, 3, [queues(2)], 3)]).unwrap();
    let waiting = || {
        let waiting = store.waiting(session(1)).unwrap();
        waiting.iter().map(|it| (it.prompt, it.text.clone(), it.at)).collect::<Vec<_>>()
    };
    let (first, second) = ((prompt(1), "please 1".to_owned(), 2), (prompt(2), "please 2".to_owned(), 3));
    assert_eq!(waiting(), [first.clone(), second.clone()]);

    commit(store, [events(1, 4, [replied(1, None), passes(2, 1)], 4)]).unwrap();
    assert_eq!(waiting(), std::slice::from_ref(&second));
    // Cut short, and nobody knows whether the agent was told: it waits again, and first in line.
    commit(store, [events(1, 6, [ends_unheard("interrupted")], 5)]).unwrap();
    assert_eq!(waiting(), [first, second.clone()]);

    commit(store, [events(1, 7, [resumes(), passes(3, 1)], 6), events(1, 9, [replied(3, None)], 7)]).unwrap();
    commit(store, [events(1, 10, [began(4), ends("x")], 8)]).unwrap();
    assert_eq!(waiting(), [second], "what was answered does not come back");

    // What a run left behind can be said outside of it.
    let prompt = prompt(2);
    commit(store, [chat_begins(5, 1, 2, 9)]).unwrap();
    assert_eq!(waiting(), []);
    assert_eq!(store.waiting_sessions().unwrap(), []);
    assert_eq!(store.prompt(prompt).unwrap().unwrap().text, "please 2", "it is still known what was said");
}

pub fn a_prompt_is_passed_on_once(store: &dyn Store) {
    commit(store, [new_session(1, 1)]).unwrap();
    let queued = |n| queued(n, 1, "a", 1);
    let begins = |n, p| chat_begins(n, 1, p, 2);
    let ended = |n, unheard| chat_ends(n, 1, unheard);
    let waiting = || store.waiting(session(1)).unwrap().iter().map(|it| it.prompt).collect::<Vec<_>>();
    commit(store, [queued(1), queued(2), queued(3)]).unwrap();
    commit(store, [begins(1, 1)]).unwrap();
    let twice = commit(store, [begins(2, 1)]);
    assert!(
        matches!(&twice, Err(StoreError::Contradiction { what }) if what.contains("already")),
        "{twice:?}"
    );
    // An agent that could not be asked has heard nothing.
    commit(store, [ended(1, true)]).unwrap();
    assert_eq!(waiting(), [prompt(1), prompt(2), prompt(3)]);
    commit(store, [begins(3, 1), ended(3, false)]).unwrap();
    commit(store, [withdraws(1, [2, 9])]).unwrap();
    assert_eq!(waiting(), [prompt(3)]);
    // Somebody who ended a run knows what it was at.
    commit(store, [events(1, 0, [started(1, 1), queues(4), passes(4, 4), ends("user-requested")], 3)])
        .unwrap();
    assert_eq!(waiting(), [prompt(3)]);
    commit(store, [events(2, 0, [started(2, 1)], 4)]).unwrap();
    let busy = StoreError::Busy { session: session(1), holder: run(2) };
    assert_eq!(commit(store, [begins(5, 3)]), Err(busy), "a run passes prompts on by itself");
}

pub fn a_prompt_that_was_withdrawn_is_never_delivered(store: &dyn Store) {
    // A message that a client sent is named like its prompt.
    let says = |n: u128| Change::message(NewMessage { id: prompt(n).uuid(), ..message(1, 2, 1) });
    let delivered = || -> Vec<bool> {
        store.messages(session(1), 0, 9).unwrap().iter().map(|message| message.delivered).collect()
    };
    let both = [new_session(1, 1), queued(1, 1, "a", 1), says(1), queued(2, 1, "b", 1), says(2)];
    let committed = commit(store, both).unwrap();
    assert!(messages_of(&committed).iter().all(|message| message.delivered));
    commit(store, [withdraws(1, [1, 9])]).unwrap();
    assert_eq!(delivered(), [false, true]);
    // What the agent has been given cannot be withdrawn any more.
    commit(store, [chat_begins(1, 1, 2, 2), withdraws(1, [2]), chat_ends(1, 1, false)]).unwrap();
    assert_eq!(delivered(), [false, true]);
    commit(store, [events(1, 0, [started(1, 1), queues(3)], 3), says(3)]).unwrap();
    commit(store, [events(1, 2, [ends_withdrawing("user-requested", [3])], 4)]).unwrap();
    assert_eq!(delivered(), [false, true, false]);
    assert_eq!(store.prune(u64::MAX >> 1), Ok(1));
    assert_eq!(delivered(), [false, true, false], "the conversation stays when a run is pruned");
}

pub fn a_prompt_that_the_agent_may_have_got_is_known_as_such(store: &dyn Store) {
    commit(store, [new_session(1, 1), queued(1, 1, "a", 1), queued(2, 1, "b", 1)]).unwrap();
    let again = |n| store.prompt(prompt(n)).unwrap().unwrap().again;
    commit(store, [chat_begins(1, 1, 1, 2), chat_ends(1, 1, true)]).unwrap();
    assert!(!again(1), "it certainly did not get it");
    let repeated = SessionEvent::ChatRepeated { attempt: attempt(2) };
    commit(store, [chat_begins(2, 1, 1, 3), Change::session(session(1), 3, repeated)]).unwrap();
    assert!(again(1) && !again(2));
    assert_eq!(store.open_attempts().unwrap().len(), 1, "the attempt stays open");

    let begun = [started(1, 1), queues(3), passes(3, 3)];
    commit(store, [chat_ends(2, 1, false), events(1, 0, begun, 4)]).unwrap();
    assert!(!again(3));
    commit(store, [events(1, 3, [ends_unheard("worker_failed")], 5)]).unwrap();
    let waiting = store.waiting(session(1)).unwrap();
    let waiting: Vec<_> = waiting.iter().map(|it| (it.prompt, it.again)).collect();
    assert_eq!(waiting, [(prompt(2), false), (prompt(3), true)]);
}

pub fn what_a_failed_turn_cost_counts(store: &dyn Store) {
    let mut ended = ends("cost_budget");
    if let Event::Ended { cost_usd, .. } = &mut ended {
        *cost_usd = Some(0.25);
    }
    commit(store, [new_session(1, 1), events(1, 0, [started(1, 1), began(1), ended], 1)]).unwrap();
    assert!((store.run(run(1)).unwrap().unwrap().cost_usd - 0.25).abs() < 1e-9);
}

pub fn sessions_with_somebody_waiting_are_known(store: &dyn Store) {
    commit(store, [new_session(1, 1), new_session(2, 1), new_session(3, 1)]).unwrap();
    let queued = |n, at| queued(n, at, "a", 1);
    commit(store, [queued(1, 3), queued(2, 1), queued(3, 3)]).unwrap();
    assert_eq!(store.waiting_sessions().unwrap(), [session(1), session(3)]);
    assert_eq!(store.prompt(prompt(9)).unwrap(), None);
}

pub fn a_run_that_waits_can_end_once_more(store: &dyn Store) {
    commit(store, [new_session(1, 1), events(1, 0, [started(1, 1), began(1), ends_until(77)], 1)]).unwrap();
    commit(store, [events(1, 3, [ends("user-requested")], 2)]).unwrap();
    let ending = store.run(run(1)).unwrap().unwrap().ending.unwrap();
    assert_eq!((ending.reason.as_str(), ending.resume_at), ("user-requested", None));
    assert!(store.runs(&RunFilter { resume_due: true, ..RunFilter::default() }).unwrap().is_empty());
}

pub fn a_run_can_take_over_a_prompt(store: &dyn Store) {
    commit(store, [new_session(1, 1)]).unwrap();
    let queued = |n, at| queued(n, 1, "a", at);
    commit(store, [queued(1, 2), queued(2, 3)]).unwrap();
    commit(store, [events(1, 0, [started(1, 1), queues(2), queues(1)], 4)]).unwrap();
    let waiting: Vec<_> = store.waiting(session(1)).unwrap().iter().map(|it| it.prompt).collect();
    assert_eq!(waiting, [prompt(1), prompt(2)], "both keep their place");
    commit(store, [events(1, 3, [passes(1, 1)], 5)]).unwrap();
    assert_eq!(store.waiting(session(1)).unwrap().len(), 1);
}

pub fn attempts_are_open_until_they_end(store: &dyn Store) {
    commit(store, [new_session(1, 1), new_session(2, 1)]).unwrap();
    commit(store, [events(1, 0, [started(1, 1), queues(1), passes(1, 1)], 10)]).unwrap();
    let process = Process { pid: 4711, started: "12345 ticks".into() };
    commit(store, [Change::Spawned { attempt: attempt(1), process: process.clone() }]).unwrap();
    commit(store, [queued(2, 2, "b", 1), chat_begins(2, 2, 2, 9)]).unwrap();

    let first = store.attempt(attempt(1)).unwrap().unwrap();
    assert_eq!((first.run, first.session, first.prompt), (Some(run(1)), session(1), Some(prompt(1))));
    assert_eq!((first.began_at, first.process.clone(), first.ended), (10, Some(process), false));
    let second = store.attempt(attempt(2)).unwrap().unwrap();
    assert_eq!((second.run, second.session, second.prompt), (None, session(2), Some(prompt(2))));
    assert_eq!(store.attempt(attempt(3)), Ok(None));
    assert_eq!(store.open_attempts(), Ok(vec![second, first]), "the oldest first");

    let open = || store.open_attempts().unwrap().iter().map(|it| it.id).collect::<Vec<_>>();
    commit(store, [events(1, 3, [replied(1, None), began(3)], 11)]).unwrap();
    assert!(store.attempt(attempt(1)).unwrap().unwrap().ended);
    assert_eq!(open(), [attempt(2), attempt(3)]);
    commit(store, [chat_ends(2, 2, false)]).unwrap();
    assert_eq!(open(), [attempt(3)]);
    commit(store, [events(1, 5, [ends("x")], 12)]).unwrap();
    assert_eq!(open(), []);
    assert!(store.attempt(attempt(3)).unwrap().unwrap().ended);
    commit(store, [events(1, 6, [resumes(), began(4)], 13)]).unwrap();
    assert_eq!(open(), [attempt(4)]);
}

pub fn runs_are_filtered(store: &dyn Store) {
    commit(store, [new_session(1, 1), new_session(2, 1)]).unwrap();
    commit(store, [events(1, 0, [started(1, 1), ends("task-committed")], 90)]).unwrap();
    commit(store, [events(2, 0, [started(2, 1), ends("max-step-visits-exceeded:fix")], 80)]).unwrap();
    commit(store, [events(3, 0, [started_as("rebase", order(3, 1)), ends_until(500)], 70)]).unwrap();
    commit(store, [events(4, 0, [started(4, 1)], 60), events(5, 0, [started(5, 2)], 50)]).unwrap();
    let any = RunFilter::default;
    let text = |text: &str| Some(text.to_owned());
    let table: [(RunFilter, &[u128]); 22] = [
        (any(), &[5, 4, 3, 2, 1]),
        (RunFilter { limit: Some(2), ..any() }, &[5, 4]),
        (RunFilter { limit: Some(0), ..any() }, &[]),
        (RunFilter { recipe: text("rebase"), ..any() }, &[3]),
        (RunFilter { session: Some(session(2)), ..any() }, &[5]),
        (RunFilter { reason: text("task-committed"), ..any() }, &[1]),
        (RunFilter { reason: text("max-step-visits-exceeded"), ..any() }, &[2]),
        (RunFilter { reason: text("max-step-visits-exceeded:fix"), ..any() }, &[2]),
        (RunFilter { reason: text("max-step-visits-exceeded:commit"), ..any() }, &[]),
        (RunFilter { reason: text("max"), ..any() }, &[]),
        (RunFilter { open: Some(true), ..any() }, &[5, 4]),
        (RunFilter { open: Some(false), session: Some(session(1)), limit: Some(2), ..any() }, &[3, 2]),
        (RunFilter { resume_due: true, ..any() }, &[3]),
        (RunFilter { id_prefix: text("00000000-0000"), ..any() }, &[5, 4, 3, 2, 1]),
        (RunFilter { id_prefix: text("00000000-0000"), limit: Some(1), open: Some(false), ..any() }, &[3]),
        (RunFilter { id_prefix: text(&run(4).to_string()), ..any() }, &[4]),
        (RunFilter { id_prefix: text(&format!("{}0", run(4))), ..any() }, &[]),
        (RunFilter { id_prefix: text("0000-"), ..any() }, &[]),
        (RunFilter { id_prefix: text("0000%"), ..any() }, &[]),
        (RunFilter { id_prefix: text("0000000_"), ..any() }, &[]),
        (RunFilter { id_prefix: text("0000\0"), ..any() }, &[]),
        (RunFilter { id_prefix: text(""), ..any() }, &[5, 4, 3, 2, 1]),
    ];
    for (filter, expected) in table {
        let found: Vec<_> = store.runs(&filter).unwrap().iter().map(|run| run.id).collect();
        assert_eq!(found, expected.iter().copied().map(run).collect::<Vec<_>>(), "{filter:?}");
    }
    commit(store, [events(4, 1, [ends("x")], 95), events(3, 2, [resumes()], 95)]).unwrap();
    assert_eq!(store.runs(&RunFilter { resume_due: true, ..any() }), Ok(vec![]));
}

pub fn old_runs_are_pruned_and_the_conversation_stays(store: &dyn Store) {
    commit(store, (1..=6).map(|n| new_session(n, 1)).collect::<Vec<_>>()).unwrap();
    let said = surefire::store::NewMessage { run: Some(run(1)), ..message(1, 1, 5) };
    commit(store, [Change::message(said)]).unwrap();
    let heard = [started(1, 1), queues(1), passes(1, 1), replied(1, None), queues(2), ends("task-committed")];
    commit(store, [events(1, 0, heard, 99)]).unwrap();
    commit(store, [events(2, 0, [started(2, 2), ends("task-committed")], 100)]).unwrap();
    commit(store, [events(3, 0, [started(3, 3), began(3)], 5)]).unwrap();
    commit(store, [events(4, 0, [started(4, 4), ends_until(150)], 5)]).unwrap();
    commit(store, [events(5, 0, [started(5, 5), ends_until(50)], 5)]).unwrap();
    commit(store, [events(6, 0, [started(6, 6), ends("x"), resumes()], 5)]).unwrap();
    let last_place = store.last_place().unwrap();

    // The first is over; the second ended later, the third and sixth go on, the fourth will.
    assert_eq!(store.prune(100), Ok(2));
    let left: Vec<_> = store.runs(&RunFilter::default()).unwrap().iter().map(|run| run.id).collect();
    assert_eq!(left, [6, 4, 3, 2].map(run));
    assert_eq!((store.run(run(1)), store.events(run(1), 0, 9)), (Ok(None), Ok(vec![])));
    assert_eq!(store.attempt(attempt(1)), Ok(None));
    assert_eq!(store.messages(session(1), 0, 9).unwrap()[0].run, Some(run(1)));
    let waiting: Vec<_> = store.waiting(session(1)).unwrap().iter().map(|it| it.prompt).collect();
    assert_eq!(waiting, [prompt(2)], "what nobody has heard is not lost");
    assert_eq!(store.attempt(attempt(3)).unwrap().map(|it| it.ended), Some(false));
    assert_eq!(store.prune(100), Ok(0));
    assert_eq!(store.prune(1_000), Ok(2));

    // Places are not given out twice, and nothing that is left is missed.
    commit(store, [events(3, 2, [ends("x")], 6), events(6, 3, [ends("x")], 6)]).unwrap();
    assert_eq!(store.prune(u64::MAX), Ok(2));
    assert_eq!(store.events_of_all(0, 9), Ok(vec![]));
    assert_eq!(store.last_place(), Ok(last_place + 2));
    let next = commit(store, [events(7, 0, [started(7, 1)], 200)]).unwrap();
    assert_eq!(events_of(&next)[0].place, last_place + 3);
}

pub fn a_run_that_is_set_aside_holds_nothing_up_and_keeps_its_events(store: &dyn Store) {
    commit(store, (1..=3).map(|n| new_session(n, 1)).collect::<Vec<_>>()).unwrap();
    commit(store, [events(1, 0, [started(1, 1), began(1), queues(1)], 5)]).unwrap();
    commit(store, [events(2, 0, [started(2, 2), ends_until(900)], 6)]).unwrap();
    assert_eq!(store.quarantined(), Ok(vec![]));
    store.quarantine(run(1), "its event 2 is no JSON").unwrap();
    store.quarantine(run(2), "its row is damaged").unwrap();
    let of = |filter: RunFilter| store.runs(&filter).unwrap().iter().map(|run| run.id).collect::<Vec<_>>();
    assert_eq!(of(RunFilter { open: Some(true), ..RunFilter::default() }), []);
    assert_eq!(of(RunFilter { resume_due: true, ..RunFilter::default() }), []);
    assert_eq!(of(RunFilter::default()), [2, 1].map(run), "and it is there for who looks for it");
    let reason = Some("storage_error".to_owned());
    assert_eq!(of(RunFilter { reason, ..RunFilter::default() }), [2, 1].map(run));
    let ending = store.run(run(1)).unwrap().unwrap().ending.unwrap();
    assert_eq!(ending.description.as_deref(), Some("its event 2 is no JSON"));
    assert_eq!((store.open_attempts(), store.session(session(1)).unwrap().unwrap().run), (Ok(vec![]), None));
    assert_eq!(store.attempt(attempt(1)).unwrap().map(|it| it.ended), Some(true));
    assert_eq!(store.events(run(1), 0, 9).unwrap().len(), 3, "nothing of it is deleted");
    assert_eq!(store.waiting(session(1)).unwrap().len(), 1, "nor what was said to it");
    let named = store.quarantined().unwrap();
    let named: Vec<_> = named.iter().map(|it| (it.run, it.row.as_str(), it.why.as_str())).collect();
    let expected =
        [(Some(run(1)), "runs 1", "its event 2 is no JSON"), (Some(run(2)), "runs 2", "its row is damaged")];
    assert_eq!(named, expected);

    // Its session is free for another one.
    commit(store, [events(3, 0, [started(3, 1)], 7)]).unwrap();
    assert_eq!(store.session(session(1)).unwrap().unwrap().run, Some(run(3)));
    // One that goes on after all is set aside no longer.
    commit(store, [events(2, 2, [resumes()], 8)]).unwrap();
    assert_eq!(store.run(run(2)).unwrap().unwrap().ending, None);
    assert_eq!(store.quarantined().unwrap().len(), 1);
    let missing = StoreError::Missing { kind: "run", id: run(9).to_string() };
    assert_eq!(store.quarantine(run(9), "x"), Err(missing));
}

pub fn old_sessions_are_pruned_with_all_that_is_in_them(store: &dyn Store) {
    commit(store, (1..=8).map(|n| new_session(n, 1)).collect::<Vec<_>>()).unwrap();
    let all = [started(1, 1), queues(1), passes(1, 1), replied(1, None), ends("task-committed")];
    commit(store, [says(1, 1, 5), says(1, 2, 6), events(1, 0, all, 99)]).unwrap();
    // These stay: changed later, an open run, one that resumes by itself, a queued prompt, an open attempt.
    commit(store, [says(2, 2, 100)]).unwrap();
    commit(store, [events(3, 0, [started(3, 3), began(3)], 5)]).unwrap();
    commit(store, [events(4, 0, [started(4, 4), ends_until(7)], 5)]).unwrap();
    let (queued, chat) = (|n| queued(n, n, "x", 5), |n| chat_begins(n, n, n, 5));
    commit(store, [queued(5), queued(6), chat(6), queued(7), chat(7)]).unwrap();
    commit(store, [chat_ends(7, 7, false)]).unwrap();
    let last_place = store.last_place().unwrap();

    let pruned = store.prune_sessions(100).unwrap();
    let expected = surefire::store::Pruned {
        runs: 1,
        sessions: [1, 7, 8].map(session).to_vec(),
        attempts: [1, 7].map(attempt).to_vec(),
    };
    assert_eq!(pruned, expected);
    let mut left: Vec<_> = store.sessions(9).unwrap().iter().map(|session| session.id).collect();
    left.sort();
    assert_eq!(left, [2, 3, 4, 5, 6].map(session));
    assert_eq!((store.run(run(1)), store.events(run(1), 0, 9)), (Ok(None), Ok(vec![])));
    assert_eq!((store.messages(session(1), 0, 9), store.attempt(attempt(1))), (Ok(vec![]), Ok(None)));
    assert_eq!((store.prompt(prompt(1)), store.prompt(prompt(7))), (Ok(None), Ok(None)));
    assert_eq!(store.last_place(), Ok(last_place), "places are not given out twice");
    assert_eq!(store.prune_sessions(100), Ok(surefire::store::Pruned::default()));
    commit(store, [events(3, 2, [ends("x")], 6)]).unwrap();
    assert_eq!(store.prune_sessions(100).unwrap().sessions, [session(3)]);
    store.reclaim().unwrap();
}

pub fn lists_go_on_page_after_page(store: &dyn Store) {
    for n in 1..=7 {
        commit(store, [new_session(n, n.try_into().unwrap()), events(n, 0, [started(n, n), ends("x")], 50)])
            .unwrap();
    }
    let page = |before, limit| {
        let filter = RunFilter { before, limit: Some(limit), ..RunFilter::default() };
        store.runs(&filter).unwrap().iter().map(|run| run.id).collect::<Vec<_>>()
    };
    assert_eq!(page(None, 3), [7, 6, 5].map(run));
    // What begins meanwhile moves nothing.
    commit(store, [new_session(8, 8), events(8, 0, [started(8, 8)], 60)]).unwrap();
    assert_eq!(page(Some(run(5)), 3), [4, 3, 2].map(run));
    assert_eq!(page(Some(run(2)), 3), [run(1)]);
    assert_eq!(page(Some(run(1)), 3), []);
    let ended = RunFilter { before: Some(run(8)), open: Some(false), limit: Some(1), ..RunFilter::default() };
    assert_eq!(store.runs(&ended).unwrap()[0].id, run(7));
    let gone = RunFilter { before: Some(run(99)), ..RunFilter::default() };
    assert_eq!(store.runs(&gone), Err(StoreError::Missing { kind: "run", id: run(99).to_string() }));

    let ids = |sessions: &[surefire::store::Session]| sessions.iter().map(|it| it.id).collect::<Vec<_>>();
    let first = store.sessions(3).unwrap();
    assert_eq!(ids(&first), [8, 7, 6].map(session));
    // The last of the page has moved to the top since; the list goes on where the page ended.
    commit(store, [says(6, 1, 99)]).unwrap();
    let second = store.sessions_before(first.last().unwrap(), 3).unwrap();
    assert_eq!(ids(&second), [5, 4, 3].map(session));
    let third = store.sessions_before(second.last().unwrap(), 3).unwrap();
    assert_eq!(ids(&third), [2, 1].map(session));
    assert_eq!(store.sessions_before(third.last().unwrap(), 3), Ok(vec![]));
}

pub fn a_forgotten_session_leaves_nothing(store: &dyn Store) {
    commit(store, [new_session(2, 1)]).unwrap();
    commit(store, [events(2, 0, [started(2, 2), queues(2), began(2)], 1), says(2, 2, 1)]).unwrap();
    let before = everything(store).unwrap();

    commit(store, [new_session(1, 1), says(1, 1, 2), says(1, 3, 3)]).unwrap();
    commit(store, [events(1, 0, [started(1, 1), queues(1), queues(3), passes(1, 1), ends("x")], 4)]).unwrap();
    commit(store, [queued(4, 1, "", 5)]).unwrap();
    commit(store, [chat_begins(4, 1, 4, 6), switches(1, false)]).unwrap();
    let place = store.last_place().unwrap();

    commit(store, [Change::Forgotten { session: session(1) }]).unwrap();
    assert_eq!(store.last_place(), Ok(place));
    let after = everything(store).unwrap().replace(&format!("]\n{place}\n"), "]\n3\n");
    assert_eq!(after, before);

    // And it can come back, as a new one.
    let again = commit(store, [new_session(1, 9), says(1, 9, 9)]).unwrap();
    assert_eq!(messages_of(&again)[0].offset, 0);
    assert_eq!(store.orchestration(Some(session(1))), Ok(true));
}

pub fn recipes_are_switched_everywhere_or_for_one_session(store: &dyn Store) {
    commit(store, [new_session(1, 1), new_session(2, 1)]).unwrap();
    let switch = |change| commit(store, [change]).map(|_| ()).unwrap();
    let everywhere = |enabled| Change::Orchestration { enabled };
    let are_on = || {
        [None, Some(session(1)), Some(session(2)), Some(session(9))]
            .map(|session| store.orchestration(session).unwrap())
    };
    assert_eq!(are_on(), [true, true, true, true]);
    switch(switches(1, false));
    assert_eq!(are_on(), [true, false, true, true]);
    switch(everywhere(false));
    assert_eq!(are_on(), [false, false, false, false]);
    switch(switches(1, true));
    switch(switches(2, false));
    switch(switches(2, false));
    assert_eq!(are_on(), [false, false, false, false]);
    switch(everywhere(true));
    assert_eq!(are_on(), [true, true, false, true]);
    switch(switches(2, true));
    assert_eq!(are_on(), [true, true, true, true]);
}

pub fn nothing_is_a_commit_too(store: &dyn Store) {
    assert_eq!(commit(store, []), Ok(Committed::default()));
    assert_eq!(store.last_place(), Ok(0));
    assert_eq!(store.events_of_all(0, 9), Ok(vec![]));
    assert_eq!(store.sessions(9), Ok(vec![]));
    assert_eq!(store.prune(u64::MAX), Ok(0));
}

pub fn every_kind_of_event_comes_back_as_it_was(store: &dyn Store) {
    use std::time::Duration;
    use surefire::run::{Limits, Purpose, Read, ResumedBy};
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
        reply(attempt(1), Read::Unread { unread: "no-json".into(), problem: problem.clone() }),
        Event::Reasked { step: step.clone(), number: 1, of: 3, problem: problem.clone() },
        turn(attempt(2), Purpose::Remind { number: 1, problem }),
        queues(1),
        reply(
            attempt(2),
            Read::Outcome {
                outcome: "complete".into(),
                description: Some("ü".into()),
                repaired: vec!["fence".into()],
            },
        ),
        moved("code-review", 2),
        turn(attempt(3), Purpose::Pass { prompt: prompt(1) }),
        reply(attempt(3), Read::NotAsked),
        turn(attempt(4), Purpose::Continue),
        ends_until(77),
        Event::Resumed {
            by: ResumedBy::Auto,
            limits: Limits {
                time: Some(Duration::from_millis(1)),
                budget_usd: Some(1e-9),
                ..Limits::default()
            },
            extra_visits: 2,
            extra_steps: 3,
            told: vec![prompt(1)],
        },
    ];
    commit(store, [new_session(1, 1), events(1, 0, all.clone(), 1)]).unwrap();
    let read: Vec<_> = store.events(run(1), 0, 99).unwrap().into_iter().map(|it| it.event).collect();
    assert_eq!(read, all);
}

/// Commits of every kind, each of which can be written once the ones before it are.
fn commits_of_every_kind() -> Vec<Vec<Change>> {
    let process = Process { pid: 4711, started: "then".into() };
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
        vec![expects(1, 10), events(1, 3, [replied(2, Some(0.5)), moved("fix", 2), passes(3, 3)], 6)],
        vec![expects(1, 11), events(1, 6, [ends_unheard("interrupted")], 7)],
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
    let forgets = [expects(2, 1), Change::Forgotten { session: session(2) }];
    commit(store, forgets.clone()).unwrap();
    let written = everything(store).unwrap();
    let missing = StoreError::Missing { kind: "session", id: session(2).to_string() };
    assert_eq!(commit(store, forgets), Err(missing), "there is nothing left that it could be stale about");
    assert_eq!(everything(store).unwrap(), written);
}

pub fn a_writer_that_knows_too_little_of_a_session_writes_nothing(store: &dyn Store) {
    commit(store, [new_session(1, 1), expects(1, 0), says(1, 1, 1)]).unwrap();
    let commits = || store.session(session(1)).unwrap().unwrap().commits;
    commit(store, [says(1, 2, 1)]).unwrap();
    assert_eq!(commits(), 1, "only who expects something counts");
    let stale = |expected, found| StoreError::StaleSession { session: session(1), expected, found };
    assert_eq!(commit(store, [says(1, 3, 1), expects(1, 0)]), Err(stale(0, 1)));
    assert_eq!(commit(store, [expects(1, 2), says(1, 3, 1)]), Err(stale(2, 1)));
    assert_eq!(
        stale(2, 1).to_string(),
        format!("session {} has had 1 commits, the writer knew 2; read it again", session(1))
    );
    assert_eq!(store.session(session(1)).unwrap().unwrap().messages, 2);
    // The changes apply in order, so the second one knows of the first.
    commit(store, [expects(1, 1), expects(1, 2)]).unwrap();
    assert_eq!((commits(), commit(store, [expects(1, 3), expects(1, 3)])), (3, Err(stale(3, 4))));
    let changed_at = store.session(session(1)).unwrap().unwrap().changed_at;
    assert_eq!(changed_at, 1, "and nothing happened in it");
}

pub fn entries_come_back_in_order_with_their_messages(store: &dyn Store) {
    let of = |n, at| message(1, n, at);
    let with = |event, n| Entry { event: Some(event), message: Some(of(n, 5)) };
    let queue = SessionEvent::PromptQueued { prompt: prompt(1), text: "a".into() };
    let changes = [
        new_session(1, 1),
        Change::Session {
            session: session(1),
            at: 2,
            entries: vec![
                Entry { event: Some(queue.clone()), message: Some(of(0, 2)) },
                Entry { event: None, message: Some(of(1, 3)) },
                SessionEvent::Opened.into(),
            ],
        },
        Change::Run {
            run: run(1),
            after: 0,
            at: 5,
            entries: vec![
                started(1, 1).into(),
                with(began(1), 2),
                Entry { event: None, message: Some(NewMessage { run: Some(run(1)), ..of(3, 5) }) },
                with(replied(1, None), 5),
            ],
        },
    ];
    let committed = commit(store, changes).unwrap();
    let told = |written: &Written| {
        let event = written.event.as_ref().map(|event| match event {
            WrittenEvent::Run(recorded) => format!("{} {}", recorded.event.name(), recorded.seq),
            WrittenEvent::Session { session: of, event } => {
                assert_eq!(*of, session(1));
                format!("{event:?}").split([' ', '(']).next().unwrap().to_owned()
            }
        });
        (event, written.message.as_ref().map(|it| (it.offset, it.text.clone())))
    };
    let event = |text: &str| Some(text.to_owned());
    let said = |offset, n: u64| Some((offset, format!("words {n}")));
    assert_eq!(
        committed.entries.iter().map(told).collect::<Vec<_>>(),
        [
            (event("Began"), None),
            (event("PromptQueued"), said(0, 0)),
            (None, said(1, 1)),
            (event("Opened"), None),
            (event("started 1"), None),
            (event("turn_began 2"), said(2, 2)),
            (None, said(3, 3)),
            (event("replied 3"), said(4, 5)),
        ]
    );
    assert_eq!(messages_of(&committed), store.messages(session(1), 0, 9).unwrap());
    assert_eq!(events_of(&committed), store.events(run(1), 0, 9).unwrap());
    assert_eq!(Some(&committed.sessions[0]), store.session(session(1)).unwrap().as_ref());
}

pub fn what_a_stopped_run_withdraws_is_not_queued(store: &dyn Store) {
    commit(store, [new_session(1, 1), new_session(2, 1), queued(9, 2, "b", 1)]).unwrap();
    let all = [started(1, 1), queues(1), queues(2), queues(3), passes(1, 1)];
    commit(store, [events(1, 0, all, 2)]).unwrap();
    // The first would be queued again, the last is another session's.
    commit(store, [events(1, 5, [ends_withdrawing("user-requested", [1, 2, 9])], 3)]).unwrap();
    let waiting = |n| store.waiting(session(n)).unwrap().iter().map(|it| it.prompt).collect::<Vec<_>>();
    assert_eq!((waiting(1), waiting(2)), (vec![prompt(3)], vec![prompt(9)]));
    assert_eq!(store.prompt(prompt(2)).unwrap().unwrap().text, "please 2");
    commit(store, [withdraws(1, [3, 9])]).unwrap();
    assert_eq!((waiting(1), waiting(2)), (vec![], vec![prompt(9)]));
}

pub fn what_is_forgotten_in_the_commit_that_added_it_is_not_written(store: &dyn Store) {
    let changes = [
        new_session(1, 1),
        queued(1, 1, "a", 1),
        events(1, 0, [started(1, 1), began(1), ends("x")], 1),
        says(1, 1, 1),
        Change::Forgotten { session: session(1) },
        new_session(1, 2),
        queued(1, 1, "b", 2),
        events(1, 0, [started(1, 1), began(1)], 2),
        Change::Forgotten { session: session(2) },
    ];
    commit(store, [new_session(2, 1)]).unwrap();
    let committed = commit(store, changes).unwrap();
    assert_eq!(events_of(&committed).iter().map(|it| it.place).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert_eq!(store.events_of_all(0, 9).unwrap(), events_of(&committed)[3..]);
    assert_eq!(store.messages(session(1), 0, 9), Ok(vec![]));
    assert_eq!(store.waiting(session(1)).unwrap()[0].text, "b");
    assert_eq!(store.run(run(1)).unwrap().unwrap().last_seq, 2);

    // Places are not given twice, also where none of their events was ever written.
    let gone = [new_session(3, 1), events(3, 0, [started(3, 3), ends("x")], 3)];
    commit(store, [&gone[..], &[Change::Forgotten { session: session(3) }]].concat()).unwrap();
    assert_eq!(store.last_place(), Ok(7));
}

/// Lists the tests once, for the function that calls them all and for the macro that makes tests of them.
macro_rules! suite {
    ($($test:ident,)*) => {
        /// Calls every function of this module, each with a store of its own.
        ///
        /// ```
        /// use surefire::store::Memory;
        /// use surefire_testkit::conformance::store;
        ///
        /// store::all(|test| test(&Memory::default()));
        /// ```
        pub fn all(with_store: impl Fn(fn(&dyn Store))) {
            $(with_store($test);)*
        }

        /// Makes a test of each function of [`conformance::store`](crate::conformance::store), for one store.
        ///
        /// It is given a function that makes an empty store, and calls with it the test that it is handed. Each store has
        /// a module of its own:
        ///
        /// ```
        /// mod memory {
        ///     surefire_testkit::store_conformance!(|test| test(&surefire::store::Memory::default()));
        /// }
        ///
        /// mod sqlite {
        ///     surefire_testkit::store_conformance!(|test| {
        ///         let folder = tempfile::tempdir().unwrap();
        ///         test(&surefire::store::Sqlite::open(folder.path()).unwrap().store);
        ///     });
        /// }
        /// ```
        #[macro_export]
        macro_rules! store_conformance {
            ($with_store:expr) => {
                $(#[test]
                fn $test() {
                    let with_store: fn(fn(&dyn ::surefire::store::Store)) = $with_store;
                    with_store($crate::conformance::store::$test);
                })*
            };
        }
    };
}

suite! {
    a_session_is_there_from_its_first_commit_on,
    a_commit_names_the_sessions_that_it_began,
    what_was_said_in_an_attempt_is_found,
    sessions_are_listed_by_their_last_change,
    messages_have_offsets_without_gaps_and_times_that_never_decrease,
    words_come_back_as_they_were,
    what_agents_are_told_again_comes_back_in_full,
    a_run_follows_its_events,
    events_are_numbered_and_come_back_as_they_were,
    every_kind_of_event_comes_back_as_it_was,
    a_stale_writer_writes_nothing,
    what_is_not_there_is_named,
    contradictions_are_refused,
    a_commit_is_written_whole_or_not_at_all,
    of_racing_starts_one_wins,
    of_writers_who_know_the_same_one_wins,
    a_session_has_one_run_at_a_time,
    prompts_wait_until_the_agent_is_told,
    a_prompt_is_passed_on_once,
    a_prompt_that_the_agent_may_have_got_is_known_as_such,
    a_prompt_that_was_withdrawn_is_never_delivered,
    what_a_failed_turn_cost_counts,
    sessions_with_somebody_waiting_are_known,
    a_run_that_waits_can_end_once_more,
    a_run_can_take_over_a_prompt,
    attempts_are_open_until_they_end,
    runs_are_filtered,
    old_runs_are_pruned_and_the_conversation_stays,
    a_run_that_is_set_aside_holds_nothing_up_and_keeps_its_events,
    old_sessions_are_pruned_with_all_that_is_in_them,
    lists_go_on_page_after_page,
    a_forgotten_session_leaves_nothing,
    recipes_are_switched_everywhere_or_for_one_session,
    nothing_is_a_commit_too,
    a_commit_that_is_applied_twice_is_stale_and_harmless,
    a_writer_that_knows_too_little_of_a_session_writes_nothing,
    entries_come_back_in_order_with_their_messages,
    what_a_stopped_run_withdraws_is_not_queued,
    what_is_forgotten_in_the_commit_that_added_it_is_not_written,
}
