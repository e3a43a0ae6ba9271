//! Keeping the write-ahead log short: it is merged into the database and cut off when nothing is written for a moment, and
//! when the store closes.
//!
//! SQLite merges the log by itself once it has enough pages, but leaves the file as long as it ever was.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::Connection;

use super::hold::hold;

/// How long nothing is written before the log is cut off.
const IDLE_TIME: Duration = Duration::from_secs(1);

/// A log below this many bytes stays: the next burst needs the room anyway.
const MIN_LOG_BYTES: u64 = 1 << 20;

/// How long closing waits for another program that reads the database.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(200);

/// A thread that cuts the log off. It sleeps until something is written.
#[derive(Debug)]
pub(super) struct Checkpointer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    /// Set by each commit, so that a commit costs no more than that while the thread is awake.
    written: AtomicBool,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Whether the thread waits for a moment without commits.
    awake: bool,
    stopped: bool,
}

impl Checkpointer {
    /// Starts the thread for a database that this connection writes, and this is the log of.
    pub(super) fn start(
        writer: Arc<Mutex<Connection>>,
        log: PathBuf,
        busy_timeout: Duration,
    ) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        let run = move || {
            while theirs.wait_until_idle() {
                if std::fs::metadata(&log).is_ok_and(|log| log.len() >= MIN_LOG_BYTES) {
                    let writer = hold(&writer);
                    // Commits wait meanwhile: a reader in the way is not waited for, there will be another idle moment.
                    truncate(&writer, Duration::ZERO);
                    let _ = writer.busy_timeout(busy_timeout);
                }
            }
        };
        let thread = std::thread::Builder::new().name("surefire-checkpoint".to_owned()).spawn(run)?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Something was written.
    pub(super) fn wrote(&self) {
        if !self.shared.written.swap(true, Ordering::SeqCst) {
            let mut state = hold(&self.shared.state);
            if !state.awake {
                state.awake = true;
                self.shared.changed.notify_one();
            }
        }
    }

    /// Ends the thread, and waits until it has let go of the connection.
    pub(super) fn stop(&mut self) {
        hold(&self.shared.state).stopped = true;
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            // What it did not do is done when the store closes.
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// Waits until something was written and then nothing for a while. `false` when the store closes.
    fn wait_until_idle(&self) -> bool {
        let mut state = hold(&self.state);
        loop {
            if state.stopped {
                return false;
            }
            if !state.awake {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            self.written.store(false, Ordering::SeqCst);
            // However much is written meanwhile, the thread wakes once in this time.
            let waited = self.changed.wait_timeout_while(state, IDLE_TIME, |state| !state.stopped);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            if !state.stopped && !self.written.load(Ordering::SeqCst) {
                state.awake = false;
                return true;
            }
        }
    }
}

/// Merges the log into the database before it is closed.
pub(super) fn close(writer: &Connection) {
    truncate(writer, CLOSE_TIMEOUT);
}

/// Merges the log into the database, and cuts it off. Another program that reads an older state prevents that.
fn truncate(writer: &Connection, busy_timeout: Duration) {
    let done = writer
        .busy_timeout(busy_timeout)
        .and_then(|()| writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0)));
    match done {
        Ok(false) => {}
        Ok(true) => tracing::debug!("the write-ahead log stays: another program reads the store"),
        Err(error) => tracing::warn!(%error, "could not merge the write-ahead log into the store"),
    }
}
