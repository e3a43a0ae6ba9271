//! What the engine sees in the work tree of a run before and after each turn.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::looking::{self, for_gate, seen, windows};
use crate::Violation;
use crate::engine::shared::Shared;
use crate::run::{Changes, TreeState};
use crate::session::{CheckRequest, TurnRequest};

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

/// What was seen in the work tree after a turn.
#[derive(Default)]
pub(in crate::engine) struct SeenAfter {
    /// The work tree, and what the run has changed so far; `None` where the engine could not look.
    pub(in crate::engine) tree: Option<Box<(TreeState, Changes)>>,
    /// The files that the run may not change and that are changed.
    pub(in crate::engine) violations: Vec<Violation>,
}

/// The same as [`after`], of a turn that is about to be cut short; nothing where that takes too long.
pub(in crate::engine) async fn so_far(shared: &Arc<Shared>, turn: &TurnRequest) -> SeenAfter {
    look_after(shared, turn, Vec::new(), LAST_LOOK_TIMEOUT).await
}

/// The work tree after a turn of a run, in which the agent's own tools wrote these files.
pub(super) async fn after(shared: &Arc<Shared>, turn: &TurnRequest, written: Vec<PathBuf>) -> SeenAfter {
    look_after(shared, turn, written, Duration::MAX).await
}

async fn look_after(
    shared: &Arc<Shared>,
    turn: &TurnRequest,
    written: Vec<PathBuf>,
    patience: Duration,
) -> SeenAfter {
    let Some((run, baseline)) = turn.run.zip(turn.baseline.clone()) else { return SeenAfter::default() };
    let Some(base) = baseline.tree.as_ref().and_then(for_gate) else { return SeenAfter::default() };
    let rules = turn.rules.clone().unwrap_or_default();
    let looked = looking::look(shared, &turn.directory, run, move |repository| async move {
        let looking = async move {
            let now = repository.snapshot().await?;
            let mut baseline = baseline;
            baseline.end_turn(now.head.commit.as_ref());
            let changes = repository.changes(&base.tree, &now.tree).await?;
            let (from, to) = (base.head.commit.as_deref(), now.head.commit.as_deref());
            let commits = repository.commits(from, to, &windows(&baseline.windows)).await?;
            let violations = repository.violations(&base.tree, &now.tree, &rules, &written).await?;
            let tree = Some(Box::new((seen(now), looking::changes(changes, commits))));
            Ok(SeenAfter { tree, violations })
        };
        // On a thread of its own, whose clock is the machine's.
        tokio::time::timeout(patience, looking).await.ok().transpose()
    });
    match looked.await {
        Ok(seen) => seen.flatten().unwrap_or_default(),
        Err(error) => {
            tracing::warn!(%run, %error, "failed to look at the work tree after a turn");
            SeenAfter::default()
        }
    }
}

/// The files that commands of a check changed although the run may not change them.
pub(super) async fn violations(shared: &Arc<Shared>, request: &CheckRequest) -> Vec<Violation> {
    let (check, run) = (&request.check, request.run);
    let Some(base) = check.baseline.tree.as_ref().and_then(for_gate) else { return Vec::new() };
    let rules = check.rules.clone();
    let looked = looking::look(shared, &request.directory, run, move |repository| async move {
        let now = repository.snapshot().await?;
        repository.violations(&base.tree, &now.tree, &rules, &[]).await
    });
    match looked.await {
        Ok(violations) => violations.unwrap_or_default(),
        Err(error) => {
            tracing::warn!(%run, %error, "failed to look at the work tree after a command");
            Vec::new()
        }
    }
}
