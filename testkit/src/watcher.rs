//! The engine's end of a turn, for tests that drive an agent without an engine.

use std::sync::{Arc, Mutex};

use surefire::agent::{Link, Process, Sign};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::wait::MAX_WAIT;

/// Answers `go` to every process, as an engine does once it has recorded it, and remembers what the agent signalled.
#[derive(Debug, Clone)]
pub struct Watcher {
    /// The agent's end.
    pub link: Link,
    heard: Arc<Mutex<Heard>>,
    count: watch::Receiver<usize>,
}

#[derive(Debug, Default)]
struct Heard {
    processes: Vec<Process>,
    signs: Vec<String>,
}

impl Heard {
    fn take(&mut self, sign: Sign) {
        match sign {
            Sign::Spawned { process, go } => {
                self.processes.push(process);
                // An agent that was stopped meanwhile does not wait for it.
                let _ = go.send(());
            }
            // What is very long is not kept: tests measure memory.
            Sign::Said(text) => self.signs.push(format!("said {text:.50000}")),
            Sign::Used { tool } => self.signs.push(format!("used {tool}")),
            Sign::Refused(refused) => self.signs.push(format!("refused {refused}")),
            Sign::Wrote(file) => self.signs.push(format!("wrote {}", file.display())),
            Sign::Spent { cost_usd } => self.signs.push(format!("spent {cost_usd}")),
            Sign::Retrying { why } => self.signs.push(format!("retrying {why}")),
        }
    }
}

impl Default for Watcher {
    fn default() -> Self {
        Self::new()
    }
}

impl Watcher {
    /// A watcher with a task of its own.
    ///
    /// # Panics
    /// Outside of a runtime.
    #[must_use]
    pub fn new() -> Self {
        let (link, mut signs) = link(16);
        let heard = Arc::new(Mutex::new(Heard::default()));
        let (counter, count) = watch::channel(0);
        let notes = Arc::clone(&heard);
        tokio::spawn(async move {
            while let Some(sign) = signs.recv().await {
                notes.lock().expect("no watcher panics").take(sign);
                counter.send_modify(|count| *count += 1);
            }
        });
        Self { link, heard, count }
    }

    /// The last process that was started.
    #[must_use]
    pub fn process(&self) -> Option<Process> {
        self.with(|heard| heard.processes.last().cloned())
    }

    /// How many processes were started.
    #[must_use]
    pub fn processes(&self) -> usize {
        self.with(|heard| heard.processes.len())
    }

    /// What else the agent signalled, in order, each as its kind and its words: `said Hello`.
    #[must_use]
    pub fn signs(&self) -> Vec<String> {
        self.with(|heard| heard.signs.clone())
    }

    /// Waits until the agent has signalled this.
    pub async fn hears(&self, sign: &str) {
        self.until(|heard| heard.signs.iter().any(|heard| heard == sign)).await;
    }

    /// Waits until the agent has started a process.
    ///
    /// # Panics
    /// If it starts none within twenty seconds, like what waits beside it.
    pub async fn spawns(&self) -> Process {
        self.until(|heard| !heard.processes.is_empty()).await;
        self.process().expect("it was just there")
    }

    /// Waits until the agent has shown any sign of life.
    pub async fn sees_life(&self) {
        self.until(|heard| heard.processes.len() + heard.signs.len() > 0).await;
    }

    async fn until(&self, holds: impl Fn(&Heard) -> bool) {
        let mut count = self.count.clone();
        let came = tokio::time::timeout(MAX_WAIT, count.wait_for(|_| self.with(&holds))).await;
        assert!(came.is_ok(), "it never came; the agent signalled {:?}", self.signs());
    }

    fn with<T>(&self, look: impl FnOnce(&Heard) -> T) -> T {
        look(&self.heard.lock().expect("no watcher panics"))
    }
}

/// An agent's end of a turn with room for so many signs, and the end where they arrive.
#[must_use]
pub fn link(room: usize) -> (Link, mpsc::Receiver<Sign>) {
    let (signs, heard) = mpsc::channel(room);
    let token = CancellationToken::new;
    (Link { signs, stop: token(), hurry: token(), leave: token() }, heard)
}
