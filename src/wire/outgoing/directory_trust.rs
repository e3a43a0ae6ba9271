//! Whether a repository is trusted.

use serde::{Deserialize, Serialize};

/// Whether the repository of a directory is trusted, and what trust allows or would allow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectoryTrust {
    /// The directory, as the client named it.
    pub working_directory: String,
    /// Whether there is a record of trust, and it is still valid.
    pub trusted: bool,
    /// The files that trust depends on, as far as HEAD has them, relative to the top of the work
    /// tree.
    pub files: Vec<String>,
    /// The files that have changed since the repository was trusted, which invalidates the record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// The commands of the repository's own file: those that verify a step, then those that set up
    /// a worktree.
    pub commands: Vec<String>,
}
