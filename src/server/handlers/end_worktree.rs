//! `merge_run` and `discard_run`: a client decides what happens to a run's worktree.

use super::context::{RequestContext, code_of, error, failed, refusal};
use super::reply::Reply;
use crate::engine::{WorktreeChoice, WorktreeError};
use crate::run::RunId;
use crate::wire::{DiscardRun, ErrorCode, ErrorMessage, MergeRun, ServerMessage, WorktreeEnded};

/// How many files in conflict are named.
const MAX_CONFLICTS: usize = 100;

pub(super) async fn merge(context: &RequestContext<'_>, message: MergeRun) -> Reply {
    end(context, message.run_id, WorktreeChoice::Merge).await
}

pub(super) async fn discard(context: &RequestContext<'_>, message: DiscardRun) -> Reply {
    end(context, message.run_id, WorktreeChoice::Discard).await
}

async fn end(context: &RequestContext<'_>, run_id: RunId, choice: WorktreeChoice) -> Reply {
    let record = match context.shared.engine.read(move |store| store.run(run_id)).await {
        Ok(Some(record)) => record,
        Ok(None) => {
            return error(None, ErrorCode::RunNotFound, format!("Run not found: {run_id}")).into();
        }
        Err(error) => return failed(None, &error).into(),
    };
    match context.shared.engine.end_worktree(run_id, choice).await {
        Ok(end) => ServerMessage::WorktreeEnded(WorktreeEnded { run_id, end }).into(),
        Err(refused) => {
            let code = match &refused {
                WorktreeError::Cannot(_) | WorktreeError::Merge(_) | WorktreeError::Run(_) => {
                    ErrorCode::CannotEndWorktree
                }
                WorktreeError::Engine(failure) => code_of(failure),
            };
            let conflicts = refused.conflicts().iter().take(MAX_CONFLICTS);
            let conflicts = conflicts.map(|file| file.display().to_string()).collect();
            let error = refusal(Some(record.session), code, &refused);
            ServerMessage::Error(ErrorMessage { conflicts, ..error }).into()
        }
    }
}
