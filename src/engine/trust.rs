//! Which repositories the user trusts, so that their own commands, hooks and MCP servers may run.
//!
//! A trust record names the top of a work tree and the git ids of the files that matter. Once HEAD
//! has other versions of these files, the record is void.

use std::collections::BTreeMap;
use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::blocking::on_own_runtime;
use super::file_lock::{FileLock, NotLocked};
use crate::gate::{
    Environment, Git, GitError, MAX_PROJECT_FILE_BYTES, ProjectFile, ProjectFileError,
};
use crate::recipe::advice;
use crate::{Advise, Remedy};

/// The file with the records, in the data directory.
const RECORDS: &str = "trust.json";

/// The size limit of that file.
const MAX_RECORDS_BYTES: u64 = 4 << 20;

/// How often, and at which interval, to try to lock the records while another process changes them.
const LOCK_ATTEMPTS: u32 = 50;
const LOCK_INTERVAL: std::time::Duration = std::time::Duration::from_millis(20);

/// The part of a repository that trust depends on, at HEAD.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrustSubject {
    /// The top of the work tree.
    pub top: PathBuf,
    /// The commit of HEAD; `None` before the first commit.
    pub commit: Option<String>,
    /// The files that trust depends on, each with its git id. Files that HEAD does not have are
    /// left out.
    pub files: BTreeMap<String, String>,
    /// The repository's project file.
    pub project: Option<ProjectFile>,
    /// Why the repository cannot be trusted, if so: for example, a symbolic link instead of a file
    /// could point elsewhere at any time.
    pub obstacle: Option<String>,
}

/// Whether a repository is trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TrustState {
    /// There is no record.
    Unknown,
    /// There is a valid record.
    Trusted,
    /// There is a record, but these files have changed since.
    Changed {
        /// Their paths.
        files: Vec<String>,
    },
}

/// Why a repository cannot be trusted, or why it is unknown whether it is trusted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrustError {
    /// The directory is not in a repository.
    #[error("`{}` is not in a git work tree{}", .0.display(), advice(self))]
    NoRepository(PathBuf),
    /// The repository's project file has a mistake.
    #[error("`{}`: {error}", .directory.join(crate::gate::PROJECT_FILE).display())]
    ProjectFile {
        /// The top of the work tree.
        directory: PathBuf,
        /// The mistake.
        error: ProjectFileError,
    },
    /// The files that trust depends on could change unnoticed.
    #[error("`{}` cannot be trusted: {why}", .directory.display())]
    Obstacle {
        /// The top of the work tree.
        directory: PathBuf,
        /// Why.
        why: String,
    },
    /// Git failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The records cannot be read or written.
    #[error("the trust records in `{}` cannot be used: {error}", path.display())]
    Records {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl Advise for TrustError {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::NoRepository(_) => Some(Remedy::InitRepository),
            Self::ProjectFile { .. }
            | Self::Obstacle { .. }
            | Self::Git(_)
            | Self::Records { .. } => None,
        }
    }
}

