//! Opening a data directory: locked, undamaged, and migrated to the current schema.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::checkpoint::Checkpointer;
use super::damage::{self, QuarantinedStore};
use super::database::{DATABASE, connect};
use super::failure::Failure;
use super::files::{self, NotOpened};
use super::lock::Lock;
use super::migrate::{self, MIGRATIONS};
use super::readable::Skipped;
use super::{Sqlite, prune, quarantine, write};
use crate::store::StoreError;

/// How many pages the log may have before it is checkpointed. A checkpoint costs more than a
/// commit; at four times SQLite's default it is rare, and the log stays below 20 MB.
const CHECKPOINT_PAGES: i64 = 4000;

/// A log that one large commit made longer is truncated to this size at the next commit.
const MAX_LOG_BYTES: i64 = CHECKPOINT_PAGES * 4096;

/// More than there are distinct statements, so that each is compiled once.
const MAX_CACHED_STATEMENTS: usize = 64;

/// The options for opening a store.
///
/// ```
/// # fn main() -> Result<(), surefire::store::StoreError> {
/// use std::time::Duration;
/// use surefire::store::SqliteOptions;
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let data_dir = folder.path();
/// let options = SqliteOptions::default().max_size(2 << 30).busy_timeout(Duration::from_secs(1));
/// let opened = options.open(data_dir)?;
/// assert!(opened.quarantined.is_none(), "nothing was damaged");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct SqliteOptions {
    max_size: Option<u64>,
    busy_timeout: Duration,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self { max_size: None, busy_timeout: Duration::from_secs(5) }
    }
}

impl SqliteOptions {
    /// Limits the database to about this many bytes; commits that do not fit fail with
    /// [`StoreError::Full`]. A larger database stays, but does not grow.
    pub const fn max_size(self, bytes: u64) -> Self {
        Self { max_size: Some(bytes), ..self }
    }

    /// How long to wait for another program that has the database locked. The default is 5 seconds.
    pub const fn busy_timeout(self, timeout: Duration) -> Self {
        Self { busy_timeout: timeout, ..self }
    }

    /// Opens the store in this data directory, which is created if necessary.
    ///
    /// # Errors
    /// The directory cannot be used or another server uses it, the database is locked, a newer
    /// version's or another program's, or the storage failed. Nothing was changed. A damaged
    /// database is not an error: it is moved out of the way, and a new one is created.
    pub fn open(&self, data_dir: &Path) -> Result<Opened, StoreError> {
        Ok(self.try_open(data_dir)?)
    }

    fn try_open(&self, data_dir: &Path) -> Result<Opened, Failure> {
        make_directory(data_dir)?;
        let lock = Lock::take(data_dir)?;
        let path = data_dir.join(DATABASE);
        let known = migrate::version(MIGRATIONS);
        let (mut writer, mut quarantined) = (self.connect(&path)?, None);
        if let Some(why) = damage::examine(&writer, &path, known)? {
            drop(writer);
            quarantined = Some(damage::quarantine(&path, why)?);
            writer = self.connect(&path)?;
        }
        self.configure(&writer)?;
        migrate::migrate(&mut writer, MIGRATIONS)?;
        let epoch = write::raise_epoch(&mut writer)?;
        quarantine::quarantine_unreadable(&mut writer)?;
        let reader = connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        reader.busy_timeout(self.busy_timeout)?;
        keep_statements(&reader)?;
        let (writer, reader) = (Arc::new(Mutex::new(writer)), Mutex::new(reader));
        let log = damage::beside(&path, "-wal");
        let checkpointer = Checkpointer::start(Arc::clone(&writer), log, self.busy_timeout);
        let checkpointer = checkpointer.map_err(|error| StoreError::Failed {
            why: format!("a thread could not be started: {error}"),
        })?;
        let skipped = Skipped::default();
        let store = Sqlite { path, epoch, skipped, checkpointer, reader, writer, lock };
        Ok(Opened { store, quarantined })
    }

    /// Opens the file, which only its owner can read. SQLite gives its companion files the same
    /// mode.
    fn connect(&self, path: &Path) -> Result<Connection, Failure> {
        // Closed again before SQLite opens it: closing it later would release SQLite's locks.
        drop(files::open_own(path).map_err(|error| match error {
            NotOpened::Io(error) => StoreError::Failed {
                why: format!("`{}` cannot be opened: {error}", path.display()),
            },
            NotOpened::Refused(refused) => refused,
        })?);
        files::check_companions(path)?;
        let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.busy_timeout(self.busy_timeout)?;
        Ok(connection)
    }

    /// Configures an intact database.
    fn configure(&self, writer: &Connection) -> Result<(), Failure> {
        let pages: i64 = writer.pragma_query_value(None, "page_count", |row| row.get(0))?;
        if pages == 0 {
            // Takes effect only on an empty database; others get it when they are vacuumed.
            writer.pragma_update(None, "auto_vacuum", prune::INCREMENTAL)?;
        }
        let mode: String =
            writer.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))?;
        if mode != "wal" {
            let why =
                format!("the file system does not allow a write-ahead log (journal mode `{mode}`)");
            return Err(StoreError::Failed { why }.into());
        }
        // In WAL mode, FULL is what syncs every commit.
        writer.pragma_update(None, "synchronous", "full")?;
        writer.pragma_update(None, "foreign_keys", true)?;
        writer.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
        writer.pragma_update_and_check(None, "journal_size_limit", MAX_LOG_BYTES, |_| Ok(()))?;
        if let Some(bytes) = self.max_size {
            let page: i64 = writer.pragma_query_value(None, "page_size", |row| row.get(0))?;
            let pages = i64::try_from(bytes).unwrap_or(i64::MAX) / page.max(1);
            writer.pragma_update_and_check(None, "max_page_count", pages.max(1), |_| Ok(()))?;
        }
        keep_statements(writer)
    }
}

impl Sqlite {
    /// Opens the store in this data directory, as [`SqliteOptions::open`] does.
    ///
    /// # Errors
    /// The same.
    pub fn open(data_dir: &Path) -> Result<Opened, StoreError> {
        SqliteOptions::default().open(data_dir)
    }
}

/// Caches statements, so that each is compiled once. Without a stable query plan, SQLite recompiles
/// a join for every value.
fn keep_statements(connection: &Connection) -> Result<(), Failure> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(MAX_CACHED_STATEMENTS);
    Ok(())
}

/// An opened store.
#[derive(Debug)]
#[non_exhaustive]
pub struct Opened {
    /// The store.
    pub store: Sqlite,
    /// The damaged database that was moved out of the way, if any. Report this prominently.
    pub quarantined: Option<QuarantinedStore>,
}

/// Creates the data directory, accessible to its owner alone from the start.
fn make_directory(path: &Path) -> Result<(), StoreError> {
    let unusable = |why: String| StoreError::Directory { path: PathBuf::from(path), why };
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(unusable("it is a file".to_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
            made.map_err(|error| unusable(error.to_string()))
        }
        Err(error) => Err(unusable(error.to_string())),
    }
}
