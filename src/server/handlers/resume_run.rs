//! `resume_run`: a client wants to go on with a run that has ended.

use super::desk::Desk;
use super::start_recipe::{ack, busy};
use crate::engine::{EngineError, ResumeError};
use crate::run::{Limits, Resume, ResumedBy, RunId};
use crate::server::socket::client::After;
use crate::store::Store;
use crate::wire::{ErrorCode, ResumeRun};

pub(super) async fn handle(desk: &mut Desk<'_>, message: ResumeRun) {
    let run = message.run_id;
    let record = match desk.shared.engine.read(move |store| store.run(run)).await {
        Ok(Some(record)) => record,
        Ok(None) => return desk.error(None, ErrorCode::RunNotFound, format!("Run not found: {run}")),
        Err(error) => return desk.failed(None, &error),
    };
    desk.add_root(&record.directory);
    let session = record.session;
    let limits = if message.limits.is_empty() { Ok(None) } else { limits_of(desk, run).await.map(Some) };
    let limits = match limits {
        Ok(limits) => limits.map(|limits| message.limits.over(limits)),
        Err(error) => return desk.failed(Some(session), &error),
    };
    let ResumeRun { allow_visits, allow_steps, .. } = message;
    let resume = Resume { by: ResumedBy::User, limits, allow_visits, allow_steps };
    match desk.shared.engine.resume(run, resume).await {
        Ok(started) => {
            desk.listen_to(session).await;
            desk.client.answer_after(After::Started(started.run), &[ack(session)]);
        }
        Err(ResumeError::Busy { session, holder }) => busy(desk, session, holder).await,
        Err(error @ ResumeError::SwitchedOff) => {
            desk.refused(Some(session), ErrorCode::OrchestrationDisabled, &error);
        }
        Err(ResumeError::Engine(error)) => desk.failed(Some(session), &error),
        Err(error) => desk.refused(Some(session), ErrorCode::CannotResume, &error),
    }
}

/// The limits that a run has now.
async fn limits_of(desk: &Desk<'_>, run: RunId) -> Result<Limits, EngineError> {
    let look = move |store: &dyn Store| store.events(run, 0, usize::MAX);
    let events = desk.shared.engine.read(look).await?;
    Ok(events.iter().rev().find_map(|recorded| recorded.event.limits()).unwrap_or_default())
}
