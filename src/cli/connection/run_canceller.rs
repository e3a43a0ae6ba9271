//! Ends a run independently of the task that follows it, which may be blocked by a terminal that
//! accepts no output.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::ExitReason;
use crate::engine::{Backend, EngineError, Shutdown};
use crate::run::SessionId;
use crate::store::{RunFilter, Store, StoreError};

/// Ends the run of a session in this process's engine.
#[derive(Clone)]
pub(in crate::cli) struct RunCanceller {
    engine: Arc<dyn Backend>,
    session: SessionId,
}

impl RunCanceller {
    pub(in crate::cli) fn new(engine: Arc<dyn Backend>, session: SessionId) -> Self {
        Self { engine, session }
    }

    /// Ends the run in the background, because persisting may take time. `accepted` is cancelled
    /// once the end is persisted.
    pub(in crate::cli) fn cancel(&self, accepted: CancellationToken) {
        let canceller = self.clone();
        tokio::spawn(async move {
            match canceller.stop().await {
                Ok(()) => accepted.cancel(),
                Err(error) => tracing::error!(%error, "failed to stop the run"),
            }
        });
    }

    /// Ends the run, or the run of the chain that is current now.
    async fn stop(self) -> Result<(), EngineError> {
        let Self { engine, mut session } = self;
        while engine.exit(session, ExitReason::UserStopped).await?.is_none() {
            match engine.read(move |store| next_in_chain(store, session)).await? {
                Some(next) => session = next,
                None => break,
            }
        }
        Ok(())
    }

    /// Waits until the agent of the ended run has exited. Agents of other runs keep running.
    pub(in crate::cli) async fn detach(self) {
        self.engine.shut_down(Shutdown::DetachAgents).await;
    }
}

/// The session that continues the last run of this session.
fn next_in_chain(store: &dyn Store, session: SessionId) -> Result<Option<SessionId>, StoreError> {
    let last = RunFilter { session: Some(session), limit: Some(1), ..RunFilter::default() };
    let ending = store.runs(&last)?.into_iter().next().and_then(|run| run.ending);
    match ending.and_then(|ending| ending.continued_by) {
        Some(next) => Ok(store.run(next)?.map(|run| run.session)),
        None => Ok(None),
    }
}
