//! The state that all sessions of one engine share.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::blocking::blocking;
use super::commit::committer::Committer;
use super::handoff::Handoffs;
use super::options::{Options, Shutdown};
use super::provider;
use super::provider::UnknownProvider;
use super::session::registry::Registry;
use super::tree_lock::TreeLocks;
use crate::agent::Agent;
use crate::gate::{Commands, Environment, Git};
use crate::process::CancelToken;
use crate::store::{Store, StoreError};

/// How long shutting down may take. A fast stop gives agents less time.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);

/// How many diffs are computed at once. Large ones keep the disk and a CPU busy, which agents need
/// too.
const MAX_PARALLEL_DIFFS: usize = 2;

pub(super) struct Shared {
    pub(super) options: Options,
    pub(super) store: Arc<dyn Store>,
    /// How the engine inspects work trees, and runs commands in them.
    pub(super) git: Git,
    pub(super) commands: Commands,
    pub(super) committer: Committer,
    pub(super) sessions: Registry,
    /// The work trees that runs hold.
    pub(super) trees: TreeLocks,
    /// The handoffs in progress.
    pub(super) handoffs: Handoffs,
    /// One permit per agent that may work.
    permits: Arc<Semaphore>,
    /// One permit per diff.
    pub(super) diffs: Arc<Semaphore>,
    pub(super) tasks: TaskTracker,
    /// Cancelled when the engine shuts down: nothing new begins.
    pub(super) closing: CancellationToken,
    /// Cancelled to stop every agent.
    pub(super) stop: CancelToken,
    /// Cancelled together with `closing`: agents have little time to stop.
    pub(super) fast_stop: CancelToken,
    /// Cancelled to detach every agent.
    pub(super) detach: CancelToken,
}

impl Shared {
    pub(super) fn new(options: Options) -> Result<Arc<Self>, StoreError> {
        let store = Arc::clone(&options.store);
        let environment = Environment::inherited();
        Ok(Arc::new(Self {
            permits: Arc::new(Semaphore::new(options.parallel.max(1))),
            diffs: Arc::new(Semaphore::new(MAX_PARALLEL_DIFFS)),
            committer: Committer::new(Arc::clone(&store), options.backlog)?,
            store,
            git: Git::new(&environment),
            commands: Commands::new(&environment),
            options,
            sessions: Registry::default(),
            trees: TreeLocks::default(),
            handoffs: Handoffs::default(),
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
            stop: CancelToken::new(),
            fast_stop: CancelToken::new(),
            detach: CancelToken::new(),
        }))
    }

    /// The time of day, in milliseconds since 1970.
    pub(super) fn now(&self) -> u64 {
        self.options.clock.now()
    }

    pub(super) fn agent(&self, name: Option<&str>) -> Result<Arc<dyn Agent>, UnknownProvider> {
        provider::find(&self.options.agents, name)
    }

    /// Reads from the store without blocking the runtime.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        blocking(&self.store, read).await
    }

    /// Waits until one more agent may work. `None` if the engine shuts down first.
    pub(super) async fn permit(&self) -> Option<OwnedSemaphorePermit> {
        tokio::select! {
            biased;
            () = self.closing.cancelled() => None,
            permit = Arc::clone(&self.permits).acquire_owned() => permit.ok(),
        }
    }

    /// A permit for an agent that is already at work: counted if one is free, but not waited for.
    pub(super) fn try_permit(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.permits).try_acquire_owned().ok()
    }

    pub(super) async fn shut_down(&self, how: Shutdown) {
        self.closing.cancel();
        self.fast_stop.cancel();
        match how {
            Shutdown::StopAgents => self.stop.cancel(),
            Shutdown::DetachAgents => self.detach.cancel(),
        }
        self.tasks.close();
        if tokio::time::timeout(SHUTDOWN_TIMEOUT, self.tasks.wait()).await.is_err() {
            tracing::error!("shutdown timed out; the next engine recovers unfinished work");
        }
        self.committer.close();
    }
}
