//! What ends a run whatever those who watch it are doing: a terminal that takes nothing may hold them up.

use tokio_util::sync::CancellationToken;

use crate::ExitReason;
use crate::engine::{Engine, Shutdown};
use crate::run::SessionId;

/// Ends the run of a session in an engine of our own.
#[derive(Clone)]
pub(super) struct Brake {
    engine: Engine,
    session: SessionId,
}

impl Brake {
    pub(super) fn new(engine: Engine, session: SessionId) -> Self {
        Self { engine, session }
    }

    /// Has the run end. That waits for the disk, so nobody waits for it here; `heeded` is set once it is written down.
    pub(super) fn pull(&self, heeded: CancellationToken) {
        let Self { engine, session } = self.clone();
        tokio::spawn(async move {
            // Where there was nothing to end, the run may go on in another session, and that one is still to end.
            if !matches!(engine.exit(session, ExitReason::UserStopped).await, Ok(None)) {
                heeded.cancel();
            }
        });
    }

    /// Waits until the agent of a run that was ended is gone. Those of other runs are left to themselves.
    pub(super) async fn let_go(self) {
        self.engine.shut_down(Shutdown::LeaveAgents).await;
    }
}
