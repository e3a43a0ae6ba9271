//! `get_directory_trust`, `trust_directory` and `untrust_directory`: whether a repository's own
//! commands, hooks and MCP servers may run.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::wire::forms::path;

/// Asks whether the repository of a directory is trusted, and what that would allow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetDirectoryTrust {
    /// The directory, or one below the top of its repository.
    #[serde(deserialize_with = "path")]
    pub working_directory: PathBuf,
}

/// Records that the repository of a directory is trusted in the state of its HEAD. Only the user of
/// the server's machine may do so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustDirectory {
    /// The directory, or one below the top of its repository.
    #[serde(deserialize_with = "path")]
    pub working_directory: PathBuf,
}

/// Deletes the record that the repository of a directory is trusted. Only the user of the server's
/// machine may do so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UntrustDirectory {
    /// The directory. If it no longer exists, this is the path in the record.
    #[serde(deserialize_with = "path")]
    pub working_directory: PathBuf,
}
