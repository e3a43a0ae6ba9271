//! Recording the work tree of a run before and after each turn.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::inspect::{self, for_gate, seen, windows};
use crate::Violation;
use crate::engine::shared::Shared;
use crate::run::{Changes, TreeState};
use crate::session::{AgentTurn, CheckRequest};

/// The work tree right before a turn of a run: a full snapshot before the first turn, HEAD alone
/// before the others.
///
/// `None` outside a run, outside git, and if the inspection fails; evidence that needs the state is
/// then not found.
pub(super) async fn before(shared: &Arc<Shared>, turn: &AgentTurn) -> Option<TreeState> {
    let (run, baseline) = (turn.run?, turn.baseline.as_ref()?);
    let is_first = baseline.tree.is_none();
    let inspected =
        inspect::repository(shared, &turn.directory, run, move |repository| async move {
            if is_first {
                repository.baseline().await.map(seen)
            } else {
                let head = repository.head().await?;
                Ok(TreeState { head: head.commit, branch: head.branch, tree: None })
            }
        });
    inspected.await.unwrap_or_else(|error| {
        tracing::warn!(%run, %error, "failed to inspect the work tree before a turn");
        None
    })
}

/// How long a stop waits for the inspection of an unfinished turn. The agent keeps working
/// meanwhile.
const PARTIAL_TURN_TIMEOUT: Duration = Duration::from_secs(2);

/// The result of inspecting the work tree after a turn.
#[derive(Default)]
pub(in crate::engine) struct SeenAfter {
    /// The work tree and the run's changes so far; `None` if the inspection failed.
    pub(in crate::engine) tree: Option<Box<(TreeState, Changes)>>,
    /// The files that changed although the run may not change them.
    pub(in crate::engine) violations: Vec<Violation>,
}

/// The same as [`after`], for a turn that is about to be interrupted; empty if that takes too long.
pub(in crate::engine) async fn so_far(shared: &Arc<Shared>, turn: &AgentTurn) -> SeenAfter {
    inspect_after(shared, turn, Vec::new(), PARTIAL_TURN_TIMEOUT).await
}

/// The work tree after a turn of a run. `written` are the files that the agent's own tools wrote.
pub(super) async fn after(
    shared: &Arc<Shared>,
    turn: &AgentTurn,
    written: Vec<PathBuf>,
) -> SeenAfter {
    inspect_after(shared, turn, written, Duration::MAX).await
}

async fn inspect_after(
    shared: &Arc<Shared>,
    turn: &AgentTurn,
    written: Vec<PathBuf>,
    timeout: Duration,
) -> SeenAfter {
    let Some((run, baseline)) = turn.run.zip(turn.baseline.clone()) else {
        return SeenAfter::default();
    };
    let Some(base) = baseline.tree.as_ref().and_then(for_gate) else { return SeenAfter::default() };
    let rules = turn.rules.clone().unwrap_or_default();
    let inspected =
        inspect::repository(shared, &turn.directory, run, move |repository| async move {
            let inspecting = async move {
                let now = repository.snapshot().await?;
                let mut baseline = baseline;
                baseline.end_turn(now.head.commit.as_ref());
                let changes = repository.changes(&base.tree, &now.tree).await?;
                let (from, to) = (base.head.commit.as_deref(), now.head.commit.as_deref());
                let commits = repository.commits(from, to, &windows(&baseline.windows)).await?;
                let violations =
                    repository.violations(&base.tree, &now.tree, &rules, &written).await?;
                let tree = Some(Box::new((seen(now), inspect::changes(changes, commits))));
                Ok(SeenAfter { tree, violations })
            };
            // This runs on the inspection's own runtime, whose clock tests never pause.
            tokio::time::timeout(timeout, inspecting).await.ok().transpose()
        });
    match inspected.await {
        Ok(seen) => seen.flatten().unwrap_or_default(),
        Err(error) => {
            tracing::warn!(%run, %error, "failed to inspect the work tree after a turn");
            SeenAfter::default()
        }
    }
}

/// The files that commands of a check changed although the run may not change them.
pub(super) async fn violations(shared: &Arc<Shared>, request: &CheckRequest) -> Vec<Violation> {
    let (check, run) = (&request.check, request.run);
    let Some(base) = check.baseline.tree.as_ref().and_then(for_gate) else { return Vec::new() };
    let rules = check.rules.clone();
    let inspected =
        inspect::repository(shared, &request.directory, run, move |repository| async move {
            let now = repository.snapshot().await?;
            repository.violations(&base.tree, &now.tree, &rules, &[]).await
        });
    match inspected.await {
        Ok(violations) => violations.unwrap_or_default(),
        Err(error) => {
            tracing::warn!(%run, %error, "failed to inspect the work tree after a command");
            Vec::new()
        }
    }
}
