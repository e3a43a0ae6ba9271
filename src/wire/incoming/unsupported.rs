//! What other servers of the same app do, and this one does not. The app waits for an answer all the same.

use serde::{Deserialize, Serialize};

use crate::wire::forms::lenient;

/// About a session: to shorten its conversation, or to find a name for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsupportedInSession {
    /// The session, as the client wrote it.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
}

/// To run a command in a shell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecuteCommand {
    /// The command's id.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    pub command_id: Option<String>,
}

/// Which commands there are in a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetDirectory {
    /// The directory, as the client wrote it.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// Which branch a directory is on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetGitBranch {
    /// The directory, as the client wrote it.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    pub working_directory: Option<String>,
}
