//! An agent that does what the test scripts, and records its prompts.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use surefire::agent::{
    Agent, AgentEvent, AgentInfo, BoxFuture, Failure, Fate, ProcessIdentity, RefusedTool, Reply,
    Turn, TurnContext, UnknownModel,
};
use tokio::sync::{Notify, oneshot};

use crate::work_tree::commit;

/// What a [`FakeAgent`] does with a prompt.
#[derive(Debug, Clone)]
pub enum Act {
    /// Reports an outcome truthfully: an agent that reports `committed` has committed.
    Outcome(&'static str),
    /// Reports an outcome without having done anything for it.
    Claims(&'static str),
    /// Writes a file, and reports this outcome.
    Writes(PathBuf, &'static str),
    /// Replies with exactly this text.
    Says(String),
    /// Writes these passages while it works, and then replies.
    Speaks(&'static [&'static str], &'static str),
    /// Writes these passages, and then works until it is stopped.
    SpeaksAndHangs(&'static [&'static str]),
    /// Replies with this text and reports a cost.
    Costs(&'static str, f64),
    /// Reports that it was refused some tools.
    Denied(&'static str),
    /// Fails.
    Fails(Failure),
    /// Works until it is stopped.
    Hangs,
    /// Works until the test releases it, then reports this outcome.
    Waits(Arc<Notify>, &'static str),
    /// Takes this long, then reports this outcome, or the first one if it is empty.
    Takes(Duration, &'static str),
    /// Panics.
    Panics,
    /// Starts a process, and reports this outcome once that is persisted.
    Spawns(&'static str),
}

/// One call of a [`FakeAgent`].
#[derive(Debug, Clone)]
pub struct Call {
    /// The turn it is about.
    pub turn: Turn,
    /// Whether the engine started the turn, or only asked for its fate.
    pub kind: Kind,
}

/// What a [`FakeAgent`] was asked to do with a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// To take the turn.
    Take,
    /// To find out its fate, with the record of its process.
    Recover(Option<ProcessIdentity>),
}

/// An [`Agent`] that does what the test scripts, and records its prompts.
///
/// It starts no process but git, and ignores limits. Clones are the same agent, so several engines
/// can share it, one after the other.
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
    programs: Mutex<Vec<&'static str>>,
    called: Notify,
    stopped: Notify,
}

/// How many turns are in progress, and the most there were at one time.
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

    /// Adds an act to the end of the script.
    pub fn then(&self, act: Act) {
        lock(&self.0.script).push_back(act);
    }

    /// Sets what it answers when the engine asks for the fate of a turn; `Unknown` by default.
    pub fn fate(&self, fate: Fate) {
        self.speaks_again(&[], fate);
    }

    /// The same, but first it repeats the passages that it wrote in that turn so far.
    pub fn speaks_again(&self, passages: &'static [&'static str], fate: Fate) {
        lock(&self.0.fates).push_back((passages, fate));
    }

    /// Lets it find a program of this name. It finds no others, whatever is installed.
    pub fn installs(&self, program: &'static str) {
        lock(&self.0.programs).push(program);
    }

    /// The turns it was given.
    #[must_use]
    pub fn turns(&self) -> Vec<Turn> {
        let calls = lock(&self.0.calls);
        calls.iter().filter(|call| call.kind == Kind::Take).map(|call| call.turn.clone()).collect()
    }

    /// The turns whose fate it was asked for after a restart.
    #[must_use]
    pub fn recovered(&self) -> Vec<Call> {
        let calls = lock(&self.0.calls);
        calls.iter().filter(|call| call.kind != Kind::Take).cloned().collect()
    }

    /// How many turns it is working on.
    #[must_use]
    pub fn working(&self) -> usize {
        lock(&self.0.working).now
    }

    /// The most turns that it worked on at the same time.
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

    /// Waits until it is stopped. Each call waits for one more stop.
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

/// A poisoned lock is fine: tests that panic on purpose do not do so in the middle of a change.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A reply that reports this outcome.
#[must_use]
pub fn json(outcome: &str) -> Reply {
    reply(&format!("Done.\n{{\"outcome\": \"{outcome}\"}}"))
}

fn reply(text: &str) -> Reply {
    Reply::new(text)
}

/// The first outcome that the prompt offers.
fn first_outcome(prompt: &str) -> String {
    let offered = prompt
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("Your possible outcomes for this step: "));
    offered.unwrap_or_default().split(", ").next().unwrap_or_default().to_owned()
}

async fn act(act: Act, turn: Turn, link: TurnContext) -> Result<Reply, Failure> {
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
        Act::Costs(outcome, cost) => Ok(json(outcome).cost_usd(Some(cost))),
        Act::Denied(text) => Ok(reply(text).refused(vec![RefusedTool::new("Bash", None)])),
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
            let process = ProcessIdentity { pid: 4711, started: "then".to_owned() };
            let _ = link.events.send(AgentEvent::Spawned { process, go }).await;
            gone.await.map_err(|_| Failure::Stopped)?;
            Ok(json(outcome))
        }
    }
}

async fn speak(passages: &[&str], link: &TurnContext) {
    for passage in passages {
        let _ = link.events.send(AgentEvent::Passage((*passage).to_owned())).await;
    }
}

/// Counts a turn as in progress until it is dropped, even by a panic.
struct AtWork(FakeAgent);

impl Drop for AtWork {
    fn drop(&mut self) {
        lock(&self.0.0.working).now -= 1;
    }
}

impl Agent for FakeAgent {
    fn about(&self) -> AgentInfo {
        AgentInfo::new("fake")
    }

    fn knows_model(&self, model: &str) -> Result<(), UnknownModel> {
        match model {
            "wood" | "opus" => Ok(()),
            _ => Err(UnknownModel { model: model.to_owned(), known: vec!["wood", "opus"] }),
        }
    }

    fn find_program(&self, name: &str) -> Option<PathBuf> {
        lock(&self.0.programs).contains(&name).then(|| Path::new("/fake/bin").join(name))
    }

    fn turn(&self, turn: Turn, link: TurnContext) -> BoxFuture<Result<Reply, Failure>> {
        let agent = self.clone();
        Box::pin(async move {
            let (what, at_work) = agent.begin(&turn);
            let (asked, directory) = (turn.prompt.clone(), turn.directory.clone());
            let is_true = !matches!(what, Act::Claims(_));
            let (stop, leave) = (link.stop.clone(), link.detach.clone());
            let done = tokio::select! {
                biased;
                () = stop.cancelled() => {
                    agent.0.stopped.notify_one();
                    Err(Failure::Stopped)
                }
                () = leave.cancelled() => Err(Failure::Detached),
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

    fn recover(
        &self,
        turn: Turn,
        process: Option<ProcessIdentity>,
        link: TurnContext,
    ) -> BoxFuture<Fate> {
        let agent = self.clone();
        Box::pin(async move {
            lock(&agent.0.calls).push(Call { turn, kind: Kind::Recover(process) });
            let (passages, fate) = lock(&agent.0.fates).pop_front().unwrap_or((&[], Fate::Unknown));
            speak(passages, &link).await;
            fate
        })
    }
}
