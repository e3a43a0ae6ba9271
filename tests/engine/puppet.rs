//! An agent that does what the test says, and remembers what it was told.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use surefire::agent::{About, Agent, Doing, Failure, Fate, Link, Process, Reply, Sign, Turn, UnknownModel};
use tokio::sync::{Notify, oneshot};

/// What the puppet does with a prompt.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    /// Reports an outcome.
    Outcome(&'static str),
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

/// What the puppet was asked.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) turn: Turn,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// To take the turn.
    Take,
    /// To find out what became of it, with what was written down about its process.
    Recover(Option<Process>),
}

#[derive(Default)]
pub(crate) struct Puppet {
    script: Mutex<VecDeque<Act>>,
    fates: Mutex<VecDeque<(&'static [&'static str], Fate)>>,
    calls: Mutex<Vec<Call>>,
    pub(crate) working: Mutex<(usize, usize)>,
    /// The prompts that it has answered.
    pub(crate) answered: Mutex<Vec<String>>,
    pub(crate) called: Notify,
    pub(crate) stopped: Notify,
}

impl Puppet {
    /// A puppet that does these things, one per prompt, and then reports each step's first outcome.
    pub(crate) fn new(script: impl IntoIterator<Item = Act>) -> Arc<Self> {
        Arc::new(Self { script: Mutex::new(script.into_iter().collect()), ..Self::default() })
    }

    pub(crate) fn then(&self, act: Act) {
        self.script.lock().unwrap().push_back(act);
    }

    /// What it says when it is asked what became of a turn; `Unknown` if nothing is said here.
    pub(crate) fn fate(&self, fate: Fate) {
        self.speaks_again(&[], fate);
    }

    /// The same, but first it says what it has said in that turn so far.
    pub(crate) fn speaks_again(&self, passages: &'static [&'static str], fate: Fate) {
        self.fates.lock().unwrap().push_back((passages, fate));
    }

    /// The turns it was given.
    pub(crate) fn turns(&self) -> Vec<Turn> {
        let calls = self.calls.lock().unwrap();
        calls.iter().filter(|call| call.kind == Kind::Take).map(|call| call.turn.clone()).collect()
    }

    /// The turns it was asked about after a restart.
    pub(crate) fn recovered(&self) -> Vec<Call> {
        let calls = self.calls.lock().unwrap();
        calls.iter().filter(|call| call.kind != Kind::Take).cloned().collect()
    }

    /// Waits until it has been given so many turns.
    pub(crate) async fn asked(&self, turns: usize) {
        loop {
            let called = self.called.notified();
            if self.turns().len() >= turns {
                return;
            }
            called.await;
        }
    }

    fn begin(&self, turn: &Turn) -> Act {
        self.calls.lock().unwrap().push(Call { turn: turn.clone(), kind: Kind::Take });
        let mut working = self.working.lock().unwrap();
        working.0 += 1;
        working.1 = working.1.max(working.0);
        self.called.notify_waiters();
        self.script.lock().unwrap().pop_front().unwrap_or(Act::Outcome(""))
    }
}

pub(crate) fn json(outcome: &str) -> Reply {
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
        Act::Outcome(outcome) => Ok(json(outcome)),
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
        Act::Denied(text) => Ok(Reply { denied: vec!["Bash".to_owned()], ..reply(text) }),
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
        Act::Panics => panic!("the puppet's strings broke"),
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

/// Somebody works, until this is dropped: also when they break.
struct Working(Arc<Puppet>);

impl Drop for Working {
    fn drop(&mut self) {
        self.0.working.lock().unwrap().0 -= 1;
    }
}

/// An [`Agent`] that several engines can share, one after the other.
pub(crate) struct Strings(pub(crate) Arc<Puppet>);

impl Agent for Strings {
    fn about(&self) -> About {
        About { name: "puppet", version: None, rehearsal: false }
    }

    fn knows_model(&self, model: &str) -> Result<(), UnknownModel> {
        match model {
            "wood" | "opus" => Ok(()),
            _ => Err(UnknownModel { model: model.to_owned(), known: vec!["wood", "opus"] }),
        }
    }

    fn turn(&self, turn: Turn, link: Link) -> Doing<Result<Reply, Failure>> {
        let puppet = Arc::clone(&self.0);
        Box::pin(async move {
            let what = puppet.begin(&turn);
            let working = Working(Arc::clone(&puppet));
            let asked = turn.prompt.clone();
            let (stop, leave) = (link.stop.clone(), link.leave.clone());
            let done = tokio::select! {
                biased;
                () = stop.cancelled() => {
                    puppet.stopped.notify_one();
                    Err(Failure::Stopped)
                }
                () = leave.cancelled() => Err(Failure::Left),
                done = act(what, turn, link) => done,
            };
            drop(working);
            if done.is_ok() {
                puppet.answered.lock().unwrap().push(asked);
            }
            done
        })
    }

    fn recover(&self, turn: Turn, process: Option<Process>, link: Link) -> Doing<Fate> {
        let puppet = Arc::clone(&self.0);
        Box::pin(async move {
            puppet.calls.lock().unwrap().push(Call { turn, kind: Kind::Recover(process) });
            let (passages, fate) = puppet.fates.lock().unwrap().pop_front().unwrap_or((&[], Fate::Unknown));
            speak(passages, &link).await;
            fate
        })
    }
}
