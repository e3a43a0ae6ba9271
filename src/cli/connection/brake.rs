//! What ends a run whatever those who watch it are doing: a terminal that takes nothing may hold them up.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::ExitReason;
use crate::engine::{Backend, EngineError, Shutdown};
use crate::run::SessionId;
use crate::store::{RunFilter, Store, StoreError};

/// Ends the run of a session in an engine of our own.
#[derive(Clone)]
pub(in crate::cli) struct Brake {
    engine: Arc<dyn Backend>,
    session: SessionId,
}

impl Brake {
    pub(in crate::cli) fn new(engine: Arc<dyn Backend>, session: SessionId) -> Self {
        Self { engine, session }
    }

    /// Has the run end. That waits for the disk, so nobody waits for it here; `heeded` is set once it is written down.
    pub(in crate::cli) fn pull(&self, heeded: CancellationToken) {
        let brake = self.clone();
        tokio::spawn(async move {
            match brake.stop().await {
                Ok(()) => heeded.cancel(),
                Err(error) => tracing::error!(%error, "the run could not be stopped"),
            }
        });
    }

    /// Ends the run, or the one that continues it in another session, wherever the chain has got to.
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

    /// Waits until the agent of a run that was ended is gone. Those of other runs are left to themselves.
    pub(in crate::cli) async fn let_go(self) {
        self.engine.shut_down(Shutdown::LeaveAgents).await;
    }
}

/// The session in which the last run of this one is continued.
fn next_in_chain(store: &dyn Store, session: SessionId) -> Result<Option<SessionId>, StoreError> {
    let last = RunFilter { session: Some(session), limit: Some(1), ..RunFilter::default() };
    let ending = store.runs(&last)?.into_iter().next().and_then(|run| run.ending);
    match ending.and_then(|ending| ending.continued_by) {
        Some(next) => Ok(store.run(next)?.map(|run| run.session)),
        None => Ok(None),
    }
}
