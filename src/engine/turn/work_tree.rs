//! What the engine sees in the work tree of a run before and after each turn.

use std::sync::Arc;
use std::time::Duration;

use super::looking::{self, for_gate, seen, windows};
use crate::engine::shared::Shared;
use crate::run::{Changes, TreeState};
use crate::session::TurnRequest;

/// The work tree right before a turn of a run: all of it before its first one, and where HEAD is before every other.
///
/// `None` outside of a run and of git, and where the engine cannot look; evidence that needs it is then not found.
pub(super) async fn before(shared: &Arc<Shared>, turn: &TurnRequest) -> Option<TreeState> {
    let (run, baseline) = (turn.run?, turn.baseline.as_ref()?);
    let is_first = baseline.tree.is_none();
    let looked = looking::look(shared, &turn.directory, run, move |repository| async move {
        if is_first {
            repository.baseline().await.map(seen)
        } else {
            let head = repository.head().await?;
            Ok(TreeState { head: head.commit, branch: head.branch, tree: None })
        }
    });
    looked.await.unwrap_or_else(|error| {
        tracing::warn!(%run, %error, "failed to look at the work tree before a turn");
        None
    })
}

/// How long a stop waits for what the turn has changed. The agent works on meanwhile.
const LAST_LOOK_TIMEOUT: Duration = Duration::from_secs(2);

/// The same as [`after`], of a turn that is about to be cut short; `None` where that takes too long.
pub(in crate::engine) async fn so_far(
    shared: &Arc<Shared>,
    turn: &TurnRequest,
) -> Option<Box<(TreeState, Changes)>> {
    look_after(shared, turn, LAST_LOOK_TIMEOUT).await
}

/// The work tree after a turn of a run, and what the run has changed so far.
pub(super) async fn after(shared: &Arc<Shared>, turn: &TurnRequest) -> Option<Box<(TreeState, Changes)>> {
    look_after(shared, turn, Duration::MAX).await
}

async fn look_after(
    shared: &Arc<Shared>,
    turn: &TurnRequest,
    patience: Duration,
) -> Option<Box<(TreeState, Changes)>> {
    let (run, baseline) = (turn.run?, turn.baseline.clone()?);
    let base = for_gate(baseline.tree.as_ref()?)?;
    let looked = looking::look(shared, &turn.directory, run, move |repository| async move {
        let looking = async move {
            let now = repository.snapshot().await?;
            let mut baseline = baseline;
            baseline.end_turn(now.head.commit.as_ref());
            let changes = repository.changes(&base.tree, &now.tree).await?;
            let (from, to) = (base.head.commit.as_deref(), now.head.commit.as_deref());
            let commits = repository.commits(from, to, &windows(&baseline.windows)).await?;
            Ok(Box::new((seen(now), looking::changes(changes, commits))))
        };
        // On a thread of its own, whose clock is the machine's.
        tokio::time::timeout(patience, looking).await.ok().transpose()
    });
    match looked.await {
        Ok(seen) => seen.flatten(),
        Err(error) => {
            tracing::warn!(%run, %error, "failed to look at the work tree after a turn");
            None
        }
    }
}
