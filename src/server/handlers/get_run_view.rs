//! `get_run_view`: a client asks for the view of a run.

use super::context::{RequestContext, error, failed};
use super::reply::Reply;
use crate::server::ledger;
use crate::wire::{ErrorCode, GetRunView, RunViewChanged, ServerMessage};

pub(super) async fn handle(context: &RequestContext<'_>, message: GetRunView) -> Reply {
    let GetRunView { run_id, since } = message;
    let catalog = context.shared.catalog;
    let read =
        context.shared.engine.read(move |store| ledger::details(store, catalog, run_id, since, 0));
    match read.await {
        Ok(Some(details)) => {
            ServerMessage::RunView(RunViewChanged::new(run_id, details.view)).into()
        }
        Ok(None) => error(None, ErrorCode::RunNotFound, format!("Run not found: {run_id}")).into(),
        Err(error) => failed(None, &error).into(),
    }
}
