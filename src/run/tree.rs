//! What the engine saw in a run's working directory before and after its turns.

use serde::{Deserialize, Serialize};

/// A work tree at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeState {
    /// The commit that HEAD names; `None` on a branch without commits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The branch; `None` if HEAD is detached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// A hash of all files that are not ignored, committed or not. Two states with the same files
    /// have the same hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
}

/// When the engine looked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "moment", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Moment {
    /// Right before the agent got its prompt. The first one of a run is its baseline.
    Before,
    /// Right after the turn ended.
    After {
        /// What the run has changed since its baseline.
        changes: Changes,
    },
}

/// What a run changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// The files, by path; a long list is truncated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<ChangedFile>,
    /// The total number of files.
    pub total_files: u32,
    /// How many lines were added.
    pub added: u64,
    /// How many lines were removed.
    pub removed: u64,
    /// The commits that the run's turns made and that HEAD still reaches, newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<CommitSeen>,
}

/// One file that a run changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedFile {
    /// Its path in the work tree. Bytes that are not UTF-8 are replaced.
    pub path: String,
    /// What happened to it.
    pub change: FileChange,
    /// How many lines were added; `None` for a binary file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<u32>,
    /// How many lines were removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<u32>,
}

/// What happened to a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FileChange {
    /// It is new.
    Added,
    /// Its content or its mode changed.
    Modified,
    /// It is gone.
    Deleted,
    /// It was moved from this path.
    Renamed(String),
    /// It became another kind of file, a link for example.
    TypeChanged,
}

/// A commit that one of the run's turns made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitSeen {
    /// Its id.
    pub id: String,
    /// The first line of its message.
    pub subject: String,
}

/// What a run's work tree is compared with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Baseline {
    /// The work tree when the run began; `None` before its first turn, and outside of git.
    pub tree: Option<TreeState>,
    /// Where HEAD was before and after each of the run's turns that moved it.
    pub windows: Vec<HeadWindow>,
    /// Where HEAD was when the turn in flight began.
    pub head_before: Option<Option<String>>,
}

impl Baseline {
    /// Records the work tree right before a turn. The first one is the baseline for good: a
    /// resumed run keeps it.
    pub fn begin_turn(&mut self, tree: &TreeState) {
        self.tree.get_or_insert_with(|| tree.clone());
        self.head_before = Some(tree.head.clone());
    }

    /// Records HEAD after a turn.
    pub fn end_turn(&mut self, head: Option<&String>) {
        if let Some(before) = self.head_before.take().filter(|before| before.as_ref() != head) {
            self.windows.push(HeadWindow { before, after: head.cloned() });
        }
    }
}

/// Where HEAD was when a turn began and when it ended. The commits in between are the turn's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadWindow {
    /// When it began.
    pub before: Option<String>,
    /// When it ended.
    pub after: Option<String>,
}
