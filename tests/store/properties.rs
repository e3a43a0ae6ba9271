//! For random commits, sensible or not, both stores accept the same ones, refuse the others with
//! the same errors, and return the same data.

use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, any, proptest};
use proptest::test_runner::RngSeed;
use surefire::run::{Event, PromptId, SessionId};
use surefire::store::{Change, Commit, Entry, Memory, ProcessRecord, SessionEvent, Sqlite, Store};
use surefire_testkit::fixtures::{
    attempt, began, commit, ends, ends_until, ends_withdrawing, events, everything, expects,
    message, moved, new_session, opens, passes_on, prompt, queued, queues, replied_to, resumes,
    run, says, session, started, switches, withdraws,
};

/// Few of each, so that the changes affect each other.
const SESSIONS: u128 = 3;
const RUNS: u128 = 4;
const PROMPTS: u128 = 6;

/// Random bytes that become a change: mostly a valid one, sometimes an arbitrary one.
#[derive(Debug, Clone, Copy)]
struct Dice([u8; 8]);

impl Dice {
    fn below(self, index: usize, limit: u128) -> u128 {
        u128::from(self.0[index]) % limit
    }

    fn session(self) -> u128 {
        self.below(1, SESSIONS)
    }

    fn at(self) -> u64 {
        u64::from(self.0[6])
    }

    fn is_sensible(self) -> bool {
        self.0[7] < 220
    }

    /// An attempt that does not exist yet.
    fn attempt(self, store: &dyn Store) -> u128 {
        let unused = (0..200).find(|n| store.attempt(attempt(*n)).unwrap().is_none());
        if self.is_sensible() { unused.unwrap() } else { self.below(4, 20) }
    }

    /// A prompt that is queued in a session.
    fn prompt(self, store: &dyn Store, session: SessionId) -> PromptId {
        let queued = store.queued_prompts(session).unwrap().first().map(|it| it.prompt);
        queued.filter(|_| self.is_sensible()).unwrap_or_else(|| prompt(self.below(3, PROMPTS)))
    }

    fn change(self, store: &dyn Store) -> Change {
        let (session, at, even) = (session(self.session()), self.at(), self.0[5].is_multiple_of(2));
        let open = store.open_attempts().unwrap();
        match self.0[0] % 32 {
            0 => new_session(self.session(), at),
            1..4 => says(self.session(), self.below(5, 99), at),
            4..6 => queued(self.below(3, PROMPTS), self.session(), "a", at),
            6..8 => {
                let (attempt, prompt) = (attempt(self.attempt(store)), self.prompt(store, session));
                Change::session(session, at, SessionEvent::ChatBegan { attempt, prompt })
            }
            8..10 => {
                let chat = open.iter().find(|it| it.run.is_none());
                let attempt = chat.map_or_else(|| attempt(self.below(4, 20)), |it| it.id);
                let requeued = self.below(0, 2) == 1;
                let ended = SessionEvent::ChatEnded { attempt, answered: !requeued, requeued };
                Change::session(chat.map_or(session, |it| it.session), at, ended)
            }
            10 => {
                let process = ProcessRecord { pid: i32::from(self.0[5]), started: "then".into() };
                let any = attempt(self.below(4, 20));
                Change::Spawned { attempt: open.first().map_or(any, |it| it.id), process }
            }
            11 => opens(self.session()),
            12 => switches(self.session(), even),
            13 => Change::Orchestration { enabled: even },
            14 if even => Change::SessionDeleted { session },
            15 => {
                let commits = store.session(session).unwrap().map_or(0, |it| it.commits);
                expects(self.session(), commits + u64::from(!self.is_sensible()))
            }
            16 => withdraws(self.session(), [self.below(3, PROMPTS), self.below(4, PROMPTS)]),
            17 => self.conversation(),
            _ => self.events(store),
        }
    }

    /// Several entries, with and without events and messages.
    fn conversation(self) -> Change {
        let (session_n, at) = (self.session(), self.at());
        let a_message = |n| Some(message(session_n, self.below(n, 99), at));
        let queues =
            SessionEvent::PromptQueued { prompt: prompt(self.below(3, PROMPTS)), text: "b".into() };
        let queues = Entry { event: Some(queues), message: a_message(3) };
        let alone = Entry { event: None, message: a_message(4) };
        let nothing = Entry { event: None, message: None };
        let third = if self.is_sensible() { SessionEvent::Opened.into() } else { nothing };
        Change::Session { session: session(session_n), at, entries: vec![alone, queues, third] }
    }

