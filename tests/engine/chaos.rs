//! Many clients at once, which start, stop, resume and prompt in a random order, while the server
//! is restarted.

use std::sync::Arc;
use std::time::Duration;

use surefire::ExitReason;
use surefire::agent::{Failure, Fate};
use surefire::engine::Shutdown;
use surefire::run::{Resume, ResumedBy, Run, SessionId};
use surefire::store::{Memory, RunFilter};
use surefire_testkit::{Act, FakeAgent, Harness, unproved};

/// A pseudorandom number generator with a fixed seed.
struct Dice(u64);

impl Dice {
    fn throw(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }

    fn act(&mut self) -> Act {
        let time = Duration::from_millis(self.throw(400));
        match self.throw(12) {
            0 => Act::Hangs,
            1 => Act::Fails(Failure::Overloaded { words: "busy".into() }),
            2 => Act::Fails(Failure::NoReply {
                status: "exit status 1".into(),
                stderr: String::new(),
            }),
            3 => Act::Fails(Failure::Silent { after: time }),
            4 => Act::Says("no outcome at all".into()),
            5 => Act::Takes(time, "issues-found"),
            6 => Act::Takes(time, "complete"),
            7 => Act::Panics,
            8 => Act::Spawns("complete"),
            _ => Act::Takes(time, ""),
        }
    }
}

const SESSIONS: u64 = 3;

fn session(dice: &mut Dice) -> SessionId {
    uuid::Uuid::from_u128(u128::from(dice.throw(SESSIONS)) + 1).into()
}

/// A client makes a random request. The engine may refuse it, but must not hang or break.
fn act(harness: &Harness, dice: &mut Dice, sent: &mut u32) {
    let (engine, session, what) = (harness.engine.clone(), session(dice), dice.throw(12));
    let wait = Duration::from_millis(dice.throw(300));
    let request = harness.start_request().session(Some(session));
    let runs = RunFilter::default().session(Some(session)).limit(Some(1));
    let last = harness.store.runs(&runs).unwrap().pop().map(|run| run.id);
    *sent += 1;
    let words = format!("word {sent}.");
    tokio::spawn(async move {
        tokio::time::sleep(wait).await;
        match (what, last) {
            (0..=2, _) => drop(engine.start(request).await),
            (3, _) => drop(engine.exit(session, ExitReason::UserRequested).await),
            (4, _) => drop(engine.kill(session).await),
            (5..=7, _) => drop(engine.prompt(session, words).await),
            (8 | 9, Some(run)) => drop(engine.resume(run, Resume::by(ResumedBy::User)).await),
            (10, _) => {
                let on = wait.as_millis().is_multiple_of(2);
                drop(engine.set_orchestration(Some(session), on).await);
            }
            (11, _) => drop(engine.set_orchestration(None, true).await),
            (_, _) => {}
        }
    });
}

/// Checks the invariants that hold whenever the engine is idle.
fn check(harness: &Harness) {
    for run in harness.store.runs(&RunFilter::default()).unwrap() {
        let events = harness.events(run.id);
        assert!(events.iter().zip(1..).all(|(recorded, seq)| recorded.seq == seq));
        let recipe = unproved().get(&run.recipe).unwrap();
        let replayed = Run::replay(recipe, events.iter().map(|recorded| &recorded.event)).unwrap();
        assert_eq!(replayed.ending().is_some(), run.ending.is_some());
        assert_eq!(replayed.position().steps(), run.steps, "no transition is lost or doubled");
    }
    let answered = harness.agent.answered();
    for words in answered.iter().filter(|words| words.starts_with("word ")) {
        let times = answered.iter().filter(|others| *others == words).count();
        assert_eq!(times, 1, "`{words}` was delivered {times} times");
    }
}

async fn play(seed: u64) {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let agent = FakeAgent::new((0..400).map(|_| dice.act()));
    let mut harness = Harness::with(agent, Arc::new(Memory::default()), |_| ()).await;
    let mut sent = 0;
    for _ in 0..40 {
        for _ in 0..dice.throw(4) {
            act(&harness, &mut dice, &mut sent);
        }
        tokio::time::sleep(Duration::from_millis(dice.throw(200))).await;
        if dice.throw(8) == 0 {
            let how =
                [Shutdown::StopAgents, Shutdown::DetachAgents][usize::from(dice.throw(2) == 0)];
            harness.engine.shut_down(how).await;
            assert_eq!(harness.agent.working(), 0, "no agent works after its engine has shut down");
            check(&harness);
            for _ in 0..4 {
                let fate = [Fate::NeverBegan, Fate::Unknown, Fate::Ended(Err(Failure::Stopped))];
                let fate = fate.into_iter().nth(usize::try_from(dice.throw(3)).unwrap()).unwrap();
                harness.agent.fate(fate);
            }
            harness = harness.again().await;
        }
    }
    // Wait until all clients have sent their requests.
    tokio::time::sleep(Duration::from_secs(1)).await;
    harness.engine.set_orchestration(None, false).await.unwrap();
    for n in 0..SESSIONS {
        harness.engine.kill(uuid::Uuid::from_u128(u128::from(n) + 1).into()).await.unwrap();
    }
    tokio::time::sleep(Duration::from_secs(5)).await;
    let open = RunFilter::default().open(Some(true));
    assert!(harness.store.runs(&open).unwrap().is_empty(), "all runs can be ended");
    let began = tokio::time::Instant::now();
    harness.engine.shut_down(Shutdown::StopAgents).await;
    assert!(began.elapsed() < Duration::from_secs(1), "the shutdown waits for nothing");
    assert_eq!(harness.agent.working(), 0);
    check(&harness);
}

#[tokio::test(start_paused = true)]
async fn under_random_requests_nothing_hangs_and_no_prompt_is_answered_twice() {
    for seed in 1..=25 {
        tokio::time::timeout(Duration::from_secs(24 * 60 * 60), play(seed)).await.unwrap_or_else(
            |_| {
                panic!("round {seed} hangs");
            },
        );
    }
}
