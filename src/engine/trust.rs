//! Which repositories the user trusts: whether their own commands, hooks and MCP servers may run.
//!
//! Trust is a record of the user's: the top of a work tree, and the files that it rests on, by their ids in git. Where HEAD
//! has other files, the record does not hold any more.

use std::collections::BTreeMap;
use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::blocking::on_a_clock_of_its_own;
use super::file_lock::{FileLock, NotLocked};
use crate::gate::{Environment, Git, GitError, MAX_PROJECT_FILE_BYTES, ProjectFile, ProjectFileError};
use crate::recipe::advice;
use crate::{Advise, Remedy};

/// The file with the records, in the data directory.
const RECORDS: &str = "trust.json";

/// How large that file may be.
const MAX_RECORDS_BYTES: u64 = 4 << 20;

/// How often a change of the records is tried while another process changes them, and how long it waits in between.
const LOCK_ATTEMPTS: u32 = 50;
const LOCK_INTERVAL: std::time::Duration = std::time::Duration::from_millis(20);

/// What trust in a repository is about, as HEAD has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustSubject {
    /// The top of the work tree.
    pub top: PathBuf,
    /// The commit of HEAD; `None` where there is none yet.
    pub commit: Option<String>,
    /// The files that trust rests on, each with its id in git. A file that HEAD does not have is not in it.
    pub files: BTreeMap<String, String>,
    /// The repository's own file.
    pub project: Option<ProjectFile>,
    /// Why it cannot be trusted, where that is so: a link in the place of a file could lead to another one at any time.
    pub obstacle: Option<String>,
}

/// Whether a repository is trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrustState {
    /// There is no record of it.
    Unknown,
    /// It is.
    Trusted,
    /// It was, and these files are others since.
    Changed {
        /// Their paths.
        files: Vec<String>,
    },
}

/// Why a repository can be neither trusted nor looked at.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// There is no repository to trust.
    #[error("`{}` is not in a git work tree{}", .0.display(), advice(self))]
    NoRepository(PathBuf),
    /// Its own file has a mistake.
    #[error("`{}`: {error}", .directory.join(crate::gate::PROJECT_FILE).display())]
    ProjectFile {
        /// The top of the work tree.
        directory: PathBuf,
        /// The mistake.
        error: ProjectFileError,
    },
    /// What trust would rest on may change unnoticed.
    #[error("`{}` cannot be trusted: {why}", .directory.display())]
    Obstacle {
        /// The top of the work tree.
        directory: PathBuf,
        /// What is in the way.
        why: String,
    },
    /// Git failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The records cannot be read or written.
    #[error("the records of trust in `{}` cannot be used: {error}", path.display())]
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
            Self::ProjectFile { .. } | Self::Obstacle { .. } | Self::Git(_) | Self::Records { .. } => None,
        }
    }
}

