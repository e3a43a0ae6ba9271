//! A session that is forgotten leaves nothing behind, even in the commit that began it.

use crate::fixtures::{
    began, chat_begins, commit, ends, events, events_of, everything, messages_of, new_session,
    passes, queued, queues, run, says, session, started, switches,
};
use surefire::store::{Change, Store};

pub fn a_forgotten_session_leaves_nothing(store: &dyn Store) {
    commit(store, [new_session(2, 1)]).unwrap();
    commit(store, [events(2, 0, [started(2, 2), queues(2), began(2)], 1), says(2, 2, 1)]).unwrap();
    let before = everything(store).unwrap();

    commit(store, [new_session(1, 1), says(1, 1, 2), says(1, 3, 3)]).unwrap();
    commit(
        store,
        [events(1, 0, [started(1, 1), queues(1), queues(3), passes(1, 1), ends("x")], 4)],
    )
    .unwrap();
    commit(store, [queued(4, 1, "", 5)]).unwrap();
    commit(store, [chat_begins(4, 1, 4, 6), switches(1, false)]).unwrap();
    let place = store.last_global_seq().unwrap();

    commit(store, [Change::SessionDeleted { session: session(1) }]).unwrap();
    assert_eq!(store.last_global_seq(), Ok(place));
    let after = everything(store).unwrap().replace(&format!("]\n{place}\n"), "]\n3\n");
    assert_eq!(after, before);

    // The same id can begin again, as a new session.
    let again = commit(store, [new_session(1, 9), says(1, 9, 9)]).unwrap();
    assert_eq!(messages_of(&again)[0].offset, 0);
    assert_eq!(store.orchestration(Some(session(1))), Ok(true));
}

pub fn what_is_forgotten_in_the_commit_that_added_it_is_not_written(store: &dyn Store) {
    let changes = [
        new_session(1, 1),
        queued(1, 1, "a", 1),
        events(1, 0, [started(1, 1), began(1), ends("x")], 1),
        says(1, 1, 1),
        Change::SessionDeleted { session: session(1) },
        new_session(1, 2),
        queued(1, 1, "b", 2),
        events(1, 0, [started(1, 1), began(1)], 2),
        Change::SessionDeleted { session: session(2) },
    ];
    commit(store, [new_session(2, 1)]).unwrap();
    let committed = commit(store, changes).unwrap();
    assert_eq!(
        events_of(&committed).iter().map(|it| it.global_seq).collect::<Vec<_>>(),
        [1, 2, 3, 4, 5]
    );
    assert_eq!(store.events_of_all(0, 9).unwrap(), events_of(&committed)[3..]);
    assert_eq!(store.messages(session(1), 0, 9), Ok(vec![]));
    assert_eq!(store.queued_prompts(session(1)).unwrap()[0].text, "b");
    assert_eq!(store.run(run(1)).unwrap().unwrap().last_seq, 2);

    // A global sequence number is never reused, even if none of its events was ever written.
    let gone = [new_session(3, 1), events(3, 0, [started(3, 3), ends("x")], 3)];
    commit(store, [&gone[..], &[Change::SessionDeleted { session: session(3) }]].concat()).unwrap();
    assert_eq!(store.last_global_seq(), Ok(7));
}