/// The user's trust records, in a data directory.
///
/// ```no_run
/// use surefire::engine::{TrustRecords, TrustState};
///
/// # async fn trust() -> Result<(), surefire::engine::TrustError> {
/// let records = TrustRecords::new("/home/me/.local/share/surefire");
/// let subject = records.subject("/home/me/shop".as_ref()).await?;
/// if records.state(&subject)? != TrustState::Trusted {
///     records.trust(&subject)?;
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct TrustRecords {
    data: PathBuf,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Records {
    directories: BTreeMap<PathBuf, Record>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    #[serde(default)]
    files: BTreeMap<String, String>,
}

impl TrustRecords {
    /// The records in this data directory.
    #[must_use]
    pub fn new(data: impl Into<PathBuf>) -> Self {
        Self { data: data.into() }
    }

    /// Finds what trust in a directory's repository depends on.
    ///
    /// # Errors
    /// The directory is not in a work tree, its project file has a mistake, or git failed.
    pub async fn subject(&self, directory: &Path) -> Result<TrustSubject, TrustError> {
        let git = Git::new(&Environment::inherited());
        // The path is never written to, because no snapshot is taken; no data directory is created.
        let objects = Some(self.data.join("runs")).filter(|runs| runs.is_dir());
        let objects = objects.unwrap_or_else(std::env::temp_dir);
        let repository = git.find(directory, &objects).await?;
        subject_of(&repository.ok_or_else(|| TrustError::NoRepository(directory.to_owned()))?).await
    }

    /// Whether a repository is trusted.
    ///
    /// # Errors
    /// The records cannot be read.
    pub fn state(&self, subject: &TrustSubject) -> Result<TrustState, TrustError> {
        let records = self.read()?;
        Ok(match records.directories.get(&subject.top) {
            None => TrustState::Unknown,
            Some(_) if subject.obstacle.is_some() => TrustState::Unknown,
            Some(record) if record.files == subject.files => TrustState::Trusted,
            Some(record) => {
                let names = record.files.keys().chain(subject.files.keys());
                let mut files: Vec<_> = names
                    .filter(|name| record.files.get(*name) != subject.files.get(*name))
                    .cloned()
                    .collect();
                files.sort();
                files.dedup();
                TrustState::Changed { files }
            }
        })
    }

    /// Records that a repository is trusted in its current state.
    ///
    /// # Errors
    /// The repository cannot be trusted, or the records cannot be written.
    pub fn trust(&self, subject: &TrustSubject) -> Result<(), TrustError> {
        if let Some(why) = &subject.obstacle {
            return Err(TrustError::Obstacle { directory: subject.top.clone(), why: why.clone() });
        }
        let record = Record { files: subject.files.clone() };
        self.change(|records| {
            records.directories.insert(subject.top.clone(), record);
        })
    }

    /// Removes the record of a directory, which may be gone by now. Returns whether there was one.
    ///
    /// # Errors
    /// The records cannot be written.
    pub fn untrust(&self, top: &Path) -> Result<bool, TrustError> {
        let mut was_trusted = false;
        self.change(|records| was_trusted = records.directories.remove(top).is_some())?;
        Ok(was_trusted)
    }

    /// The directories with a record.
    ///
    /// # Errors
    /// The records cannot be read.
    pub fn directories(&self) -> Result<Vec<PathBuf>, TrustError> {
        Ok(self.read()?.directories.into_keys().collect())
    }

    /// The file with the records.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.data.join(RECORDS)
    }

    fn records_error(&self) -> impl Fn(io::Error) -> TrustError {
        let path = self.path();
        move |error| TrustError::Records { path: path.clone(), error }
    }

    fn read(&self) -> Result<Records, TrustError> {
        let read = || -> io::Result<Records> {
            let found = match self.path().symlink_metadata() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Ok(Records::default());
                }
                found => found?,
            };
            if !found.is_file() || found.len() > MAX_RECORDS_BYTES {
                return Err(io::Error::other("it is a link, or too large"));
            }
            Ok(serde_json::from_slice(&std::fs::read(self.path())?)?)
        };
        read().map_err(self.records_error())
    }

    /// Changes the records atomically.
    fn change(&self, change: impl FnOnce(&mut Records)) -> Result<(), TrustError> {
        let write = |records: &Records| -> io::Result<()> {
            let new = self.data.join(format!("{RECORDS}.new"));
            let _ = std::fs::remove_file(&new);
            let mut file =
                OpenOptions::new().create_new(true).write(true).mode(0o600).open(&new)?;
            file.write_all(serde_json::to_string_pretty(records)?.as_bytes())?;
            file.sync_all()?;
            std::fs::rename(new, self.path())
        };
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&self.data);
        made.map_err(self.records_error())?;
        let _lock = self.lock().map_err(self.records_error())?;
        let mut records = self.read()?;
        change(&mut records);
        write(&records).map_err(self.records_error())
    }

    /// Serializes changes by several processes.
    fn lock(&self) -> io::Result<FileLock> {
        for _ in 0..LOCK_ATTEMPTS {
            match FileLock::take(&self.data, "trust.lock") {
                Ok(lock) => return Ok(lock),
                Err(NotLocked::Held) => std::thread::sleep(LOCK_INTERVAL),
                Err(NotLocked::Failed(error)) => return Err(error),
            }
        }
        Err(io::Error::other("another process keeps them locked"))
    }
}