/// The user's records of trust, in a data directory.
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

    /// What trust in the repository of a directory is about.
    ///
    /// # Errors
    /// The directory is in no work tree, its own file has a mistake, or git failed.
    pub async fn subject(&self, directory: &Path) -> Result<TrustSubject, TrustError> {
        let git = Git::new(&Environment::inherited());
        // Nothing is written to it: no snapshot is taken. A look makes no data directory.
        let objects = Some(self.data.join("runs")).filter(|runs| runs.is_dir());
        let objects = objects.unwrap_or_else(std::env::temp_dir);
        let repository = git.find(directory, &objects).await?;
        subject_of(&repository.ok_or_else(|| TrustError::NoRepository(directory.to_owned()))?).await
    }

    /// Whether it is trusted.
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

    /// Records that it is trusted, as it is now.
    ///
    /// # Errors
    /// It cannot be trusted, or the records cannot be written.
    pub fn trust(&self, subject: &TrustSubject) -> Result<(), TrustError> {
        if let Some(why) = &subject.obstacle {
            return Err(TrustError::Obstacle { directory: subject.top.clone(), why: why.clone() });
        }
        let record = Record { files: subject.files.clone() };
        self.change(|records| {
            records.directories.insert(subject.top.clone(), record);
        })
    }

    /// Forgets that a directory is trusted, and says whether it was. It may be gone meanwhile.
    ///
    /// # Errors
    /// The records cannot be written.
    pub fn untrust(&self, top: &Path) -> Result<bool, TrustError> {
        let mut was_trusted = false;
        self.change(|records| was_trusted = records.directories.remove(top).is_some())?;
        Ok(was_trusted)
    }

    /// The directories that there are records of.
    ///
    /// # Errors
    /// The records cannot be read.
    pub fn directories(&self) -> Result<Vec<PathBuf>, TrustError> {
        Ok(self.read()?.directories.into_keys().collect())
    }

    /// The file that they are in.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.data.join(RECORDS)
    }

    fn wrong(&self) -> impl Fn(io::Error) -> TrustError {
        let path = self.path();
        move |error| TrustError::Records { path: path.clone(), error }
    }

    fn read(&self) -> Result<Records, TrustError> {
        let read = || -> io::Result<Records> {
            let found = match self.path().symlink_metadata() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Records::default()),
                found => found?,
            };
            if !found.is_file() || found.len() > MAX_RECORDS_BYTES {
                return Err(io::Error::other("it is a link, or too large"));
            }
            Ok(serde_json::from_slice(&std::fs::read(self.path())?)?)
        };
        read().map_err(self.wrong())
    }

    /// Changes the records: all of them, or none.
    fn change(&self, change: impl FnOnce(&mut Records)) -> Result<(), TrustError> {
        let write = |records: &Records| -> io::Result<()> {
            let new = self.data.join(format!("{RECORDS}.new"));
            let _ = std::fs::remove_file(&new);
            let mut file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(&new)?;
            file.write_all(serde_json::to_string_pretty(records)?.as_bytes())?;
            file.sync_all()?;
            std::fs::rename(new, self.path())
        };
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&self.data);
        made.map_err(self.wrong())?;
        let _lock = self.lock().map_err(self.wrong())?;
        let mut records = self.read()?;
        change(&mut records);
        write(&records).map_err(self.wrong())
    }

    /// Two processes that change the records at once do so one after the other.
    fn lock(&self) -> io::Result<FileLock> {
        for _ in 0..LOCK_ATTEMPTS {
            match FileLock::take(&self.data, "trust.lock") {
                Ok(lock) => return Ok(lock),
                Err(NotLocked::Held) => std::thread::sleep(LOCK_INTERVAL),
                Err(NotLocked::Failed(error)) => return Err(error),
            }
        }
        Err(io::Error::other("another process is changing them"))
    }
}

/// What trust in a repository is about.
pub(super) async fn subject_of(repository: &crate::gate::Repository) -> Result<TrustSubject, TrustError> {
    let top = repository.top().to_owned();
    let commit = repository.head().await?.commit;
    let (files, obstacle) = match repository.trusted_ids().await {
        Ok(files) => (files.into_iter().collect(), None),
        Err(error @ GitError::NotAFile { .. }) => (BTreeMap::new(), Some(error.to_string())),
        Err(error) => return Err(error.into()),
    };
    let text = repository.head_file(crate::gate::PROJECT_FILE, MAX_PROJECT_FILE_BYTES).await?;
    let project = text.map(|text| ProjectFile::parse(&text)).transpose();
    let project = project.map_err(|error| TrustError::ProjectFile { directory: top.clone(), error })?;
    Ok(TrustSubject { top, commit, files, project, obstacle })
}

/// Whether there is a record that the repository of a directory is trusted as it is now.
pub(super) async fn is_recorded(data: &Path, directory: &Path) -> bool {
    let (records, directory) = (TrustRecords::new(data), directory.to_owned());
    let state = on_a_clock_of_its_own(move || async move {
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
        let place = tempfile::tempdir().unwrap();
        let records = TrustRecords::new(place.path().join("data"));
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
        let place = tempfile::tempdir().unwrap();
        let records = TrustRecords::new(place.path());
        for broken in ["", "{", "1"] {
            std::fs::write(place.path().join(RECORDS), broken).unwrap();
            assert!(records.state(&subject(&[])).is_err(), "{broken}");
            assert!(records.trust(&subject(&[])).is_err(), "what is there is not written over");
        }
        std::fs::remove_file(place.path().join(RECORDS)).unwrap();
        std::os::unix::fs::symlink("/dev/null", place.path().join(RECORDS)).unwrap();
        assert!(records.state(&subject(&[])).is_err());
    }

    #[test]
    fn many_at_once_lose_nothing() {
        let place = tempfile::tempdir().unwrap();
        let records = TrustRecords::new(place.path());
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
