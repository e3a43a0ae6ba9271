//! A commit that names something missing, or contradicts what is stored, is refused with a reason.

use crate::fixtures::{
    attempt, began, begins, chat_begins, chat_ends, commit, ends, events, everything, expects,
    message, new_session, opens, passes, prompt, queued, queues, replied, resumes, run, session,
    started, switches, withdraws,
};
use surefire::store::{Change, Entry, NewSession, ProcessRecord, SessionEvent, Store, StoreError};

pub fn what_is_not_there_is_named(store: &dyn Store) {
    commit(store, [new_session(1, 1), new_session(2, 1), events(1, 0, [started(1, 1)], 1)])
        .unwrap();
    commit(store, [events(1, 1, [queues(1), began(1)], 1)]).unwrap();
    let before = everything(store).unwrap();
    let missing = session(7);
    let process = ProcessRecord { pid: 7, started: "now".into() };
    let table = [
        (events(7, 0, [began(7)], 1), "run", run(7).to_string()),
        (events(7, 3, [ends("x")], 1), "run", run(7).to_string()),
        (events(7, 3, [started(7, 2)], 1), "run", run(7).to_string()),
        (events(7, 0, [], 1), "run", run(7).to_string()),
        (events(7, 0, [started(7, 7)], 1), "session", missing.to_string()),
        (events(1, 3, [replied(1, None), passes(2, 7)], 1), "prompt", prompt(7).to_string()),
        (Change::Spawned { attempt: attempt(7), process }, "attempt", attempt(7).to_string()),
        (chat_begins(8, 2, 7, 1), "prompt", prompt(7).to_string()),
        (chat_begins(8, 2, 1, 1), "prompt", prompt(1).to_string()),
        (chat_begins(8, 7, 1, 1), "session", missing.to_string()),
        (chat_ends(7, 1, false), "attempt", attempt(7).to_string()),
        // The turns of a run end with its events.
        (chat_ends(1, 1, false), "attempt", attempt(1).to_string()),
        (opens(7), "session", missing.to_string()),
        (switches(7, false), "session", missing.to_string()),
        (Change::SessionDeleted { session: missing }, "session", missing.to_string()),
        (expects(7, 0), "session", missing.to_string()),
        (withdraws(7, []), "session", missing.to_string()),
        (
            Change::Session { session: missing, at: 1, entries: vec![] },
            "session",
            missing.to_string(),
        ),
    ];
    for (change, kind, id) in table {
        let shown = format!("{change:?}");
        assert_eq!(commit(store, [change]), Err(StoreError::Missing { kind, id }), "{shown}");
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
        ("with another run's spec", events(3, 0, [started(4, 3)], 1)),
        ("is running already", events(1, 3, [resumes()], 1)),
        ("has ended", events(2, 2, [began(4)], 1)),
        ("has ended", events(2, 2, [queues(4)], 1)),
        ("in the middle of a turn", events(1, 3, [began(4)], 1)),
        ("not in the turn", events(1, 3, [replied(4, None)], 1)),
        ("not in the turn", events(1, 3, [replied(1, None), replied(1, None)], 1)),
        ("exists already", events(1, 3, [replied(1, None), began(1)], 1)),
        // A prompt of another session.
        ("exists already", events(1, 3, [queues(2)], 1)),
        ("exists already", queued(2)),
        ("UTF-8", unreadable),
        (
            "neither an event nor a message",
            Change::Run { run: run(1), after: 3, at: 1, entries: empty() },
        ),
        (
            "neither an event nor a message",
            Change::Session {
                session: session(1),
                at: 1,
                entries: vec![Entry { event: None, message: None }],
            },
        ),
        (
            "in an entry of session",
            Change::Run { run: run(1), after: 3, at: 1, entries: of_another() },
        ),
        (
            "in an entry of session",
            Change::Session {
                session: session(1),
                at: 1,
                entries: vec![Entry { event: None, message: Some(message(3, 1, 1)) }],
            },
        ),
        ("cannot begin as", begins_as_another),
    ];
    for (words, change) in table {
        let shown = format!("{change:?}");
        match commit(store, [change]) {
            Err(StoreError::Contradiction { what }) => {
                assert!(what.contains(words), "{what}: {shown}");
            }
            other => panic!("{other:?}: {shown}"),
        }
    }
    assert_eq!(everything(store).unwrap(), before);
}
