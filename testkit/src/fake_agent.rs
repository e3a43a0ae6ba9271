//! An agent that does what the test says, and remembers what it was told.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use surefire::agent::{
    About, Agent, Doing, Failure, Fate, Link, Process, RefusedTool, Reply, Sign, Turn, UnknownModel,
};
use tokio::sync::{Notify, oneshot};

use crate::work_tree::commit;

/// What a [`FakeAgent`] does with a prompt.
#[derive(Debug, Clone)]
pub enum Act {
    /// Reports an outcome. It is true: an agent that reports `committed` has committed.
    Outcome(&'static str),
    /// Reports an outcome, and has done nothing for it.
    Claims(&'static str),
    /// Writes a file, and reports this outcome.
    Writes(PathBuf, &'static str),
    /// Says this, word for word.
    Says(String),
    /// Says these passages while it works, and then replies.
    Speaks(&'static [&'static str], &'static str),
    /// Says these passages, and then works until it is stopped.
    SpeaksAndHangs(&'static [&'static str]),
    /// Says this and states a cost.
    Costs(&'static str, f64),
    /// Could not use some tools, and says so.
    Denied(&'static str),
    /// Fails.
    Fails(Failure),
    /// Works until it is stopped.
    Hangs,
    /// Works until it is told to go on, then reports this outcome.
    Waits(Arc<Notify>, &'static str),
    /// Takes this long, then reports this outcome, or the first one if it is empty.
    Takes(Duration, &'static str),
    /// Breaks.
    Panics,
    /// Starts a process, and reports this outcome once that is written down.
    Spawns(&'static str),
}

/// What a [`FakeAgent`] was asked.
#[derive(Debug, Clone)]
pub struct Call {
    /// The turn it is about.
    pub turn: Turn,
    /// Whether it was to be taken, or only looked for.
    pub kind: Kind,
}

/// What a [`FakeAgent`] was asked to do with a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// To take the turn.
    Take,
    /// To find out what became of it, with what was written down about its process.
    Recover(Option<Process>),
}

/// An [`Agent`] that does what the test says, and remembers what it was told.
///
/// It starts no process but git, and pays no attention to limits. Clones are the same agent, so that several engines can share it,
/// one after the other.
///
/// ```
/// use surefire_testkit::{Act, FakeAgent};
///
/// let agent = FakeAgent::new([Act::Outcome("complete"), Act::Hangs]);
/// assert!(agent.turns().is_empty());
/// ```
#[derive(Debug, Clone, Default)]
pub struct FakeAgent(Arc<State>);

#[derive(Debug, Default)]
struct State {
    script: Mutex<VecDeque<Act>>,
    fates: Mutex<VecDeque<(&'static [&'static str], Fate)>>,
    calls: Mutex<Vec<Call>>,
    working: Mutex<Working>,
    answered: Mutex<Vec<String>>,
    called: Notify,
    stopped: Notify,
}

/// How many turns are being taken, and how many there were at most at one time.
#[derive(Debug, Default)]
struct Working {
    now: usize,
    most: usize,
}

impl FakeAgent {
    /// An agent that does these things, one per prompt, and then reports each step's first outcome.
    pub fn new(script: impl IntoIterator<Item = Act>) -> Self {
        let script = Mutex::new(script.into_iter().collect());
        Self(Arc::new(State { script, ..State::default() }))
    }

    /// Does this as well, after what it was told so far.
    pub fn then(&self, act: Act) {
        lock(&self.0.script).push_back(act);
    }

    /// What it says when it is asked what became of a turn; `Unknown` if nothing is said here.
    pub fn fate(&self, fate: Fate) {
        self.speaks_again(&[], fate);
    }

    /// The same, but first it says what it has said in that turn so far.
    pub fn speaks_again(&self, passages: &'static [&'static str], fate: Fate) {
        lock(&self.0.fates).push_back((passages, fate));
    }

    /// The turns it was given.
    #[must_use]
    pub fn turns(&self) -> Vec<Turn> {
        let calls = lock(&self.0.calls);
        calls.iter().filter(|call| call.kind == Kind::Take).map(|call| call.turn.clone()).collect()
    }

    /// The turns it was asked about after a restart.
    #[must_use]
    pub fn recovered(&self) -> Vec<Call> {
        let calls = lock(&self.0.calls);
        calls.iter().filter(|call| call.kind != Kind::Take).cloned().collect()
    }

    /// How many turns it works on right now.
    #[must_use]
    pub fn working(&self) -> usize {
        lock(&self.0.working).now
    }

    /// On how many turns it worked at the same time, at most.
    #[must_use]
    pub fn most_working(&self) -> usize {
        lock(&self.0.working).most
    }

    /// The prompts that it has answered.
    #[must_use]
    pub fn answered(&self) -> Vec<String> {
        lock(&self.0.answered).clone()
    }

    /// Waits until it has been given so many turns.
    pub async fn asked(&self, turns: usize) {
        loop {
            let called = self.0.called.notified();
            if self.turns().len() >= turns {
                return;
            }
            called.await;
        }
    }

    /// Waits until it was stopped, once more than it was waited for before.
    pub async fn stopped(&self) {
        self.0.stopped.notified().await;
    }

    fn begin(&self, turn: &Turn) -> (Act, AtWork) {
        lock(&self.0.calls).push(Call { turn: turn.clone(), kind: Kind::Take });
        let mut working = lock(&self.0.working);
        working.now += 1;
        working.most = working.most.max(working.now);
        self.0.called.notify_waiters();
        (lock(&self.0.script).pop_front().unwrap_or(Act::Outcome("")), AtWork(self.clone()))
    }
}

/// Tests that panic on purpose leave nothing half done here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A reply that reports this outcome.
#[must_use]
pub fn json(outcome: &str) -> Reply {
    reply(&format!("Done.\n{{\"outcome\": \"{outcome}\"}}"))
}

fn reply(text: &str) -> Reply {
    Reply { text: text.to_owned(), ..Reply::default() }
}

/// The first outcome that the prompt offers.
fn first_outcome(prompt: &str) -> String {
    let offered =
        prompt.lines().rev().find_map(|line| line.strip_prefix("Your possible outcomes for this step: "));
    offered.unwrap_or_default().split(", ").next().unwrap_or_default().to_owned()
}

async fn act(act: Act, turn: Turn, link: Link) -> Result<Reply, Failure> {
    match act {
        Act::Outcome("") => Ok(json(&first_outcome(&turn.prompt))),
        Act::Outcome(outcome) | Act::Claims(outcome) => Ok(json(outcome)),
        Act::Writes(file, outcome) => {
            std::fs::write(file, "written").expect("there is room for tests");
            Ok(json(outcome))
        }
        Act::Says(text) => Ok(reply(&text)),
        Act::Speaks(passages, text) => {
            speak(passages, &link).await;
            Ok(reply(text))
        }
        Act::SpeaksAndHangs(passages) => {
            speak(passages, &link).await;
            std::future::pending().await
        }
        Act::Costs(outcome, cost) => Ok(Reply { cost_usd: Some(cost), ..json(outcome) }),
        Act::Denied(text) => Ok(Reply { refused: vec![RefusedTool::new("Bash", None)], ..reply(text) }),
        Act::Fails(failure) => Err(failure),
        Act::Hangs => std::future::pending().await,
        Act::Waits(until, outcome) => {
            until.notified().await;
            Ok(json(outcome))
        }
        Act::Takes(time, outcome) => {
            tokio::time::sleep(time).await;
            let first = first_outcome(&turn.prompt);
            Ok(json(if outcome.is_empty() { &first } else { outcome }))
        }
        Act::Panics => panic!("the fake agent broke"),
        Act::Spawns(outcome) => {
            let (go, gone) = oneshot::channel();
            let process = Process { pid: 4711, started: "then".to_owned() };
            let _ = link.signs.send(Sign::Spawned { process, go }).await;
            gone.await.map_err(|_| Failure::Stopped)?;
            Ok(json(outcome))
        }
    }
}

async fn speak(passages: &[&str], link: &Link) {
    for passage in passages {
        let _ = link.signs.send(Sign::Said((*passage).to_owned())).await;
    }
}

/// A turn is being taken, until this is dropped: also when it panics.
struct AtWork(FakeAgent);

impl Drop for AtWork {
    fn drop(&mut self) {
        lock(&self.0.0.working).now -= 1;
    }
}

impl Agent for FakeAgent {
    fn about(&self) -> About {
        About { name: "fake", version: None, rehearsal: false }
    }

    fn knows_model(&self, model: &str) -> Result<(), UnknownModel> {
        match model {
            "wood" | "opus" => Ok(()),
            _ => Err(UnknownModel { model: model.to_owned(), known: vec!["wood", "opus"] }),
        }
    }

    fn turn(&self, turn: Turn, link: Link) -> Doing<Result<Reply, Failure>> {
        let agent = self.clone();
        Box::pin(async move {
            let (what, at_work) = agent.begin(&turn);
            let (asked, directory) = (turn.prompt.clone(), turn.directory.clone());
            let is_true = !matches!(what, Act::Claims(_));
            let (stop, leave) = (link.stop.clone(), link.leave.clone());
            let done = tokio::select! {
                biased;
                () = stop.cancelled() => {
                    agent.0.stopped.notify_one();
                    Err(Failure::Stopped)
                }
                () = leave.cancelled() => Err(Failure::Left),
                done = act(what, turn, link) => done,
            };
            let committed =
                done.as_ref().is_ok_and(|reply| reply.text.contains(r#"{"outcome": "committed"}"#));
            if committed && is_true && directory.join(".git").exists() {
                commit(&directory, "Done");
            }
            drop(at_work);
            if done.is_ok() {
                lock(&agent.0.answered).push(asked);
            }
            done
        })
    }

    fn recover(&self, turn: Turn, process: Option<Process>, link: Link) -> Doing<Fate> {
        let agent = self.clone();
        Box::pin(async move {
            lock(&agent.0.calls).push(Call { turn, kind: Kind::Recover(process) });
            let (passages, fate) = lock(&agent.0.fates).pop_front().unwrap_or((&[], Fate::Unknown));
            speak(passages, &link).await;
            fate
        })
    }
}
