#![allow(missing_docs, clippy::all, clippy::pedantic, dead_code, unused_variables)]
use super::{Git, GitError, Repository};
use crate::{Advise, CommandLine, FileRules, FileScope, Remedy, Violation};
use std::path::{Path, PathBuf};
use std::time::Duration;
pub const PROJECT_FILE: &str = "surefire.toml";
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectFile {
    pub verify: Vec<CommandLine>,
    pub setup: Vec<CommandLine>,
    pub scope: FileScope,
    pub allow_lockfiles: bool,
    pub max_verify_time: Option<Duration>,
}
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("x")]
pub struct ProjectFileError;
impl ProjectFile {
    pub fn parse(text: &[u8]) -> Result<Self, ProjectFileError> {
        todo!()
    }
}
impl Repository {
    pub async fn violations(
        &self,
        from: &str,
        to: &str,
        rules: &FileRules,
        written: &[PathBuf],
    ) -> Result<Vec<Violation>, GitError> {
        todo!()
    }
    pub async fn dirty_tracked(&self) -> Result<Vec<PathBuf>, GitError> {
        todo!()
    }
    pub async fn head_file(&self, path: &str, max: usize) -> Result<Option<Vec<u8>>, GitError> {
        todo!()
    }
    pub async fn trusted_ids(&self) -> Result<Vec<(String, String)>, GitError> {
        todo!()
    }
}
pub struct Merged {
    pub into: Option<String>,
    pub commit: String,
}
pub struct Discarded {
    pub commit: String,
    pub uncommitted: usize,
}
#[derive(Debug, thiserror::Error)]
pub enum WorktreeError {
    #[error(transparent)]
    Git(#[from] GitError),
    #[error("x")]
    Conflicts { files: Vec<PathBuf> },
}
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorktreeState {
    pub present: bool,
    pub branch: Option<String>,
    pub uncommitted: usize,
    pub ahead: usize,
}
impl Advise for WorktreeError {
    fn remedy(&self) -> Option<Remedy> {
        None
    }
}
impl Git {
    pub async fn add_worktree(
        &self,
        repository: &Path,
        path: &Path,
        branch: &str,
        base: &str,
    ) -> Result<(), GitError> {
        todo!()
    }
    pub async fn merge_worktree(
        &self,
        repository: &Path,
        path: &Path,
        branch: &str,
    ) -> Result<Merged, WorktreeError> {
        todo!()
    }
    pub async fn worktree_state(
        &self,
        repository: &Path,
        path: &Path,
        branch: &str,
    ) -> Result<WorktreeState, GitError> {
        todo!()
    }
    pub async fn discard_worktree(
        &self,
        repository: &Path,
        path: &Path,
        branch: &str,
    ) -> Result<Discarded, GitError> {
        todo!()
    }
}
