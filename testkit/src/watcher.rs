//! The engine's side of a turn, for tests that drive an agent without an engine.

use std::sync::{Arc, Mutex};

use surefire::agent::{AgentEvent, ProcessIdentity, TurnContext};
use tokio::sync::{mpsc, watch};

use crate::wait::MAX_WAIT;

/// Answers `go` to every process, as an engine does once it has recorded it, and keeps the events
/// of the agent.
#[derive(Debug, Clone)]
pub struct Watcher {
    /// The agent's side.
    pub link: TurnContext,
    received: Arc<Mutex<Received>>,
    count: watch::Receiver<usize>,
}

#[derive(Debug, Default)]
struct Received {
    processes: Vec<ProcessIdentity>,
    events: Vec<String>,
}

impl Received {
    fn take(&mut self, event: AgentEvent) {
        match event {
            AgentEvent::Spawned { process, go } => {
                self.processes.push(process);
                // An agent that was stopped meanwhile does not wait for it.
                let _ = go.send(());
            }
            // Very long text is cut, because tests measure memory.
            AgentEvent::Passage(text) => self.events.push(format!("said {text:.50000}")),
            AgentEvent::Used { tool } => self.events.push(format!("used {tool}")),
            AgentEvent::Refused(refused) => self.events.push(format!("refused {refused}")),
            AgentEvent::Wrote(file) => self.events.push(format!("wrote {}", file.display())),
            AgentEvent::Spent { cost_usd } => self.events.push(format!("spent {cost_usd}")),
            AgentEvent::Retrying { why } => self.events.push(format!("retrying {why}")),
            other => self.events.push(format!("{other:?}")),
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
        let (link, mut events) = link(16);
        let received = Arc::new(Mutex::new(Received::default()));
        let (counter, count) = watch::channel(0);
        let notes = Arc::clone(&received);
        tokio::spawn(async move {
            while let Some(event) = events.recv().await {
                notes.lock().expect("no watcher panics").take(event);
                counter.send_modify(|count| *count += 1);
            }
        });
        Self { link, received, count }
    }

    /// The last process that was started.
    #[must_use]
    pub fn process(&self) -> Option<ProcessIdentity> {
        self.with(|received| received.processes.last().cloned())
    }

    /// How many processes were started.
    #[must_use]
    pub fn processes(&self) -> usize {
        self.with(|received| received.processes.len())
    }

    /// The agent's other events, in order, each as its kind and its text: `said Hello`.
    #[must_use]
    pub fn events(&self) -> Vec<String> {
        self.with(|received| received.events.clone())
    }

    /// Waits until the agent has sent this event.
    pub async fn receives(&self, event: &str) {
        self.until(|received| received.events.iter().any(|it| it == event)).await;
    }

    /// Waits until the agent has started a process.
    ///
    /// # Panics
    /// If it starts none within twenty seconds. The other methods that wait panic likewise.
    pub async fn spawns(&self) -> ProcessIdentity {
        self.until(|received| !received.processes.is_empty()).await;
        self.process().expect("a process was started")
    }

    /// Waits until the agent has shown any sign of life.
    pub async fn sees_life(&self) {
        self.until(|received| received.processes.len() + received.events.len() > 0).await;
    }

    async fn until(&self, holds: impl Fn(&Received) -> bool) {
        let mut count = self.count.clone();
        let came = tokio::time::timeout(MAX_WAIT, count.wait_for(|_| self.with(&holds))).await;
        assert!(came.is_ok(), "the event never arrived; the agent sent {:?}", self.events());
    }

    fn with<T>(&self, look: impl FnOnce(&Received) -> T) -> T {
        look(&self.received.lock().expect("no watcher panics"))
    }
}

/// An agent's side of a turn, whose channel holds `room` events, and the receiver of those events.
#[must_use]
pub fn link(room: usize) -> (TurnContext, mpsc::Receiver<AgentEvent>) {
    TurnContext::new(room)
}
