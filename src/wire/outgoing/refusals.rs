//! The answers to requests that this server does not support, in the form that the app expects.

use serde::{Deserialize, Serialize};

/// Commands that can be run: none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
pub struct AvailableCommands {
    /// The directory; the app drops the message without it.
    pub working_directory: String,
    /// The commands of the project.
    pub project_commands: Vec<String>,
    /// The commands that every directory has.
    pub general_commands: Vec<String>,
}

/// A conversation was not shortened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompactionError {
    /// The session, as the client wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Why not.
    pub error: String,
}

/// No name was inferred for a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InferNameError {
    /// The session, as the client wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Why not.
    pub error: String,
}

/// A command was not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandError {
    /// The command's id; the app drops the answer without one.
    pub command_id: String,
    /// Why not.
    pub error: String,
}

/// The commands that were run: none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
pub struct CommandHistory {
    /// The commands.
    pub sessions: Vec<String>,
    /// How many there are at most.
    pub limit: u32,
}

/// The uploaded files: none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
#[non_exhaustive]
pub struct ResourcesList {
    /// The files.
    pub resources: Vec<String>,
}

/// The branch that a directory is on: always empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
pub struct GitBranch {
    /// The directory, as the client wrote it.
    pub working_directory: String,
    /// Always `null`.
    pub branch: Option<()>,
}

/// No worktree was created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorktreeSessionError {
    /// Always `false`.
    pub success: bool,
    /// Why not.
    pub error: String,
}
