//! What all sessions of one engine share.

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
use crate::store::{Store, StoreError};

/// How long shutting down may take; agents are given less when it has to be quick.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);

/// How many diffs are made at the same time. Large ones keep a disk and a processor busy, which the agents need too.
const MAX_PARALLEL_DIFFS: usize = 2;

pub(super) struct Shared {
    pub(super) options: Options,
    pub(super) store: Arc<dyn Store>,
    /// How the engine looks at work trees, and runs commands in them.
    pub(super) git: Git,
    pub(super) commands: Commands,
    pub(super) committer: Committer,
    pub(super) sessions: Registry,
    /// The work trees that runs hold.
    pub(super) trees: TreeLocks,
    /// What is under way for runs that have ended.
    pub(super) handoffs: Handoffs,
    /// One permit for each agent that may work.
    permits: Arc<Semaphore>,
    /// One permit for each diff that may be made.
    pub(super) diffs: Arc<Semaphore>,
    pub(super) tasks: TaskTracker,
    /// Set when nothing new begins any more.
    pub(super) closing: CancellationToken,
    /// Set when every agent is to stop.
    pub(super) stop: CancellationToken,
    /// Set beside it: there is little time.
    pub(super) hurry: CancellationToken,
    /// Set when every agent is left to itself.
    pub(super) leave: CancellationToken,
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
            stop: CancellationToken::new(),
            hurry: CancellationToken::new(),
            leave: CancellationToken::new(),
        }))
    }

    /// The time of day, in milliseconds since 1970.
    pub(super) fn now(&self) -> u64 {
        self.options.clock.now()
    }

    pub(super) fn agent(&self, name: Option<&str>) -> Result<Arc<dyn Agent>, UnknownProvider> {
        provider::find(&self.options.agents, name)
    }

    /// Reads from the store without holding up the runtime.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        blocking(&self.store, read).await
    }

    /// Waits until one more agent may work. `None` where the engine shuts down first.
    pub(super) async fn permit(&self) -> Option<OwnedSemaphorePermit> {
        tokio::select! {
            biased;
            () = self.closing.cancelled() => None,
            permit = Arc::clone(&self.permits).acquire_owned() => permit.ok(),
        }
    }

    /// A permit for an agent that is at work already: it is counted if there is room, but not waited for.
    pub(super) fn try_permit(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.permits).try_acquire_owned().ok()
    }

    pub(super) async fn shut_down(&self, how: Shutdown) {
        self.closing.cancel();
        self.hurry.cancel();
        match how {
            Shutdown::StopAgents => self.stop.cancel(),
            Shutdown::LeaveAgents => self.leave.cancel(),
        }
        self.tasks.close();
        if tokio::time::timeout(SHUTDOWN_TIMEOUT, self.tasks.wait()).await.is_err() {
            tracing::error!("not everything has ended in time; the next engine takes up what is left");
        }
        self.committer.close();
    }
}
