//! An attempt is open until it ends, and its passages are found.

use crate::fixtures::{
    attempt, began, chat_begins, chat_ends, commit, ends, events, message, new_session, passes,
    prompt, queued, queues, replied, resumes, run, says, session, started,
};
use surefire::store::{Change, NewMessage, ProcessRecord, Store};

pub fn attempts_are_open_until_they_end(store: &dyn Store) {
    commit(store, [new_session(1, 1), new_session(2, 1)]).unwrap();
    commit(store, [events(1, 0, [started(1, 1), queues(1), passes(1, 1)], 10)]).unwrap();
    let process = ProcessRecord { pid: 4711, started: "12345 ticks".into() };
    commit(store, [Change::Spawned { attempt: attempt(1), process: process.clone() }]).unwrap();
    commit(store, [queued(2, 2, "b", 1), chat_begins(2, 2, 2, 9)]).unwrap();

    let first = store.attempt(attempt(1)).unwrap().unwrap();
    assert_eq!(
        (first.run, first.session, first.prompt),
        (Some(run(1)), session(1), Some(prompt(1)))
    );
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

pub fn passages_of_an_attempt_are_found(store: &dyn Store) {
    commit(store, [new_session(1, 1), new_session(2, 1)]).unwrap();
    let of = |session_n, n, it| {
        let new = NewMessage { attempt: Some(attempt(it)), ..message(session_n, n, 1) };
        Change::message(new)
    };
    // Odd numbers are the agent's messages.
    commit(
        store,
        [of(1, 0, 1), of(1, 1, 1), says(1, 2, 1), of(1, 3, 2), of(1, 5, 1), says(1, 7, 1)],
    )
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
