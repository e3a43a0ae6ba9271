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

use super::crash;
use super::feed::{Feed, Notice};
use super::publish::notices;
use crate::store::{Commit, Committed, Store, StoreError};

#[derive(Clone)]
pub(super) struct Committer {
    shared: Arc<Shared>,
}

struct Shared {
    store: Arc<dyn Store>,
    notices: broadcast::Sender<Notice>,
    queue: Mutex<Queue>,
    /// The place of the last event that was told.
    place: AtomicU64,
    /// Set when nothing more will be told.
    closed: CancellationToken,
}

/// What waits to be written. It is as long as there are runs and clients that wait for it, and no longer.
#[derive(Default)]
struct Queue {
    waiting: Vec<(Commit, Done)>,
    /// Whether a thread is writing.
    busy: bool,
}

/// Where to say what became of a commit.
type Done = oneshot::Sender<Result<Committed, StoreError>>;

impl Committer {
    pub(super) fn new(store: Arc<dyn Store>, backlog: usize) -> Result<Self, StoreError> {
        let (notices, _) = broadcast::channel(backlog.max(1));
        let place = AtomicU64::new(store.last_place()?);
        let (queue, closed) = (Mutex::default(), CancellationToken::new());
        Ok(Self { shared: Arc::new(Shared { store, notices, queue, place, closed }) })
    }

    /// Writes it down. When this returns, it is on the disk and has been told; it will be even if nobody waits for it.
    pub(super) async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
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
    pub(super) fn publish(&self, notice: Notice) {
        self.shared.publish(notice);
    }

    pub(super) fn listen(&self) -> Feed {
        // First listen, then look at the place: what is told in between is known to be old by its place.
        let receiver = self.shared.notices.subscribe();
        let store = Arc::clone(&self.shared.store);
        let place = self.shared.place.load(Ordering::SeqCst);
        let closed = self.shared.closed.clone();
        Feed { receiver, store, place, caught_up: VecDeque::new(), behind: false, closed }
    }

    /// Ends all feeds, once they have told what there is.
    pub(super) fn close(&self) {
        self.shared.closed.cancel();
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes until nothing waits any more.
    fn write_all(&self) {
        let _busy = Busy(self);
        loop {
            let waiting = {
                let mut queue = self.queue();
                // In the same moment in which nothing waits, somebody else may begin to write.
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
        // Nobody listening is fine.
        let _ = self.notices.send(notice);
    }
}

/// Somebody writes. If they panic, those who wait are told so, and the next one who has something writes again.
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
