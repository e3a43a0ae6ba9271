//! One turn: its input, its reply, and the events in between.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

use super::refused::RefusedTool;
use crate::Tool;
use crate::process::{CancelToken, ProcessIdentity};

/// The input of a turn.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Turn {
    /// The id of this attempt. It is unique.
    pub attempt: Uuid,
    /// Its conversation.
    pub session: Uuid,
    /// Whether the agent has replied in this conversation before.
    pub opened: bool,
    /// The prompt.
    pub prompt: String,
    /// The model, if one is requested.
    pub model: Option<String>,
    /// The system prompt of the conversation.
    pub system_prompt: Option<String>,
    /// The only tools that the agent may use besides reading, as the author of the step declared.
    /// `None` leaves that to the operator.
    pub tools: Option<Vec<Tool>>,
    /// The tools that the operator allows in addition.
    pub allowed: Vec<Tool>,
    /// Whether the repository's settings for the agent are used.
    pub repository: RepositorySettings,
    /// The directory to work in.
    pub directory: PathBuf,
    /// A scratch directory for this attempt, for files that have to survive a crash. An agent that
    /// starts a process creates it first, readable by its owner alone; the engine removes it. While
    /// it exists, a process may exist.
    pub scratch: PathBuf,
    /// The run that it belongs to; `None` for chat.
    pub run: Option<Uuid>,
    /// How many restarts of the chain led to this run; 0 for chat.
    pub restarts: u32,
    /// The number of the step in the run, from 1; `None` for chat.
    pub step: Option<u32>,
    /// The limits of the turn.
    pub limits: TurnLimits,
}

impl Turn {
    /// A first turn outside of a run, within the default limits, for which the operator's settings
    /// decide what the agent may do.
    #[must_use]
    pub fn new(
        attempt: Uuid,
        session: Uuid,
        prompt: impl Into<String>,
        directory: impl Into<PathBuf>,
        scratch: impl Into<PathBuf>,
    ) -> Self {
        Self {
            attempt,
            session,
            opened: false,
            prompt: prompt.into(),
            model: None,
            system_prompt: None,
            tools: None,
            allowed: Vec::new(),
            repository: RepositorySettings::default(),
            directory: directory.into(),
            scratch: scratch.into(),
            run: None,
            restarts: 0,
            step: None,
            limits: TurnLimits::default(),
        }
    }
}

setters!(Turn {
    attempt: Uuid,
    session: Uuid,
    opened: bool,
    prompt: String,
    model: Option<String>,
    system_prompt: Option<String>,
    tools: Option<Vec<Tool>>,
    allowed: Vec<Tool>,
    repository: RepositorySettings,
    directory: PathBuf,
    scratch: PathBuf,
    run: Option<Uuid>,
    restarts: u32,
    step: Option<u32>,
    limits: TurnLimits,
});

/// Whether a repository's settings for the agent are used: hooks and MCP servers, which run
/// programs without asking, and other settings. Instructions such as `CLAUDE.md` are not included:
/// they are only text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum RepositorySettings {
    /// They are used, according to the agent's program.
    #[default]
    Used,
    /// They are ignored, because the repository is not trusted. The user's own configuration is
    /// still used.
    LeftOut,
}

/// The limits of one turn.
///
/// ```
/// use std::time::Duration;
/// use surefire::agent::TurnLimits;
///
/// let limits = TurnLimits::default().budget_usd(Some(2.5));
/// assert_eq!(limits.silence, Duration::from_secs(15 * 60));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct TurnLimits {
    /// How long it may be silent while no tool is in use.
    pub silence: Duration,
    /// How long it may take in total.
    pub duration: Duration,
    /// How many internal rounds it may take, if the agent counts them.
    pub rounds: Option<u32>,
    /// How much it may cost in US dollars, if the agent reports costs.
    pub budget_usd: Option<f64>,
}

setters!(TurnLimits {
    silence: Duration,
    duration: Duration,
    rounds: Option<u32>,
    budget_usd: Option<f64>,
});

impl Default for TurnLimits {
    fn default() -> Self {
        Self {
            silence: Duration::from_secs(15 * 60),
            duration: Duration::from_secs(2 * 60 * 60),
            rounds: None,
            budget_usd: None,
        }
    }
}

/// Connects a turn to the engine.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TurnContext {
    /// Receives the agent's events. The channel is bounded, so a fast agent waits for the engine.
    pub events: mpsc::Sender<AgentEvent>,
    /// Cancelled to end the turn: the agent stops its process and everything that process started.
    pub stop: CancelToken,
    /// Cancelled as well when there is little time, because a shutdown waits for this turn.
    pub fast_stop: CancelToken,
    /// Cancelled when the engine goes away and the agent's process should keep working, to be
    /// recovered later. `stop` takes precedence.
    pub detach: CancelToken,
}

