//! A commit is written whole or not at all, and returns what was written, in order.

use crate::fixtures::{
    began, chat_begins, commit, ends, events, events_of, everything, expects, message, messages_of,
    moved, new_session, opens, passes, prompt, queued, queues, replied, run, says, session,
    started, switches,
};
use surefire::store::{
    Change, Committed, Entry, NewMessage, SessionEvent, Store, StoreError, Written, WrittenEvent,
};

pub fn a_commit_is_written_whole_or_not_at_all(store: &dyn Store) {
    commit(store, [new_session(1, 1), events(1, 0, [started(1, 1), queues(1), began(1)], 1)])
        .unwrap();
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
        Change::SessionDeleted { session: session(2) },
        // And then one that is invalid.
        events(1, 99, [ends("x")], 5),
    ];
    let stale = StoreError::Stale { run: run(1), expected: 99, found: 6 };
    assert_eq!(commit(store, changes.clone()), Err(stale));
    assert_eq!(everything(store).unwrap(), before);
    commit(store, &changes[..changes.len() - 1]).unwrap();
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
    let summary = |written: &Written| {
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
        committed.entries.iter().map(summary).collect::<Vec<_>>(),
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

pub fn an_empty_commit_is_valid(store: &dyn Store) {
    assert_eq!(commit(store, []), Ok(Committed::default()));
    assert_eq!(store.last_global_seq(), Ok(0));
    assert_eq!(store.events_of_all(0, 9), Ok(vec![]));
    assert_eq!(store.sessions(9), Ok(vec![]));
    assert_eq!(store.prune(u64::MAX), Ok(0));
}
