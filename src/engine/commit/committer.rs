//! The one writer: commits are persisted in the order they come in, and each is published once it is safe.
//!
//! That gives notices their order: no event is published before an earlier one, and nothing is that is not persisted. A
//! commit waits for the disk, so it happens on a thread for such work; that thread stays as long as there is more to
//! persist, and takes everything that is queued along (a group commit): the disk's sync takes as long for many as for one.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{broadcast, oneshot};
use tokio_util::sync::CancellationToken;

use super::feed::{Feed, Notice};
use super::publish::notices;
use crate::engine::crash;
use crate::store::{Commit, Committed, Store, StoreError};

#[derive(Clone)]
pub(in crate::engine) struct Committer {
    shared: Arc<Shared>,
}

struct Shared {
    store: Arc<dyn Store>,
    notices: broadcast::Sender<Notice>,
    queue: Mutex<Queue>,
    /// The place of the last event that was published.
    place: AtomicU64,
    /// Set when nothing more will be published.
    closed: CancellationToken,
}

/// Commits that are queued: at most one for each session, and what clients ask for beside sessions.
#[derive(Default)]
struct Queue {
    waiting: Vec<(Commit, Done)>,
    /// Whether a thread is writing.
    busy: bool,
}

/// Where to say what became of a commit.
type Done = oneshot::Sender<Result<Committed, StoreError>>;

impl Committer {
    pub(in crate::engine) fn new(store: Arc<dyn Store>, backlog: usize) -> Result<Self, StoreError> {
        let (notices, _) = broadcast::channel(backlog.max(1));
        let place = AtomicU64::new(store.last_place()?);
        let (queue, closed) = (Mutex::default(), CancellationToken::new());
        Ok(Self { shared: Arc::new(Shared { store, notices, queue, place, closed }) })
    }

    /// Persists a commit. When this returns, it is on the disk and published; it will be even if the caller goes away.
    pub(in crate::engine) async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let (done, written) = oneshot::channel();
        let idle = {
            let mut queue = self.shared.queue();
            queue.waiting.push((commit, done));
            !std::mem::replace(&mut queue.busy, true)
        };
        if idle {
            let shared = Arc::clone(&self.shared);
            tokio::task::spawn_blocking(move || shared.write_all());
        }
        let gone = |_| StoreError::Failed { why: "the thread that writes to the store is gone".to_owned() };
        written.await.map_err(gone)?
    }

    /// Publishes something that is not persisted.
    pub(in crate::engine) fn publish(&self, notice: Notice) {
        self.shared.publish(notice);
    }

    pub(in crate::engine) fn listen(&self) -> Feed {
        // Subscribe first, then look at the place: an event that is published in between is recognized by its place.
        let receiver = self.shared.notices.subscribe();
        let store = Arc::clone(&self.shared.store);
        let place = self.shared.place.load(Ordering::SeqCst);
        let closed = self.shared.closed.clone();
        Feed { receiver, store, place, caught_up: VecDeque::new(), behind: false, closed }
    }

    /// Ends all feeds, once they have delivered what there is.
    pub(in crate::engine) fn close(&self) {
        self.shared.closed.cancel();
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Persists until nothing is queued any more.
    fn write_all(&self) {
        let _busy = Busy(self);
        loop {
            let waiting = {
                let mut queue = self.queue();
                // Decided under the lock: from then on the next commit starts a thread of its own.
                queue.busy = !queue.waiting.is_empty();
                std::mem::take(&mut queue.waiting)
            };
            if waiting.is_empty() {
                return;
            }
            let (commits, done): (Vec<_>, Vec<_>) = waiting.into_iter().unzip();
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
        for notice in notices(committed) {
            if let Notice::Happened(event) = &notice {
                self.place.fetch_max(event.place, Ordering::SeqCst);
            }
            self.publish(notice);
        }
    }

    fn publish(&self, notice: Notice) {
        // Without subscribers it goes nowhere, which is fine.
        let _ = self.notices.send(notice);
    }
}

/// A thread persists. If it panics, queued commits fail, and the next commit starts another thread.
struct Busy<'s>(&'s Shared);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut queue = self.0.queue();
            queue.busy = false;
            queue.waiting.clear();
        }
    }
}
