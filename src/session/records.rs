//! The records in a commit: sessions, messages, processes.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::UnknownName;
use crate::run::{AttemptId, RunId, SessionId};

/// A session that begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewSession {
    /// Its id.
    pub id: SessionId,
    /// The name that clients show.
    pub name: String,
    /// Where its agent works.
    pub directory: PathBuf,
    /// Its agent, by name.
    pub agent: String,
    /// The system prompt that its agent gets with every prompt.
    pub system_prompt: Option<String>,
    /// When it began, in milliseconds since 1970.
    pub at: u64,
}

/// A message, before it has its offset in the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewMessage {
    /// The conversation.
    pub session: SessionId,
    /// The id of the message, the same for every client.
    pub id: Uuid,
    /// Who wrote it.
    pub role: Role,
    /// Its text.
    pub text: String,
    /// When, in milliseconds since 1970. The store makes sure that a message is never older than
    /// the one before it.
    pub at: u64,
    /// The attempt it belongs to.
    pub attempt: Option<AttemptId>,
    /// The run it belongs to.
    pub run: Option<RunId>,
}

/// Who wrote a message.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    strum::VariantArray,
    strum::VariantNames,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", parse_err_ty = UnknownName, parse_err_fn = unknown_role)]
#[non_exhaustive]
pub enum Role {
    /// A person, or the recipe on a person's behalf.
    User,
    /// The agent.
    Assistant,
}

impl Role {
    /// Every role, in the order of declaration.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;
}

fn unknown_role(name: &str) -> UnknownName {
    UnknownName::among(<Role as strum::VariantNames>::VARIANTS, "role", name)
}

/// A persisted process: enough to distinguish it from a later one with the same process id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessRecord {
    /// Its process id.
    pub pid: i32,
    /// When it started, in the operating system's own format.
    pub started: String,
}
