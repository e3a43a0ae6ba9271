//! The one writer: commits are written down one after the other, and each is told of once it is safe.
//!
//! That gives notices their order: nobody is told of an event before an earlier one, and nobody is told of what is not
//! written down.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::{Mutex, broadcast};

use super::crash;
use super::feed::{Feed, Notice};
use crate::store::{Commit, Committed, Store, StoreError};

pub(super) struct Keeper {
    store: Arc<dyn Store>,
    notices: broadcast::Sender<Notice>,
    /// Held while a commit is written and told. Whoever waits for it is served in order.
    turn: Arc<Mutex<()>>,
}

impl Keeper {
    pub(super) fn new(store: Arc<dyn Store>, backlog: usize) -> Self {
        let (notices, _) = broadcast::channel(backlog.max(1));
        Self { store, notices, turn: Arc::default() }
    }

    /// Writes it down. When this returns, it is on the disk and has been told.
    pub(super) async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let turn = Arc::clone(&self.turn).lock_owned().await;
        let (store, notices) = (Arc::clone(&self.store), self.notices.clone());
        // A commit waits for the disk. What is begun here is done and told even if nobody waits for it any more.
        let writing = tokio::task::spawn_blocking(move || {
            let committed = store.commit(&commit)?;
            crash::point("after-commit");
            tell(&notices, &committed);
            drop(turn);
            Ok(committed)
        });
        writing.await.map_err(|error| StoreError::Failed { why: error.to_string() })?
    }

    /// Tells something that is not written down.
    pub(super) fn tell(&self, notice: Notice) {
        // Nobody listening is fine.
        let _ = self.notices.send(notice);
    }

    pub(super) fn listen(&self) -> Feed {
        // First listen, then ask for the place: what is told in between is known to be old by its place.
        let receiver = self.notices.subscribe();
        let place = self.store.last_place().unwrap_or(0);
        let store = Arc::clone(&self.store);
        Feed { receiver, store, place, caught_up: VecDeque::new(), behind: false }
    }
}

fn tell(notices: &broadcast::Sender<Notice>, committed: &Committed) {
    for message in &committed.messages {
        let _ = notices.send(Notice::Said(Arc::new(message.clone())));
    }
    for event in &committed.events {
        let _ = notices.send(Notice::Happened(Arc::new(event.clone())));
    }
}
