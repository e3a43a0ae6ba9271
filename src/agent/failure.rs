//! Why an agent gave no reply.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::recipe::advice;
use crate::{Advise, Remedy};

/// Why a turn ended without a reply.
///
/// ```
/// use surefire::agent::Failure;
///
/// let failure = Failure::NotLoggedIn { words: "Please run /login".to_owned() };
/// assert_eq!(failure.to_string(), "the agent is not logged in: Please run /login");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Failure {
    /// The agent's program is missing, or cannot be executed.
    #[error("the agent `{}` cannot be started: {why}{}", path.display(), advice(self))]
    BadProgram {
        /// Its path.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
        /// What to do about it.
        remedy: Remedy,
    },
    /// The agent's program exists, but cannot be started at the moment.
    #[error("the agent `{}` cannot be started: {why}", path.display())]
    CannotStart {
        /// Its path.
        path: PathBuf,
        /// What keeps it from starting.
        why: String,
    },
    /// The turn was stopped on request.
    #[error("the turn was stopped")]
    Stopped,
    /// The turn was stopped on request, before the agent got its prompt.
    #[error("the turn was stopped before the agent got its prompt")]
    StoppedBeforePrompt,
    /// The agent was detached; its turn can be recovered later.
    #[error("the agent was detached and keeps working")]
    #[serde(rename = "left")]
    Detached,
    /// The agent produced no output for too long.
    #[error("the agent produced no output for {} s", .after.as_secs_f64())]
    Silent {
        /// The time limit.
        after: Duration,
    },
    /// The turn took too long.
    #[error("the agent took longer than {} s", .after.as_secs_f64())]
    TookTooLong {
        /// The time limit.
        after: Duration,
    },
    /// The process ended and left no reply.
    #[error("the agent's process ended without a reply ({status}){}", tail(.stderr))]
    NoReply {
        /// How the process ended.
        status: String,
        /// The last lines it wrote to standard error.
        stderr: String,
    },
    /// The agent's output exceeded its limit.
    #[error("the agent wrote more than {limit}")]
    TooMuchOutput {
        /// The limit that was hit, in words.
        limit: String,
    },
    /// The agent is not logged in.
    #[error("the agent is not logged in: {words}")]
    NotLoggedIn {
        /// The agent's message.
        words: String,
    },
    /// The usage limit of the agent's account is reached.
    #[error("the agent's usage limit is reached: {words}")]
    UsageLimit {
        /// When it resets, in seconds since 1970.
        resets_at: Option<u64>,
        /// The agent's message.
        words: String,
    },
    /// The agent's service is overloaded.
    #[error("the agent's service is overloaded: {words}")]
    Overloaded {
        /// The agent's message.
        words: String,
    },
    /// The conversation no longer fits the model's context.
    #[error("the agent's context window is full: {words}")]
    ContextFull {
        /// The agent's message.
        words: String,
    },
    /// The turn's budget is spent.
    #[error("the agent spent the turn's budget: {words}")]
    BudgetSpent {
        /// The agent's message.
        words: String,
    },
    /// The agent reached its limit of rounds.
    #[error("the agent reached its limit of rounds: {words}")]
    TooManyRounds {
        /// The agent's message.
        words: String,
    },
    /// The agent answered for another conversation.
    #[error("the agent answered for session {found}, but was asked in session {expected}")]
    OtherSession {
        /// The session of the turn.
        expected: String,
        /// The session in the reply.
        found: String,
    },
    /// The prompt is empty.
    #[error("the agent reports an error: the prompt is empty{}", advice(self))]
    EmptyPrompt,
    /// The agent does not know the model.
    #[error("the agent reports an error: unknown model `{model}`{}", advice(self))]
    UnknownModel {
        /// The requested name.
        model: String,
        /// The names it knows.
        known: Vec<String>,
    },
    /// The agent has lost the conversation. It is never replaced by a new one automatically.
    #[error("the agent reports an error: {words}{}", advice(self))]
    ConversationLost {
        /// The agent's message.
        words: String,
    },
    /// Anything else that the agent reports as an error.
    #[error("the agent reports an error: {words}")]
    Refused {
        /// The agent's message.
        words: String,
    },
}

