//! A session begins once, is listed by its last change, and has its own switch for recipes.

use crate::fixtures::{
    begins, commit, events, new_session, opens, queued, run, says, session, started, switches,
};
use surefire::store::{Change, NewSession, Store};

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
    let first =
        begun(vec![new_session(1, 10), new_session(1, 11), says(1, 1, 20), new_session(2, 12)]);
    assert_eq!(
        first.iter().map(|it| (it.id, it.messages)).collect::<Vec<_>>(),
        [(session(1), 1), (session(2), 0)]
    );
    assert_eq!(first[0].changed_at, 20, "it is returned as it is after the whole commit");
    assert_eq!(Some(&first[0]), store.session(session(1)).unwrap().as_ref());
    assert_eq!(begun(vec![new_session(1, 30), says(1, 2, 30)]), [], "it was there already");

    let second = begun(vec![new_session(3, 40), events(1, 0, [started(1, 3)], 40)]);
    assert_eq!(second[0].run, Some(run(1)));
    let forget = |n| Change::SessionDeleted { session: session(n) };
    assert_eq!(begun(vec![new_session(4, 50), forget(4)]), []);
    let again = begun(vec![
        new_session(4, 50),
        forget(4),
        new_session(4, 51),
        forget(1),
        new_session(1, 52),
    ]);
    assert_eq!(again.iter().map(|it| it.created_at).collect::<Vec<_>>(), [51, 52]);
}

pub fn sessions_are_listed_by_their_last_change(store: &dyn Store) {
    commit(store, (1..=4).map(|n| new_session(n, 10)).collect::<Vec<_>>()).unwrap();
    let listed =
        |limit| store.sessions(limit).unwrap().iter().map(|session| session.id).collect::<Vec<_>>();
    assert_eq!(listed(9), [4, 3, 2, 1].map(session), "of equally old ones, the later comes first");

    commit(store, [events(1, 0, [started(1, 2)], 30)]).unwrap();
    commit(store, [says(1, 1, 20)]).unwrap();
    commit(store, [queued(1, 4, "hello", 25)]).unwrap();
    assert_eq!(listed(9), [2, 4, 1, 3].map(session));
    assert_eq!(listed(2), [2, 4].map(session));
    assert_eq!(listed(0), []);

    // A clock that goes back makes no session older.
    commit(store, [says(2, 2, 5)]).unwrap();
    assert_eq!(store.session(session(2)).unwrap().unwrap().changed_at, 30);
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
