//! The conversations that the fake knows, stored where the real CLI stores its own.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::call::Call;

/// A folder of conversations.
pub(crate) struct Conversations(PathBuf);

/// Why a call is rejected.
pub(crate) enum Refusal {
    InUse,
    Unknown,
}

impl Conversations {
    pub(crate) fn at(configuration: Option<PathBuf>) -> Self {
        let variable = |name| std::env::var_os(name).map(PathBuf::from);
        let home = || {
            variable("FAKE_CLAUDE_HOME")
                .or_else(|| variable("HOME"))
                .map(|home| home.join(".claude"))
        };
        let folder = configuration.or_else(|| variable("CLAUDE_CONFIG_DIR")).or_else(home);
        Self(folder.unwrap_or_default().join("projects/fake"))
    }

    pub(crate) fn admit(&self, call: &Call) -> Result<(), Refusal> {
        match (call.resume, self.file(call).is_file()) {
            (false, true) => Err(Refusal::InUse),
            (true, false) => Err(Refusal::Unknown),
            _ => Ok(()),
        }
    }

    /// Records a prompt. Like a real one, a conversation exists from its first prompt on, even if
    /// the call fails.
    pub(crate) fn keep(&self, call: &Call, prompt: &str) {
        self.write(call, &json!({ "type": "user", "bytes": prompt.len() }));
    }

    /// Adds to the cost of the conversation, and returns the total.
    pub(crate) fn spend(&self, call: &Call, cost_usd: f64) -> f64 {
        self.write(call, &json!({ "type": "cost", "usd": cost_usd }));
        let text = fs::read_to_string(self.file(call)).unwrap_or_default();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.filter_map(|line| line["usd"].as_f64()).fold(0.0, |sum, cost| sum + cost)
    }

    fn write(&self, call: &Call, line: &Value) {
        let kept = fs::create_dir_all(&self.0)
            .and_then(|()| fs::OpenOptions::new().create(true).append(true).open(self.file(call)))
            .and_then(|mut file| {
                std::io::Write::write_all(&mut file, format!("{line}\n").as_bytes())
            });
        if let Err(error) = kept {
            eprintln!("the conversation cannot be stored: {error}");
        }
    }

    fn file(&self, call: &Call) -> PathBuf {
        self.0.join(format!("{}.jsonl", call.session))
    }
}

impl Refusal {
    pub(crate) fn words(&self) -> &'static str {
        match self {
            Self::InUse => "in use",
            Self::Unknown => "unknown",
        }
    }

    /// The message for standard error, as version 2.1.325 writes it. Prints that of an unknown
    /// conversation to standard output, too.
    pub(crate) fn message(&self, call: &Call) -> String {
        match self {
            Self::InUse => format!("Error: Session ID {} is already in use.", call.session),
            Self::Unknown => {
                let words = format!("No conversation found with session ID: {}", call.session);
                let line = json!({
                    "type": "result", "subtype": "error_during_execution", "is_error": true, "num_turns": 0,
                    "session_id": call.session, "total_cost_usd": 0, "permission_denials": [], "errors": [words],
                });
                println!("{line}");
                words
            }
        }
    }
}
