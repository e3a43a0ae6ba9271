//! `get_directory_trust`, `trust_directory` and `untrust_directory`: whether a repository's own commands, hooks and MCP servers
//! may run.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::wire::forms::path;

/// Whether the repository of a directory is trusted, and what that would allow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetDirectoryTrust {
    /// The directory, or one below the top of its repository.
    #[serde(deserialize_with = "path")]
    pub working_directory: PathBuf,
}

/// To record that the repository of a directory is trusted, as HEAD has it. For the machine's user to say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustDirectory {
    /// The directory, or one below the top of its repository.
    #[serde(deserialize_with = "path")]
    pub working_directory: PathBuf,
}

/// To delete the record that the repository of a directory is trusted. For the machine's user to say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UntrustDirectory {
    /// The directory. It may be gone: then it is the path that the record has.
    #[serde(deserialize_with = "path")]
    pub working_directory: PathBuf,
}
