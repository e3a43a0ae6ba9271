//! Keeping the write-ahead log short: it is checkpointed and truncated when the store is idle, and
//! when it closes.
//!
//! SQLite checkpoints the log by itself once it has enough pages, but never shrinks the file.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::Connection;

use super::hold::hold;

/// How long the store has to be idle before the log is truncated.
const IDLE_TIME: Duration = Duration::from_secs(1);

/// A shorter log is not truncated: the next burst needs the space anyway.
const MIN_LOG_BYTES: u64 = 1 << 20;

/// How long closing waits for another program that is reading the database.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(200);

/// A thread that truncates the log. It sleeps until something is written.
#[derive(Debug)]
pub(super) struct Checkpointer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    /// Set by each commit. While the thread is awake, that is all a commit has to do.
    written: AtomicBool,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Whether the thread is waiting for an idle moment.
    awake: bool,
    stopped: bool,
}

impl Checkpointer {
    /// Starts the thread for the database of this connection, with this log file.
    pub(super) fn start(
        writer: Arc<Mutex<Connection>>,
        log: PathBuf,
        busy_timeout: Duration,
    ) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let threads_copy = Arc::clone(&shared);
        let run = move || {
            while threads_copy.wait_until_idle() {
                if std::fs::metadata(&log).is_ok_and(|log| log.len() >= MIN_LOG_BYTES) {
                    let writer = hold(&writer);
                    // Commits wait meanwhile, so do not wait for a reader that blocks this: there
                    // will be another idle moment.
                    truncate(&writer, Duration::ZERO);
                    let _ = writer.busy_timeout(busy_timeout);
                }
            }
        };
        let thread =
            std::thread::Builder::new().name("surefire-checkpoint".to_owned()).spawn(run)?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Records that something was written.
    pub(super) fn wrote(&self) {
        if !self.shared.written.swap(true, Ordering::SeqCst) {
            let mut state = hold(&self.shared.state);
            if !state.awake {
                state.awake = true;
                self.shared.changed.notify_one();
            }
        }
    }

    /// Ends the thread, and waits until it has released the connection.
    pub(super) fn stop(&mut self) {
        hold(&self.shared.state).stopped = true;
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            // Closing the store truncates the log in any case.
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// Waits until something was written and then nothing for a while. `false` when the store
    /// closes.
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
            // Regardless of how much is written, the thread wakes once per interval.
            let waited = self.changed.wait_timeout_while(state, IDLE_TIME, |state| !state.stopped);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            if !state.stopped && !self.written.load(Ordering::SeqCst) {
                state.awake = false;
                return true;
            }
        }
    }
}

/// Checkpoints the log before the database is closed.
pub(super) fn close(writer: &Connection) {
    truncate(writer, CLOSE_TIMEOUT);
}

/// Checkpoints and truncates the log. A program that reads an older state prevents that.
fn truncate(writer: &Connection, busy_timeout: Duration) {
    let done = writer.busy_timeout(busy_timeout).and_then(|()| {
        writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0))
    });
    match done {
        Ok(false) => {}
        Ok(true) => {
            tracing::debug!("kept the write-ahead log: another program is reading the store");
        }
        Err(error) => tracing::warn!(%error, "failed to checkpoint the write-ahead log"),
    }
}
