//! Messages come back unchanged, in order, and without gaps.

use crate::fixtures::{attempt, commit, message, messages_of, new_session, run, says, session};
use surefire::store::{Change, NewMessage, Store, StoreError};

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

pub fn message_text_comes_back_unchanged(store: &dyn Store) {
    commit(store, [new_session(1, 1)]).unwrap();
    let texts =
        ["", " \n\t", "ü 🦀 \u{202e}", "a\0b", "'; DROP TABLE events; --", "{\"outcome\":\"x\"}"];
    for (n, text) in (0..).zip(texts) {
        let (attempt, run) = (Some(attempt(n)), Some(run(n)));
        let new = NewMessage { text: text.into(), attempt, run, ..message(1, n, 1) };
        commit(store, [Change::message(new)]).unwrap();
    }
    let said = store.messages(session(1), 0, 100).unwrap();
    assert_eq!(said.iter().map(|it| it.text.as_str()).collect::<Vec<_>>(), texts);
    assert_eq!((said[3].attempt, said[3].run), (Some(attempt(3)), Some(run(3))));
    assert_eq!(said[0].role, message(1, 0, 1).role);
}

pub fn repeated_prompts_come_back_in_full(store: &dyn Store) {
    commit(store, (1..=4).map(|n| new_session(n, u64::try_from(n).unwrap())).collect::<Vec<_>>())
        .unwrap();
    let prompts = ["Review the code.\n".repeat(40), "Fix what was found.\n".repeat(40)];
    // Even numbers are prompts for the agent, alternating between two texts.
    let entry = |session_n, n: usize| {
        let (text, attempt) = (prompts[n / 2 % 2].clone(), Some(attempt(n as u128)));
        Change::message(NewMessage { text, attempt, ..message(session_n, n as u128, 9) })
    };
    let texts = |n| -> Vec<String> {
        store.messages(session(n), 0, 99).unwrap().into_iter().map(|it| it.text).collect()
    };
    for n in 1..=4 {
        let answered = commit(store, [entry(n, 0), entry(n, 2), entry(n, 4), entry(n, 1)]).unwrap();
        assert_eq!(messages_of(&answered), store.messages(session(n), 0, 99).unwrap());
    }
    let all = [&prompts[0], &prompts[1], &prompts[0], &prompts[0]].map(String::clone);
    assert_eq!(texts(1), all);
    // Deleting one session leaves the others their text, and the same text can be stored again.
    commit(store, [Change::SessionDeleted { session: session(1) }]).unwrap();
    commit(store, [says(4, 9, 500)]).unwrap();
    assert_eq!((texts(1), texts(2), texts(3)), (vec![], all.to_vec(), all.to_vec()));
    assert_eq!(store.prune_sessions(100).unwrap().sessions, [2, 3].map(session));
    store.reclaim().unwrap();
    assert_eq!(texts(4)[..4], all);
    commit(
        store,
        [Change::SessionDeleted { session: session(4) }, new_session(5, 600), entry(5, 0)],
    )
    .unwrap();
    assert_eq!(texts(5), [prompts[0].clone()]);
}