impl Advise for Failure {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::BadProgram { remedy, .. } => Some(remedy.clone()),
            Self::EmptyPrompt => Some(Remedy::WritePrompt),
            Self::UnknownModel { known, .. } => Some(Remedy::UseOneOf { names: known.clone() }),
            Self::ConversationLost { .. } => Some(Remedy::NewSession),
            // What helps after these depends on the run: the exit reason has the remedy.
            Self::CannotStart { .. }
            | Self::Stopped
            | Self::StoppedBeforePrompt
            | Self::Detached
            | Self::Silent { .. }
            | Self::TookTooLong { .. }
            | Self::NoReply { .. }
            | Self::TooMuchOutput { .. }
            | Self::NotLoggedIn { .. }
            | Self::UsageLimit { .. }
            | Self::Overloaded { .. }
            | Self::ContextFull { .. }
            | Self::BudgetSpent { .. }
            | Self::TooManyRounds { .. }
            | Self::OtherSession { .. }
            | Self::Refused { .. } => None,
        }
    }
}

fn tail(stderr: &str) -> String {
    if stderr.is_empty() { String::new() } else { format!(": {stderr}") }
}

/// A model that the agent does not know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown model `{model}`{}", advice(self))]
pub struct UnknownModel {
    /// The requested name.
    pub model: String,
    /// The names it knows.
    pub known: Vec<&'static str>,
}

impl Advise for UnknownModel {
    fn remedy(&self) -> Option<Remedy> {
        Some(Remedy::UseOneOf { names: self.known.iter().map(|&name| name.to_owned()).collect() })
    }
}

impl From<UnknownModel> for Failure {
    fn from(UnknownModel { model, known }: UnknownModel) -> Self {
        Self::UnknownModel { model, known: known.into_iter().map(str::to_owned).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tag of each variant, spelled out: it may be stored.
    fn kind(failure: &Failure) -> &'static str {
        match failure {
            Failure::BadProgram { .. } => "bad_program",
            Failure::CannotStart { .. } => "cannot_start",
            Failure::Stopped => "stopped",
            Failure::StoppedBeforePrompt => "stopped_before_prompt",
            Failure::Detached => "left",
            Failure::Silent { .. } => "silent",
            Failure::TookTooLong { .. } => "took_too_long",
            Failure::NoReply { .. } => "no_reply",
            Failure::TooMuchOutput { .. } => "too_much_output",
            Failure::NotLoggedIn { .. } => "not_logged_in",
            Failure::UsageLimit { .. } => "usage_limit",
            Failure::Overloaded { .. } => "overloaded",
            Failure::ContextFull { .. } => "context_full",
            Failure::BudgetSpent { .. } => "budget_spent",
            Failure::TooManyRounds { .. } => "too_many_rounds",
            Failure::OtherSession { .. } => "other_session",
            Failure::EmptyPrompt => "empty_prompt",
            Failure::UnknownModel { .. } => "unknown_model",
            Failure::ConversationLost { .. } => "conversation_lost",
            Failure::Refused { .. } => "refused",
        }
    }

    #[test]
    fn every_failure_round_trips_through_the_store() {
        let words = || "words; and more".to_owned();
        let after = Duration::from_millis(1500);
        let every = [
            Failure::BadProgram {
                path: "/usr/bin/claude".into(),
                why: words(),
                remedy: Remedy::Install {
                    program: "Claude Code".to_owned(),
                    variable: "X".to_owned(),
                },
            },
            Failure::CannotStart { path: "/usr/bin/claude".into(), why: words() },
            Failure::Stopped,
            Failure::StoppedBeforePrompt,
            Failure::Detached,
            Failure::Silent { after },
            Failure::TookTooLong { after },
            Failure::NoReply { status: "exit status: 1".to_owned(), stderr: words() },
            Failure::TooMuchOutput { limit: "8 MiB in one line".to_owned() },
            Failure::NotLoggedIn { words: words() },
            Failure::UsageLimit { resets_at: Some(1_800_000_000), words: words() },
            Failure::UsageLimit { resets_at: None, words: words() },
            Failure::Overloaded { words: words() },
            Failure::ContextFull { words: words() },
            Failure::BudgetSpent { words: words() },
            Failure::TooManyRounds { words: words() },
            Failure::OtherSession { expected: "a".to_owned(), found: "b".to_owned() },
            Failure::EmptyPrompt,
            UnknownModel { model: "sonet".to_owned(), known: vec!["sonnet", "opus"] }.into(),
            Failure::ConversationLost { words: words() },
            Failure::Refused { words: words() },
        ];
        for failure in every {
            let stored = serde_json::to_value(&failure).unwrap();
            assert_eq!(stored["kind"], kind(&failure));
            assert_eq!(serde_json::from_value::<Failure>(stored).unwrap(), failure);
        }
    }
}