    fn events(self, store: &dyn Store) -> Change {
        let n = self.below(2, RUNS);
        let record = store.run(run(n)).unwrap();
        let turn = store.open_attempts().unwrap().into_iter().find(|it| it.run == Some(run(n)));
        let after = record.as_ref().map_or(0, |record| record.last_seq);
        let fitting = match (record, turn) {
            (None, _) => {
                let free = |n: &u128| {
                    store.session(session(*n)).unwrap().is_some_and(|it| it.run.is_none())
                };
                started(n, (0..SESSIONS).find(free).unwrap_or(self.session()))
            }
            (Some(record), _) if record.ending.is_some() => resumes(),
            (Some(_), Some(turn)) if self.0[5] < 150 => {
                replied_to(turn.id, Some(f64::from(self.0[6]) * 0.1))
            }
            (Some(record), _) => self.event(store, n, record.session),
        };
        if self.is_sensible() {
            return events(n, after, [fitting], self.at());
        }
        let second = self.event(store, n, session(self.session()));
        events(n, after + u64::from(self.0[7] % 2), [fitting, second], self.at())
    }

    fn event(self, store: &dyn Store, n: u128, session: SessionId) -> Event {
        match self.0[4] % 16 {
            0..5 => began(self.attempt(store)),
            5..8 => passes_on(attempt(self.attempt(store)), self.prompt(store, session)),
            8..10 => moved("fix", u32::from(self.0[6])),
            10..13 => queues(self.below(3, PROMPTS)),
            13 => ends("max-step-visits-exceeded:fix"),
            14 if self.0[5].is_multiple_of(2) => ends_withdrawing("user-requested", 0..PROMPTS),
            14 => ends_until(self.at()),
            _ => started(n, self.session()),
        }
    }
}

proptest! {
    // A fixed seed, so that a failure can be reproduced.
    #![proptest_config(ProptestConfig {
        cases: 96,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..Default::default()
    })]

    #[test]
    fn both_stores_return_the_same_data(dice in vec(vec(any::<[u8; 8]>(), 1..4), 1..60), pruned in any::<u8>()) {
        let folder = tempfile::tempdir().unwrap();
        let (memory, sqlite) = (Memory::default(), Sqlite::open(folder.path()).unwrap().store);
        for n in 0..SESSIONS {
            let both = [&memory as &dyn Store, &sqlite].map(|store| commit(store, [new_session(n, 1)]));
            assert_eq!(both[0], both[1]);
        }
        for dice in dice {
            let changes: Vec<_> = dice.into_iter().map(|dice| Dice(dice).change(&memory)).collect();
            let described = format!("{changes:?}");
            let both = [&memory as &dyn Store, &sqlite].map(|store| commit(store, changes.clone()));
            assert_eq!(both[0], both[1], "{described}");
        }
        assert_eq!(everything(&memory), everything(&sqlite));
        assert_eq!(memory.prune(pruned.into()), sqlite.prune(pruned.into()));
        assert_eq!(everything(&memory), everything(&sqlite));

        drop(sqlite);
        let reopened = Sqlite::open(folder.path()).unwrap();
        assert_eq!(reopened.quarantined, None);
        assert_eq!(everything(&memory), everything(&reopened.store));
    }

    #[test]
    fn a_commit_survives_serialization(dice in vec(vec(any::<[u8; 8]>(), 1..4), 1..60)) {
        let (here, there) = (Memory::default(), Memory::default());
        for dice in std::iter::once(Vec::new()).chain(dice) {
            let begin = (0..SESSIONS).map(|n| new_session(n, 1)).filter(|_| dice.is_empty());
            let changes = dice.iter().map(|dice| Dice(*dice).change(&here));
            let commit = Commit { changes: begin.chain(changes).collect() };
            let sent = serde_json::to_string(&commit).unwrap();
            let received: Commit = serde_json::from_str(&sent).unwrap();
            assert_eq!(received, commit, "{sent}");
            assert_eq!(there.commit(&received), here.commit(&commit), "{sent}");
        }
        assert_eq!(everything(&there), everything(&here));
    }
}
