//! A prompt is queued until the agent gets it or it is withdrawn, and the agent gets it once.

use crate::fixtures::{
    attempt, began, chat_begins, chat_ends, commit, ends, ends_redelivering, ends_withdrawing,
    events, message, messages_of, new_session, passes, prompt, queued, queues, replied, resumes,
    run, session, started, withdraws,
};
use surefire::store::{Change, NewMessage, SessionEvent, Store, StoreError};

pub fn prompts_are_queued_until_the_agent_gets_them(store: &dyn Store) {
    commit(store, [new_session(1, 1), events(1, 0, [started(1, 1), began(1)], 1)]).unwrap();
    commit(store, [events(1, 2, [queues(1)], 2), events(1, 3, [queues(2)], 3)]).unwrap();
    let waiting = || {
        let waiting = store.queued_prompts(session(1)).unwrap();
        waiting.iter().map(|it| (it.prompt, it.text.clone(), it.at)).collect::<Vec<_>>()
    };
    let (first, second) =
        ((prompt(1), "please 1".to_owned(), 2), (prompt(2), "please 2".to_owned(), 3));
    assert_eq!(waiting(), [first.clone(), second.clone()]);

    commit(store, [events(1, 4, [replied(1, None), passes(2, 1)], 4)]).unwrap();
    assert_eq!(waiting(), std::slice::from_ref(&second));
    // Interrupted, and it is unknown whether the agent got it: it is queued again, first in line.
    commit(store, [events(1, 6, [ends_redelivering("interrupted")], 5)]).unwrap();
    assert_eq!(waiting(), [first, second.clone()]);

    commit(
        store,
        [events(1, 7, [resumes(), passes(3, 1)], 6), events(1, 9, [replied(3, None)], 7)],
    )
    .unwrap();
    commit(store, [events(1, 10, [began(4), ends("x")], 8)]).unwrap();
    assert_eq!(waiting(), [second], "what was answered does not come back");

    // A prompt that a run left queued can be delivered outside of it.
    let prompt = prompt(2);
    commit(store, [chat_begins(5, 1, 2, 9)]).unwrap();
    assert_eq!(waiting(), []);
    assert_eq!(store.sessions_with_queued_prompts().unwrap(), []);
    assert_eq!(store.prompt(prompt).unwrap().unwrap().text, "please 2", "its text is still known");
}

pub fn a_prompt_is_delivered_once(store: &dyn Store) {
    commit(store, [new_session(1, 1)]).unwrap();
    let queued = |n| queued(n, 1, "a", 1);
    let begins = |n, p| chat_begins(n, 1, p, 2);
    let ended = |n, requeued| chat_ends(n, 1, requeued);
    let waiting =
        || store.queued_prompts(session(1)).unwrap().iter().map(|it| it.prompt).collect::<Vec<_>>();
    commit(store, [queued(1), queued(2), queued(3)]).unwrap();
    commit(store, [begins(1, 1)]).unwrap();
    let twice = commit(store, [begins(2, 1)]);
    assert!(
        matches!(&twice, Err(StoreError::Contradiction { what }) if what.contains("already")),
        "{twice:?}"
    );
    // An agent that could not be started has not received the prompt.
    commit(store, [ended(1, true)]).unwrap();
    assert_eq!(waiting(), [prompt(1), prompt(2), prompt(3)]);
    commit(store, [begins(3, 1), ended(3, false)]).unwrap();
    commit(store, [withdraws(1, [2, 9])]).unwrap();
    assert_eq!(waiting(), [prompt(3)]);
    // A user who ends a run knows which prompt it worked on, so it is not queued again.
    commit(
        store,
        [events(1, 0, [started(1, 1), queues(4), passes(4, 4), ends("user-requested")], 3)],
    )
    .unwrap();
    assert_eq!(waiting(), [prompt(3)]);
    commit(store, [events(2, 0, [started(2, 1)], 4)]).unwrap();
    let busy = StoreError::Busy { session: session(1), holder: run(2) };
    assert_eq!(commit(store, [begins(5, 3)]), Err(busy), "a run delivers its prompts itself");
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
    commit(store, [events(1, 3, [ends_redelivering("worker_failed")], 5)]).unwrap();
    let waiting = store.queued_prompts(session(1)).unwrap();
    let waiting: Vec<_> = waiting.iter().map(|it| (it.prompt, it.again)).collect();
    assert_eq!(waiting, [(prompt(2), false), (prompt(3), true)]);
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

pub fn what_a_stopped_run_withdraws_is_not_queued(store: &dyn Store) {
    commit(store, [new_session(1, 1), new_session(2, 1), queued(9, 2, "b", 1)]).unwrap();
    let all = [started(1, 1), queues(1), queues(2), queues(3), passes(1, 1)];
    commit(store, [events(1, 0, all, 2)]).unwrap();
    // The first would be queued again, the last is another session's.
    commit(store, [events(1, 5, [ends_withdrawing("user-requested", [1, 2, 9])], 3)]).unwrap();
    let waiting = |n| {
        store.queued_prompts(session(n)).unwrap().iter().map(|it| it.prompt).collect::<Vec<_>>()
    };
    assert_eq!((waiting(1), waiting(2)), (vec![prompt(3)], vec![prompt(9)]));
    assert_eq!(store.prompt(prompt(2)).unwrap().unwrap().text, "please 2");
    commit(store, [withdraws(1, [3, 9])]).unwrap();
    assert_eq!((waiting(1), waiting(2)), (vec![], vec![prompt(9)]));
}

pub fn sessions_with_queued_prompts_are_known(store: &dyn Store) {
    commit(store, [new_session(1, 1), new_session(2, 1), new_session(3, 1)]).unwrap();
    let queued = |n, at| queued(n, at, "a", 1);
    commit(store, [queued(1, 3), queued(2, 1), queued(3, 3)]).unwrap();
    assert_eq!(store.sessions_with_queued_prompts().unwrap(), [session(1), session(3)]);
    assert_eq!(store.prompt(prompt(9)).unwrap(), None);
}

pub fn a_run_can_take_over_a_prompt(store: &dyn Store) {
    commit(store, [new_session(1, 1)]).unwrap();
    let queued = |n, at| queued(n, 1, "a", at);
    commit(store, [queued(1, 2), queued(2, 3)]).unwrap();
    commit(store, [events(1, 0, [started(1, 1), queues(2), queues(1)], 4)]).unwrap();
    let waiting: Vec<_> =
        store.queued_prompts(session(1)).unwrap().iter().map(|it| it.prompt).collect();
    assert_eq!(waiting, [prompt(1), prompt(2)], "both keep their place");
    commit(store, [events(1, 3, [passes(1, 1)], 5)]).unwrap();
    assert_eq!(store.queued_prompts(session(1)).unwrap().len(), 1);
}
