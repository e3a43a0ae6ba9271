//! The durable store: one SQLite database in a data directory that one server holds at a time.
//!
//! Read [`open`] for opening and damage, [`mod@write`] for writing a commit, and `migrations/` for
//! the tables.

mod checkpoint;
mod damage;
mod database;
mod failure;
mod files;
mod hold;
mod inspect;
mod lock;
mod migrate;
mod numbers;
mod open;
mod prune;
mod quarantine;
mod read;
mod readable;
mod rows;
mod save;
mod tables;
mod texts;
mod write;

pub use damage::QuarantinedStore;
pub use open::{Opened, SqliteOptions};

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use rusqlite::Connection;

use self::checkpoint::Checkpointer;
use self::database::DATABASE;
use self::hold::hold;
use self::lock::Lock;
use self::readable::Skipped;
use super::{
    Attempt, Commit, Committed, EventRecord, Holder, Message, Pruned, Quarantined,
    QueuedPromptRecord, RunFilter, RunRecord, SessionRecord, Store, StoreError,
};
use crate::run::{AttemptId, PromptId, RunId, SessionId};

/// A store in a SQLite database. It holds the data directory until it is dropped.
///
/// A commit is durable when [`Store::commit`] returns. Readers do not wait for writers.
///
/// ```
/// # fn main() -> Result<(), surefire::store::StoreError> {
/// use surefire::store::{Change, Commit, NewSession, SessionEvent, Sqlite, Store};
/// # let folder = tempfile::tempdir().unwrap();
/// # let data_dir = folder.path();
/// # let id = uuid::Uuid::from_u128(7).into();
///
/// let at = 1_750_000_000_000;
/// let session = NewSession {
///     id,
///     name: "Payments".into(),
///     directory: "/home/me/payments".into(),
///     agent: "claude".into(),
///     system_prompt: None,
///     at,
/// };
/// let store = Sqlite::open(data_dir)?.store;
/// store.commit(&Commit { changes: vec![Change::session(id, at, SessionEvent::Began(session))] })?;
/// drop(store);
///
/// let store = Sqlite::open(data_dir)?.store;
/// assert_eq!(store.session(id)?.unwrap().name, "Payments");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Sqlite {
    path: PathBuf,
    /// The fencing token: the store is ours until another process raises it.
    epoch: i64,
    skipped: Skipped,
    checkpointer: Checkpointer,
    reader: Mutex<Connection>,
    /// Closed after the reader: the last connection to close checkpoints the log, which a reader
    /// cannot do.
    writer: Arc<Mutex<Connection>>,
    /// The last field, so that it is held until the connections are closed.
    lock: Lock,
}

impl Sqlite {
    /// Whether there is a store in this data directory, held or not.
    #[must_use]
    pub fn is_in(data_dir: &Path) -> bool {
        // A link counts too, although it is refused later: the directory is not empty.
        data_dir.join(DATABASE).symlink_metadata().is_ok()
    }

    /// The quarantined runs in this data directory, and the rows that cannot be read. Nothing is
    /// changed, and a server may have it open. `None` if an earlier version wrote the store:
    /// opening it migrates it, and it can be inspected after that.
    ///
    /// # Errors
    /// The database is damaged, or cannot be opened.
    pub fn inspect(data_dir: &Path) -> Result<Option<Vec<Quarantined>>, StoreError> {
        Ok(inspect::inspect(data_dir)?)
    }

    /// The database's file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The current holder of this data directory. Nothing in it is changed or created.
    ///
    /// # Errors
    /// The lock file cannot be read.
    pub fn holder(data_dir: &Path) -> Result<Option<Holder>, StoreError> {
        lock::holder(data_dir)
    }

    /// Writes this server's address and key file into the lock file, for the next process that
    /// wants the data directory.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn announce(&self, address: &str, key_file: Option<&Path>) -> Result<(), StoreError> {
        self.lock.note(&Holder::this(Some(address), key_file)).map_err(|error| StoreError::Failed {
            why: format!("the lock file of `{}` cannot be written: {error}", self.path.display()),
        })
    }

    fn reader(&self) -> MutexGuard<'_, Connection> {
        hold(&self.reader)
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        self.checkpointer.stop();
        checkpoint::close(&hold(&self.writer));
    }
}

impl Store for Sqlite {
    fn commit(&self, commit: &Commit) -> Result<Committed, StoreError> {
        let committed = write::commit(&mut hold(&self.writer), self.epoch, commit);
        self.checkpointer.wrote();
        Ok(committed?)
    }

    fn commit_all(&self, commits: &[Commit]) -> Vec<Result<Committed, StoreError>> {
        let committed = write::commit_all(&mut hold(&self.writer), self.epoch, commits);
        self.checkpointer.wrote();
        committed
    }

    fn session(&self, id: SessionId) -> Result<Option<SessionRecord>, StoreError> {
        Ok(read::session(&self.reader(), id)?)
    }

