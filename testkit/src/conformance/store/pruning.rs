//! Old runs and sessions are pruned, and what is still needed stays.

use crate::fixtures::{
    attempt, began, chat_begins, chat_ends, commit, ends, ends_until, events, events_of, message,
    new_session, passes, prompt, queued, queues, replied, resumes, run, says, session, started,
};
use surefire::store::{Change, NewMessage, Pruned, RunFilter, Store};

pub fn old_runs_are_pruned_and_the_conversation_stays(store: &dyn Store) {
    commit(store, (1..=6).map(|n| new_session(n, 1)).collect::<Vec<_>>()).unwrap();
    let said = NewMessage { run: Some(run(1)), ..message(1, 1, 5) };
    commit(store, [Change::message(said)]).unwrap();
    let heard = [
        started(1, 1),
        queues(1),
        passes(1, 1),
        replied(1, None),
        queues(2),
        ends("task-committed"),
    ];
    commit(store, [events(1, 0, heard, 99)]).unwrap();
    commit(store, [events(2, 0, [started(2, 2), ends("task-committed")], 100)]).unwrap();
    commit(store, [events(3, 0, [started(3, 3), began(3)], 5)]).unwrap();
    commit(store, [events(4, 0, [started(4, 4), ends_until(150)], 5)]).unwrap();
    commit(store, [events(5, 0, [started(5, 5), ends_until(50)], 5)]).unwrap();
    commit(store, [events(6, 0, [started(6, 6), ends("x"), resumes()], 5)]).unwrap();
    let last_global_seq = store.last_global_seq().unwrap();

    // The first has ended; the second ended later, the third and sixth are running, the fourth
    // will resume.
    assert_eq!(store.prune(100), Ok(2));
    let left: Vec<_> =
        store.runs(&RunFilter::default()).unwrap().iter().map(|run| run.id).collect();
    assert_eq!(left, [6, 4, 3, 2].map(run));
    assert_eq!((store.run(run(1)), store.events(run(1), 0, 9)), (Ok(None), Ok(vec![])));
    assert_eq!(store.attempt(attempt(1)), Ok(None));
    assert_eq!(store.messages(session(1), 0, 9).unwrap()[0].run, Some(run(1)));
    let waiting: Vec<_> =
        store.queued_prompts(session(1)).unwrap().iter().map(|it| it.prompt).collect();
    assert_eq!(waiting, [prompt(2)], "a queued prompt is not lost");
    assert_eq!(store.attempt(attempt(3)).unwrap().map(|it| it.ended), Some(false));
    assert_eq!(store.prune(100), Ok(0));
    assert_eq!(store.prune(1_000), Ok(2));

    // Global sequence numbers are not reused, and no remaining event is missed.
    commit(store, [events(3, 2, [ends("x")], 6), events(6, 3, [ends("x")], 6)]).unwrap();
    assert_eq!(store.prune(u64::MAX), Ok(2));
    assert_eq!(store.events_of_all(0, 9), Ok(vec![]));
    assert_eq!(store.last_global_seq(), Ok(last_global_seq + 2));
    let next = commit(store, [events(7, 0, [started(7, 1)], 200)]).unwrap();
    assert_eq!(events_of(&next)[0].global_seq, last_global_seq + 3);
}

pub fn old_sessions_are_pruned_with_all_that_is_in_them(store: &dyn Store) {
    commit(store, (1..=8).map(|n| new_session(n, 1)).collect::<Vec<_>>()).unwrap();
    let all = [started(1, 1), queues(1), passes(1, 1), replied(1, None), ends("task-committed")];
    commit(store, [says(1, 1, 5), says(1, 2, 6), events(1, 0, all, 99)]).unwrap();
    // These stay: changed later, an open run, one that resumes automatically, a queued prompt, an
    // open attempt.
    commit(store, [says(2, 2, 100)]).unwrap();
    commit(store, [events(3, 0, [started(3, 3), began(3)], 5)]).unwrap();
    commit(store, [events(4, 0, [started(4, 4), ends_until(7)], 5)]).unwrap();
    let (queued, chat) = (|n| queued(n, n, "x", 5), |n| chat_begins(n, n, n, 5));
    commit(store, [queued(5), queued(6), chat(6), queued(7), chat(7)]).unwrap();
    commit(store, [chat_ends(7, 7, false)]).unwrap();
    let last_global_seq = store.last_global_seq().unwrap();

    let pruned = store.prune_sessions(100).unwrap();
    let expected = Pruned {
        runs: 1,
        sessions: [1, 7, 8].map(session).to_vec(),
        attempts: [1, 7].map(attempt).to_vec(),
    };
    assert_eq!(pruned, expected);
    let mut left: Vec<_> = store.sessions(9).unwrap().iter().map(|session| session.id).collect();
    left.sort();
    assert_eq!(left, [2, 3, 4, 5, 6].map(session));
    assert_eq!((store.run(run(1)), store.events(run(1), 0, 9)), (Ok(None), Ok(vec![])));
    assert_eq!(
        (store.messages(session(1), 0, 9), store.attempt(attempt(1))),
        (Ok(vec![]), Ok(None))
    );
    assert_eq!((store.prompt(prompt(1)), store.prompt(prompt(7))), (Ok(None), Ok(None)));
    assert_eq!(store.last_global_seq(), Ok(last_global_seq), "numbers are not reused");
    assert_eq!(store.prune_sessions(100), Ok(Pruned::default()));
    commit(store, [events(3, 2, [ends("x")], 6)]).unwrap();
    assert_eq!(store.prune_sessions(100).unwrap().sessions, [session(3)]);
    store.reclaim().unwrap();
}