/// Finds what trust in a repository depends on.
pub(super) async fn subject_of(
    repository: &crate::gate::Repository,
) -> Result<TrustSubject, TrustError> {
    let top = repository.top().to_owned();
    let commit = repository.head().await?.commit;
    let (files, obstacle) = match repository.trusted_ids().await {
        Ok(files) => (files.into_iter().collect(), None),
        Err(error @ GitError::NotAFile { .. }) => (BTreeMap::new(), Some(error.to_string())),
        Err(error) => return Err(error.into()),
    };
    let text = repository.head_file(crate::gate::PROJECT_FILE, MAX_PROJECT_FILE_BYTES).await?;
    let project = text.map(|text| ProjectFile::parse(&text)).transpose();
    let project =
        project.map_err(|error| TrustError::ProjectFile { directory: top.clone(), error })?;
    Ok(TrustSubject { top, commit, files, project, obstacle })
}

/// Whether the repository of a directory has a valid trust record.
pub(super) async fn is_recorded(data: &Path, directory: &Path) -> bool {
    let (records, directory) = (TrustRecords::new(data), directory.to_owned());
    let state = on_own_runtime(move || async move {
        let subject = records.subject(&directory).await?;
        records.state(&subject)
    });
    matches!(state.await, Ok(Ok(TrustState::Trusted)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(files: &[(&str, &str)]) -> TrustSubject {
        let files = files.iter().map(|(path, id)| ((*path).to_owned(), (*id).to_owned())).collect();
        TrustSubject { top: "/shop".into(), commit: None, files, project: None, obstacle: None }
    }

    #[test]
    fn trust_holds_as_long_as_the_files_are_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let records = TrustRecords::new(folder.path().join("data"));
        let now = subject(&[("surefire.toml", "1")]);
        assert_eq!(records.state(&now).unwrap(), TrustState::Unknown);
        assert!(!records.untrust(&now.top).unwrap());
        records.trust(&now).unwrap();
        assert_eq!(records.state(&now).unwrap(), TrustState::Trusted);
        let later = subject(&[("surefire.toml", "1"), (".mcp.json", "2")]);
        let changed = TrustState::Changed { files: vec![".mcp.json".to_owned()] };
        assert_eq!(records.state(&later).unwrap(), changed);
        let gone = TrustState::Changed { files: vec!["surefire.toml".to_owned()] };
        assert_eq!(records.state(&subject(&[])).unwrap(), gone);
        assert!(records.untrust(&now.top).unwrap());
        assert_eq!(records.state(&now).unwrap(), TrustState::Unknown);
    }

    #[test]
    fn records_that_cannot_be_read_trust_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let records = TrustRecords::new(folder.path());
        for broken in ["", "{", "1"] {
            std::fs::write(folder.path().join(RECORDS), broken).unwrap();
            assert!(records.state(&subject(&[])).is_err(), "{broken}");
            assert!(records.trust(&subject(&[])).is_err(), "the file is not overwritten");
        }
        std::fs::remove_file(folder.path().join(RECORDS)).unwrap();
        std::os::unix::fs::symlink("/dev/null", folder.path().join(RECORDS)).unwrap();
        assert!(records.state(&subject(&[])).is_err());
    }

    #[test]
    fn concurrent_changes_are_all_kept() {
        let folder = tempfile::tempdir().unwrap();
        let records = TrustRecords::new(folder.path());
        std::thread::scope(|scope| {
            for n in 0..8 {
                let records = &records;
                let subject = TrustSubject { top: format!("/{n}").into(), ..subject(&[]) };
                scope.spawn(move || records.trust(&subject).unwrap());
            }
        });
        assert_eq!(records.directories().unwrap().len(), 8);
    }
}
