//! One turn: what goes in, what comes out, and what is heard in between.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::refused::RefusedTool;
use crate::Tool;
use crate::process::Process;

/// What an agent is asked to do.
#[derive(Debug, Clone)]
pub struct Turn {
    /// Names this attempt; no two turns share one.
    pub attempt: Uuid,
    /// The conversation it belongs to.
    pub session: Uuid,
    /// Whether the agent has answered in this conversation before.
    pub opened: bool,
    /// What the agent is told.
    pub prompt: String,
    /// The model to use, where one was asked for.
    pub model: Option<String>,
    /// What the agent is told beside the prompt, and beside every other one in this conversation.
    pub system_prompt: Option<String>,
    /// What the agent may do, beside reading, where the author of the step said so; it may do nothing else then. `None`
    /// leaves it to the operator.
    pub tools: Option<Vec<Tool>>,
    /// What the operator allows in addition, whatever the author said.
    pub allowed: Vec<Tool>,
    /// What the repository brings along for the agent: whether it counts in this turn.
    pub repository: RepositorySettings,
    /// The directory to work in.
    pub directory: PathBuf,
    /// A directory for this attempt alone, for what has to outlive a crash. An agent that starts a process makes it first,
    /// readable by its owner alone; it is cleared away for the agent. While it is there, a process may be.
    pub scratch: PathBuf,
    /// How much it may use up.
    pub limits: TurnLimits,
}

/// What a repository brings along for the agent: hooks and MCP servers, which are programs that run unasked, and settings.
/// Instructions for the agent, such as `CLAUDE.md`, are not among them: they are words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RepositorySettings {
    /// They count, as the agent's program has it.
    #[default]
    Used,
    /// They do not: the repository is not trusted. What the user configured for the agent still counts.
    LeftOut,
}

/// How much one turn may use up.
///
/// ```
/// use std::time::Duration;
/// use surefire::agent::TurnLimits;
///
/// let limits = TurnLimits { budget_usd: Some(2.5), ..TurnLimits::default() };
/// assert_eq!(limits.silence, Duration::from_mins(15));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TurnLimits {
    /// How long it may show no sign of life, while it uses none of its tools.
    pub silence: Duration,
    /// How long it may take in all.
    pub duration: Duration,
    /// How many rounds of its own it may take, where the agent can count them.
    pub rounds: Option<u32>,
    /// How much money it may spend, where the agent can count it.
    pub budget_usd: Option<f64>,
}

impl Default for TurnLimits {
    fn default() -> Self {
        Self {
            silence: Duration::from_mins(15),
            duration: Duration::from_hours(2),
            rounds: None,
            budget_usd: None,
        }
    }
}

/// The line between a turn and whoever watches it.
#[derive(Debug, Clone)]
pub struct Link {
    /// Where signs of life go. It is bounded: an agent that outpaces its watcher waits.
    pub signs: mpsc::Sender<Sign>,
    /// Set when the turn shall end: the agent stops its process and everything that process started.
    pub stop: CancellationToken,
    /// Set beside `stop` when there is little time: whoever shuts down waits for this turn.
    pub hurry: CancellationToken,
    /// Set when the watcher goes away and the agent's process shall be left to itself, to be found again later. Where
    /// `stop` is set as well, that one counts.
    pub leave: CancellationToken,
}

/// A sign of life.
#[derive(Debug)]
pub enum Sign {
    /// A process was started. The agent waits for `go` before it hands over the prompt; if `go` is dropped instead,
    /// it ends the process.
    ///
    /// It can come more than once in a turn, when a process ended before it did anything and another one took its
    /// place. The last one is the one to remember.
    Spawned {
        /// What is needed to find the process again.
        process: Process,
        /// Answered once the process is written down.
        go: oneshot::Sender<()>,
    },
    /// The agent said something, in the middle of its work: one passage, whole, and the last of them may be its reply. Each
    /// becomes part of the conversation. While a turn is taken up again, what was said before may be said once more, in the
    /// same order and the same words.
    Said(String),
    /// What the turn has cost, without what the conversation cost before it: for a turn that ends without a reply to say it
    /// with.
    Spent {
        /// In US dollars.
        cost_usd: f64,
    },
    /// The agent uses one of its tools.
    Used {
        /// The tool's name.
        tool: String,
    },
    /// The agent was refused one of its tools. Each is signalled once in a turn, and those of a turn with a reply are
    /// [listed in it](Reply::refused) as well; the sign is for a turn that ends without one.
    Refused(RefusedTool),
    /// The agent wrote a file with one of its own tools. Each file is signalled once in a turn, and those of a turn with a reply
    /// are [listed in it](Reply::written) as well; the sign is for a turn that ends without one.
    Wrote(PathBuf),
    /// The agent's service asks for patience, and the agent tries again by itself.
    Retrying {
        /// Why, in the agent's words.
        why: String,
    },
}

/// What the agent answered.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Reply {
    /// Its words.
    pub text: String,
    /// What this turn cost, without what the conversation cost before it.
    pub cost_usd: Option<f64>,
    /// The version of the program that stated it.
    pub version: Option<String>,
    /// How many rounds of its own it took.
    pub rounds: Option<u32>,
    /// The tools it was refused, each use of one once.
    #[serde(default, alias = "denied")]
    pub refused: Vec<RefusedTool>,
    /// The files that it, or a helper of its own, wrote with its editing tools, each once, as it names them: a path is absolute,
    /// as a rule. What a command wrote is not among them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_and_a_process_survive_being_stored() {
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
        let before = r#"{"text":"Done.","cost_usd":null,"version":null,"rounds":3,"denied":["Bash"]}"#;
        let reply: Reply = serde_json::from_str(before).unwrap();
        assert_eq!(reply.refused, [RefusedTool::new("Bash", None)], "as earlier versions stored it");
        assert_eq!(reply.written, [""; 0].map(PathBuf::from));
        assert!(!serde_json::to_string(&reply).unwrap().contains("written"), "what is empty is not stored");
        let process = Process { pid: 4711, started: "12345".to_owned() };
        let stored = serde_json::to_string(&process).unwrap();
        assert_eq!(stored, r#"{"pid":4711,"started":"12345"}"#);
        assert_eq!(serde_json::from_str::<Process>(&stored).unwrap(), process);
    }
}
