//! Taking up what an earlier engine left behind.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::drive::{self, Beginning};
use super::inner::Inner;
use super::{EngineError, ResumeError, chat, schedule, scratch};
use crate::run::{Event, Input, Run, RunId, abandon};
use crate::store::{Attempt, RunFilter, StoreError};
use crate::{Exit, ExitReason};

/// Takes up all runs, prompts and processes that are left.
pub(super) async fn all(inner: &Arc<Inner>) -> Result<(), EngineError> {
    clear_away(inner).await?;
    let open = RunFilter { open: Some(true), ..RunFilter::default() };
    for record in inner.read(move |store| store.runs(&open)).await? {
        if let Err(error) = take_up(inner, record.id).await {
            let words = format!("the run cannot go on by itself: {error}");
            tracing::error!(run = %record.id, session = %record.session, recipe = record.recipe, "{words}");
            end_unreadable(inner, record.id, &Exit::because(ExitReason::Interrupted).describe(words)).await?;
        }
    }
    let waiting = RunFilter { resume_due: true, ..RunFilter::default() };
    for record in inner.read(move |store| store.runs(&waiting)).await? {
        if let Some(at) = record.ending.and_then(|ending| ending.resume_at) {
            schedule::resume_later(inner, record.id, record.session, at);
        }
    }
    chat::recover(inner).await
}

/// Goes on with a run that has not ended and that nobody drives.
pub(super) async fn take_up(inner: &Arc<Inner>, id: RunId) -> Result<(), ResumeError> {
    let (run, seq) = replay(inner, id).await?;
    let session = run.order().session;
    let opened = inner.read(move |store| store.session(session)).await?.is_some_and(|session| session.opened);
    tracing::info!(run = %id, %session, recipe = run.recipe().outline().id, "Recipe taken up again");
    let todo = run.todo();
    drive::spawn(inner, run, seq, opened, todo, Beginning::TakenUp);
    Ok(())
}

/// A run as it was last written down, and the number of its last event.
pub(super) async fn replay(inner: &Inner, id: RunId) -> Result<(Run, u64), ResumeError> {
    let recorded = inner.read(move |store| store.events(id, 0, usize::MAX)).await?;
    let Some(Event::Started { recipe, .. }) = recorded.first().map(|first| &first.event) else {
        return Err(EngineError::NoRun(id).into());
    };
    let recipe = inner.options.catalog.find(recipe)?;
    let run = Run::replay(recipe, recorded.iter().map(|recorded| &recorded.event))?;
    Ok((run, recorded.last().map_or(0, |last| last.seq)))
}

/// Ends a run whose task panicked.
pub(super) async fn end_broken(inner: &Arc<Inner>, id: RunId, panic: &str) {
    let exit = Exit::because(ExitReason::InternalError).describe(panic);
    let ended = match replay(inner, id).await {
        Ok((mut run, seq)) => {
            let input = Input::Cancelled { exit: exit.clone(), took: Duration::ZERO };
            let decision = run.handle(input, Inner::fresh());
            schedule::write(inner, &run, seq, &decision).await.map(|_| ()).map_err(EngineError::from)
        }
        Err(_) => end_unreadable(inner, id, &exit).await,
    };
    if let Err(error) = ended {
        tracing::error!(run = %id, %error, "a run that broke could not be ended");
    }
}

/// Ends a run that cannot be rebuilt: its recipe has changed or is gone. It is for a person to decide what to do.
async fn end_unreadable(inner: &Inner, id: RunId, exit: &Exit) -> Result<(), EngineError> {
    let recorded = inner.read(move |store| store.events(id, 0, usize::MAX)).await?;
    let seq = recorded.last().map_or(0, |last| last.seq);
    match abandon(recorded.iter().map(|recorded| &recorded.event), exit) {
        Some(ended) => Ok(schedule::abandon(inner, id, seq, ended).await?),
        None => Ok(()),
    }
}

/// Clears away what is left of attempts that are over, also a process that outlived the end of its run.
async fn clear_away(inner: &Arc<Inner>) -> Result<(), EngineError> {
    for id in scratch::left_behind(&inner.options.data) {
        let attempt = inner.read(move |store| store.attempt(id)).await?;
        if attempt.as_ref().is_some_and(|attempt| !attempt.ended) {
            continue;
        }
        if let Some(attempt) = attempt {
            stop_leftovers(inner, &attempt).await?;
        }
        scratch::remove(&inner.options.data, id);
    }
    Ok(())
}

/// Stops whatever still works on an attempt that is over.
async fn stop_leftovers(inner: &Arc<Inner>, attempt: &Attempt) -> Result<(), StoreError> {
    let session = attempt.session;
    let Ok(Some(session)) = inner.read(move |store| store.session(session)).await else { return Ok(()) };
    let Ok(agent) = inner.agent(Some(&session.agent)) else { return Ok(()) };
    let prepared = super::turn::Prepared {
        attempt: attempt.id,
        session: session.id,
        opened: session.opened,
        prompt: String::new(),
        model: None,
        directory: session.directory,
        budget_usd: None,
    };
    let Ok(turn) = inner.prepare(prepared) else { return Ok(()) };
    let stop = inner.stop.child_token();
    stop.cancel();
    let (signs, _deaf) = mpsc::channel(1);
    let process = attempt
        .process
        .clone()
        .map(|process| crate::agent::Process { pid: process.pid, started: process.started });
    agent.recover(turn, process, inner.link(signs, stop)).await;
    Ok(())
}