    fn sessions(&self, limit: usize) -> Result<Vec<SessionRecord>, StoreError> {
        Ok(read::sessions(&self.reader(), &self.skipped, limit)?)
    }

    fn sessions_before(
        &self,
        before: &SessionRecord,
        limit: usize,
    ) -> Result<Vec<SessionRecord>, StoreError> {
        Ok(read::sessions_before(&self.reader(), &self.skipped, before, limit)?)
    }

    fn session_count(&self) -> Result<u64, StoreError> {
        Ok(read::session_count(&self.reader())?)
    }

    fn messages(
        &self,
        session: SessionId,
        from: u64,
        limit: usize,
    ) -> Result<Vec<Message>, StoreError> {
        Ok(read::messages(&self.reader(), &self.skipped, session, from, limit)?)
    }

    fn passages(
        &self,
        session: SessionId,
        attempt: AttemptId,
        from: u64,
        limit: usize,
    ) -> Result<Vec<Message>, StoreError> {
        Ok(read::passages(&self.reader(), &self.skipped, session, attempt, from, limit)?)
    }

    fn run(&self, id: RunId) -> Result<Option<RunRecord>, StoreError> {
        Ok(read::run(&self.reader(), id)?)
    }

    fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRecord>, StoreError> {
        Ok(read::runs(&self.reader(), &self.skipped, filter)?)
    }

    fn events(&self, run: RunId, after: u64, limit: usize) -> Result<Vec<EventRecord>, StoreError> {
        Ok(read::events(&self.reader(), run, after, limit)?)
    }

    fn events_of_all(&self, after: u64, limit: usize) -> Result<Vec<EventRecord>, StoreError> {
        Ok(read::events_of_all(&self.reader(), &self.skipped, after, limit)?)
    }

    fn last_global_seq(&self) -> Result<u64, StoreError> {
        Ok(read::last_global_seq(&self.reader())?)
    }

    fn attempt(&self, id: AttemptId) -> Result<Option<Attempt>, StoreError> {
        Ok(read::attempt(&self.reader(), id)?)
    }

    fn open_attempts(&self) -> Result<Vec<Attempt>, StoreError> {
        Ok(read::open_attempts(&self.reader(), &self.skipped)?)
    }

    fn queued_prompts(&self, session: SessionId) -> Result<Vec<QueuedPromptRecord>, StoreError> {
        Ok(read::queued_prompts(&self.reader(), &self.skipped, session)?)
    }

    fn sessions_with_queued_prompts(&self) -> Result<Vec<SessionId>, StoreError> {
        Ok(read::sessions_with_queued_prompts(&self.reader(), &self.skipped)?)
    }

    fn prompt(&self, id: PromptId) -> Result<Option<QueuedPromptRecord>, StoreError> {
        Ok(read::prompt(&self.reader(), id)?)
    }

    fn orchestration(&self, session: Option<SessionId>) -> Result<bool, StoreError> {
        Ok(read::orchestration(&self.reader(), session)?)
    }

    fn prune(&self, ended_before: u64) -> Result<u64, StoreError> {
        let pruned = write::prune(&mut hold(&self.writer), self.epoch, ended_before);
        self.checkpointer.wrote();
        Ok(pruned?)
    }

    fn prune_sessions(&self, changed_before: u64) -> Result<Pruned, StoreError> {
        let pruned = prune::sessions(&mut hold(&self.writer), self.epoch, changed_before);
        self.checkpointer.wrote();
        Ok(pruned?)
    }

    fn reclaim(&self) -> Result<u64, StoreError> {
        let reclaimed = prune::reclaim(&self.writer, self.epoch);
        self.checkpointer.wrote();
        Ok(reclaimed?)
    }

    fn quarantine(&self, run: RunId, why: &str) -> Result<(), StoreError> {
        Ok(quarantine::quarantine(&mut hold(&self.writer), self.epoch, run, why)?)
    }

    fn quarantined(&self) -> Result<Vec<Quarantined>, StoreError> {
        // On a connection of its own, because it may take a while and must not block other readers.
        Ok(inspect::list(&inspect::reader(&self.path)?)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_in_the_middle_of_a_transaction_leaves_the_store_usable() {
        let folder = tempfile::tempdir().unwrap();
        let store = Sqlite::open(folder.path()).unwrap().store;
        let joined = std::thread::scope(|scope| {
            let panics = || {
                let mut writer = hold(&store.writer);
                let transaction = writer.transaction().unwrap();
                transaction.execute("UPDATE store SET orchestration = 0", []).unwrap();
                let _reader = store.reader();
                panic!("on purpose");
            };
            scope.spawn(panics).join()
        });
        assert!(joined.is_err() && store.writer.is_poisoned() && store.reader.is_poisoned());
        assert_eq!(store.orchestration(None), Ok(true));
        store.commit(&Commit::default()).unwrap();
    }
}
