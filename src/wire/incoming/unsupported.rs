//! Requests that other servers of the same app support and this one does not. They are decoded
//! because the app waits for an answer all the same.

use serde::{Deserialize, Serialize};

use crate::wire::forms::lenient;

/// Shortens a session's conversation, or infers a name for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsupportedInSession {
    /// The session, as the client wrote it.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
}

/// Runs a command in a shell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecuteCommand {
    /// The command's id.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    pub command_id: Option<String>,
}

/// Asks for the commands in a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetDirectory {
    /// The directory, as the client wrote it.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// Asks for the branch that a directory is on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetGitBranch {
    /// The directory, as the client wrote it.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    pub working_directory: Option<String>,
}
