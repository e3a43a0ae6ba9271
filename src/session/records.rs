//! What a commit is about: sessions, messages, processes.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::run::{AttemptId, RunId, SessionId};

/// A session that begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewSession {
    /// Its id.
    pub id: SessionId,
    /// What clients show as its name.
    pub name: String,
    /// Where its agent works.
    pub directory: PathBuf,
    /// Its agent, by name.
    pub agent: String,
    /// What its agent is told beside every prompt.
    pub system_prompt: Option<String>,
    /// When it began, in milliseconds since 1970.
    pub at: u64,
}

/// A message, before it has its offset in the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewMessage {
    /// The conversation.
    pub session: SessionId,
    /// Names the message, everywhere.
    pub id: Uuid,
    /// Who said it.
    pub role: Role,
    /// The words.
    pub text: String,
    /// When, in milliseconds since 1970. A message is never older than the one before it: the store sees to that.
    pub at: u64,
    /// The attempt it belongs to.
    pub attempt: Option<AttemptId>,
    /// The run it belongs to.
    pub run: Option<RunId>,
}

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::Display, strum::EnumString)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Role {
    /// The person, or the recipe on their behalf.
    User,
    /// The agent.
    Assistant,
}

/// A process as it is persisted: enough to tell it from a later one with the same number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Its number.
    pub pid: i32,
    /// When it started, in the system's own words.
    pub started: String,
}
