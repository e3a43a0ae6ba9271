//! `resume_run`: a client resumes a run that has ended.

use super::context::{RequestContext, error, failed, refused};
use super::reply::Reply;
use super::start_recipe::{ack, busy};
use super::widening;
use crate::engine::{EngineError, ResumeError};
use crate::run::{Limits, Permits, Resume, ResumedBy, RunId};
use crate::server::broadcast::update::Announced;
use crate::store::Store;
use crate::wire::{ErrorCode, ResumeRun};

pub(super) async fn handle(context: &mut RequestContext<'_>, message: ResumeRun) -> Reply {
    let run = message.run_id;
    let record = match context.shared.engine.read(move |store| store.run(run)).await {
        Ok(Some(record)) => record,
        Ok(None) => {
            return error(None, ErrorCode::RunNotFound, format!("Run not found: {run}")).into();
        }
        Err(error) => return failed(None, &error).into(),
    };
    let (session, is_open) = (record.session, record.ending.is_none());
    if let Some(refused) = widening::refuse(context, Some(session), &widening::of_resume(&message))
    {
        return refused.into();
    }
    context.add_root(&record.directory);
    let limits =
        if message.limits.is_empty() { Ok(None) } else { limits_of(context, run).await.map(Some) };
    let limits = match limits {
        Ok(limits) => limits.map(|limits| message.limits.over(limits)),
        Err(error) => return failed(Some(session), &error).into(),
    };
    let ResumeRun { allow_visits, allow_steps, allow_tools, allow_deps, force_parallel, .. } =
        message;
    let permits = Permits { allow_deps, force_parallel, ..Permits::default() };
    let resume =
        Resume { by: ResumedBy::User, limits, allow_visits, allow_steps, allow_tools, permits };
    match context.shared.engine.resume(run, resume).await {
        Ok(started) => {
            let reply = Reply::from(ack(session, started.run));
            // An open run is only adopted: its history gets no event for that, and the next update
            // about it may take long.
            let reply = if is_open { reply } else { reply.after(Announced::Run(started.run)) };
            context.subscribe_to(session, reply).await
        }
        Err(ResumeError::Busy { session, holder }) => busy(context, session, holder).await,
        Err(error @ ResumeError::SwitchedOff) => {
            refused(Some(session), ErrorCode::OrchestrationDisabled, &error).into()
        }
        Err(ResumeError::Engine(error)) => failed(Some(session), &error).into(),
        Err(error) => refused(Some(session), ErrorCode::CannotResume, &error).into(),
    }
}

/// The limits that a run has now.
async fn limits_of(context: &RequestContext<'_>, run: RunId) -> Result<Limits, EngineError> {
    let query = move |store: &dyn Store| store.events(run, 0, usize::MAX);
    let events = context.shared.engine.read(query).await?;
    Ok(events.iter().rev().find_map(|recorded| recorded.event.limits()).unwrap_or_default())
}