impl TurnContext {
    /// A context with a channel for this many events, and its receiver: for tests of an agent.
    #[must_use]
    pub fn new(capacity: usize) -> (Self, mpsc::Receiver<AgentEvent>) {
        let (events, receiver) = mpsc::channel(capacity);
        let token = CancelToken::new;
        (Self { events, stop: token(), fast_stop: token(), detach: token() }, receiver)
    }
}

/// An event of an agent. Every event also shows that the agent is active.
#[derive(Debug)]
#[non_exhaustive]
pub enum AgentEvent {
    /// A process was started. The agent waits for `go` before it sends the prompt; if `go` is
    /// dropped instead, it ends the process.
    ///
    /// It can occur more than once in a turn, if a process ended before it did anything and was
    /// replaced. The last one counts.
    Spawned {
        /// The identity of the process.
        process: ProcessIdentity,
        /// Answered once the process is recorded.
        go: oneshot::Sender<()>,
    },
    /// The agent wrote a passage. Each one becomes part of the conversation, and the last one may
    /// be the reply. A recovered turn may repeat earlier passages, in the same order and with the
    /// same text.
    Passage(String),
    /// The cost of the turn, without earlier turns. For a turn that ends without a reply, which
    /// would contain it.
    Spent {
        /// In US dollars.
        cost_usd: f64,
    },
    /// The agent uses one of its tools.
    Used {
        /// The tool's name.
        tool: String,
    },
    /// The agent was refused a tool. Each refusal is reported once per turn. The
    /// [reply](Reply::refused) lists them too; the event is for a turn that ends without one.
    Refused(RefusedTool),
    /// The agent wrote a file with one of its own tools. Each file is reported once per turn. The
    /// [reply](Reply::written) lists them too; the event is for a turn that ends without one.
    Wrote(PathBuf),
    /// The agent's service is overloaded or unreachable, and the agent retries by itself.
    Retrying {
        /// The agent's reason.
        why: String,
    },
}

/// The agent's reply.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Reply {
    /// The text.
    pub text: String,
    /// The cost of this turn, without earlier turns.
    pub cost_usd: Option<f64>,
    /// The version of the agent's program.
    pub version: Option<String>,
    /// How many internal rounds it took.
    pub rounds: Option<u32>,
    /// The tool uses that were refused, without duplicates.
    #[serde(default, alias = "denied")]
    pub refused: Vec<RefusedTool>,
    /// The files that the agent or a subagent wrote with its editing tools, without duplicates.
    /// Paths are usually absolute. Files written by commands are not included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<PathBuf>,
}

impl Reply {
    /// A reply of which only the text is known.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

setters!(Reply {
    cost_usd: Option<f64>,
    version: Option<String>,
    rounds: Option<u32>,
    refused: Vec<RefusedTool>,
    written: Vec<PathBuf>,
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_and_a_process_round_trip_through_the_store() {
        let reply = Reply {
            text: "Done.\n{\"outcome\":\"complete\"}".to_owned(),
            cost_usd: Some(0.1),
            version: Some("2.1.325".to_owned()),
            rounds: Some(3),
            refused: vec![RefusedTool::new("Bash", Some("git push"))],
            written: vec!["/project/src/cart.rs".into()],
        };
        for reply in [reply, Reply::default()] {
            let stored = serde_json::to_string(&reply).unwrap();
            assert_eq!(serde_json::from_str::<Reply>(&stored).unwrap(), reply);
        }
        let before =
            r#"{"text":"Done.","cost_usd":null,"version":null,"rounds":3,"denied":["Bash"]}"#;
        let reply: Reply = serde_json::from_str(before).unwrap();
        assert_eq!(
            reply.refused,
            [RefusedTool::new("Bash", None)],
            "as earlier versions stored it"
        );
        assert_eq!(reply.written, [""; 0].map(PathBuf::from));
        assert!(
            !serde_json::to_string(&reply).unwrap().contains("written"),
            "what is empty is not stored"
        );
        let process = ProcessIdentity { pid: 4711, started: "12345".to_owned() };
        let stored = serde_json::to_string(&process).unwrap();
        assert_eq!(stored, r#"{"pid":4711,"started":"12345"}"#);
        assert_eq!(serde_json::from_str::<ProcessIdentity>(&stored).unwrap(), process);
    }
}
