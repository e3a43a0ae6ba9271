//! The only writer: it persists commits in the order they arrive, and publishes each one once it is
//! durable.
//!
//! This orders updates: no event is published before an earlier one, or before it is persisted. A
//! commit waits for the disk, so it runs on a blocking thread. The thread runs until the queue is
//! empty and persists everything queued at once (a group commit), because one sync costs the same
//! for many commits as for one.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{broadcast, oneshot};
use tokio_util::sync::CancellationToken;

use super::event_stream::{EventStream, Update};
use super::publish::updates;
use crate::engine::crash;
use crate::store::{Commit, Committed, Store, StoreError};

#[derive(Clone)]
pub(in crate::engine) struct Committer {
    shared: Arc<Shared>,
}

struct Shared {
    store: Arc<dyn Store>,
    updates: broadcast::Sender<Update>,
    queue: Mutex<Queue>,
    /// The global sequence number of the last event that was published.
    global_seq: AtomicU64,
    /// Set when nothing more will be published.
    closed: CancellationToken,
}

/// Queued commits: at most one per session, plus commits that belong to no session.
#[derive(Default)]
struct Queue {
    queued: Vec<(Commit, Done)>,
    /// Whether a thread is writing.
    busy: bool,
}

/// Receives the result of a commit.
type Done = oneshot::Sender<Result<Committed, StoreError>>;

impl Committer {
    pub(in crate::engine) fn new(
        store: Arc<dyn Store>,
        backlog: usize,
    ) -> Result<Self, StoreError> {
        let (updates, _) = broadcast::channel(backlog.max(1));
        let global_seq = AtomicU64::new(store.last_global_seq()?);
        let (queue, closed) = (Mutex::default(), CancellationToken::new());
        Ok(Self { shared: Arc::new(Shared { store, updates, queue, global_seq, closed }) })
    }

    /// Persists a commit. When this returns, it is durable and published. Dropping the future does
    /// not cancel the commit.
    pub(in crate::engine) async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let (done, written) = oneshot::channel();
        let idle = {
            let mut queue = self.shared.queue();
            queue.queued.push((commit, done));
            !std::mem::replace(&mut queue.busy, true)
        };
        if idle {
            let shared = Arc::clone(&self.shared);
            tokio::task::spawn_blocking(move || shared.write_all());
        }
        let gone = |_| StoreError::Failed {
            why: "the thread that writes to the store is gone".to_owned(),
        };
        written.await.map_err(gone)?
    }

    /// Publishes something that is not persisted.
    pub(in crate::engine) fn publish(&self, update: Update) {
        self.shared.publish(update);
    }

    pub(in crate::engine) fn subscribe(&self) -> EventStream {
        // Subscribe first, then read the global sequence number: an event published in between has
        // a higher number, so the stream can tell that it is new.
        let receiver = self.shared.updates.subscribe();
        let store = Arc::clone(&self.shared.store);
        let global_seq = self.shared.global_seq.load(Ordering::SeqCst);
        let closed = self.shared.closed.clone();
        EventStream {
            receiver,
            store,
            global_seq,
            caught_up: VecDeque::new(),
            behind: false,
            closed,
        }
    }

    /// Ends all event streams once they have delivered their remaining updates.
    pub(in crate::engine) fn close(&self) {
        self.shared.closed.cancel();
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Persists until the queue is empty.
    fn write_all(&self) {
        let _busy = Busy(self);
        loop {
            let queued = {
                let mut queue = self.queue();
                // Set under the lock: once `busy` is false, the next commit starts a new thread.
                queue.busy = !queue.queued.is_empty();
                std::mem::take(&mut queue.queued)
            };
            if queued.is_empty() {
                return;
            }
            let (commits, done): (Vec<_>, Vec<_>) = queued.into_iter().unzip();
            for (result, done) in self.store.commit_all(&commits).into_iter().zip(done) {
                if let Ok(committed) = &result {
                    crash::point("after-commit");
                    self.publish_all(committed);
                }
                let _ = done.send(result);
            }
        }
    }

    fn publish_all(&self, committed: &Committed) {
        for update in updates(committed) {
            if let Update::Event(event) = &update {
                self.global_seq.fetch_max(event.global_seq, Ordering::SeqCst);
            }
            self.publish(update);
        }
    }

    fn publish(&self, update: Update) {
        // Sending fails only when there are no subscribers.
        let _ = self.updates.send(update);
    }
}

/// Marks the writer thread as running. If that thread panics, dropping this fails the queued
/// commits and lets the next commit start another thread.
struct Busy<'s>(&'s Shared);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut queue = self.0.queue();
            queue.busy = false;
            queue.queued.clear();
        }
    }
}
