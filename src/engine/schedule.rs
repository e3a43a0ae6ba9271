//! Going on, stopping and switching off: what is asked of runs from outside, or asked by time.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;

use super::drive::{self, Beginning};
use super::inner::{Command, Inner};
use super::journal::Page;
use super::recover;
use super::start::Started;
use super::{EngineError, ResumeError};
use crate::run::{
    CannotResume, Decision, Ending, Event, Input, PromptId, Resume, ResumedBy, Run, RunId, SessionId, Todo,
};
use crate::store::{Change, Commit, RunFilter, StoreError};
use crate::{Exit, ExitReason};

/// How long a wait may be before the clock is looked at again: it may have been set, or the machine have slept.
const LOOK_AGAIN: Duration = Duration::from_secs(30);

/// Goes on with a run.
pub(super) async fn resume(inner: &Arc<Inner>, id: RunId, resume: Resume) -> Result<Started, ResumeError> {
    if inner.closing.is_cancelled() {
        return Err(EngineError::ShuttingDown.into());
    }
    let record = inner.read(move |store| store.run(id)).await?.ok_or(EngineError::NoRun(id))?;
    let session = record.session;
    let started = Started { run: id, session, new_session: false };
    inner.agent(Some(&record.agent))?;
    if record.ending.is_none() {
        if inner.driven(session).is_some_and(|(run, _)| run == id) {
            return Err(CannotResume::StillRunning.into());
        }
        // A failing store had left it behind.
        recover::take_up(inner, id).await?;
        return Ok(started);
    }
    if !inner.read(move |store| store.orchestration(Some(session))).await? {
        return Err(ResumeError::SwitchedOff);
    }
    let (mut run, seq) = recover::replay(inner, id).await?;
    let opened = inner.read(move |store| store.session(session)).await?.is_some_and(|session| session.opened);
    let told = told_since(inner, &run).await?;
    let decision = run.resume(resume, &told, Inner::fresh())?;
    let seq = write(inner, &run, seq, &decision).await?;
    match decision.todo {
        Todo::Ask(ask) => drive::spawn(inner, run, seq, opened, Todo::Ask(ask), Beginning::Fresh),
        // It can have ended again at once, for a limit.
        Todo::Wait | Todo::End | Todo::Restart(_) => {}
    }
    Ok(started)
}

/// What had waited in a run when it ended, and has been passed on outside of it since.
async fn told_since(inner: &Inner, run: &Run) -> Result<Vec<PromptId>, StoreError> {
    let session = run.order().session;
    let waiting = inner.read(move |store| store.waiting(session)).await?;
    let waits = |prompt: &PromptId| waiting.iter().any(|waiting| waiting.prompt == *prompt);
    Ok(run.waiting().map(|(prompt, _)| prompt).filter(|prompt| !waits(prompt)).collect())
}

/// Ends the run of a session, whether it goes on or waits to.
pub(super) async fn cancel(
    inner: &Arc<Inner>,
    session: SessionId,
    exit: Exit,
) -> Result<Option<Ending>, EngineError> {
    if let Some((_, commands)) = inner.driven(session) {
        let (done, ended) = oneshot::channel();
        if commands.send(Command::Cancel { exit: exit.clone(), done }).await.is_ok()
            && let Ok(ending) = ended.await
        {
            return Ok(Some(ending));
        }
        // It ended by itself in the meantime, which is as good.
    }
    let last = inner.read(move |store| store.runs(&last_of(session))).await?.into_iter().next();
    let waits = |ending: &Ending| ending.resume_at.is_some();
    let Some(record) = last.filter(|record| record.ending.as_ref().is_none_or(waits)) else {
        return Ok(None);
    };
    let Ok((mut run, seq)) = recover::replay(inner, record.id).await else { return Ok(None) };
    let decision = run.handle(Input::Cancelled { exit, took: Duration::ZERO }, Inner::fresh());
    write(inner, &run, seq, &decision).await?;
    Ok(run.ending().cloned())
}

/// Switches recipes on or off. Switching off ends the runs in scope.
pub(super) async fn set_orchestration(
    inner: &Arc<Inner>,
    session: Option<SessionId>,
    enabled: bool,
) -> Result<(), EngineError> {
    let commit = Commit { changes: vec![Change::Orchestration { session, enabled }] };
    inner.keeper.commit(commit).await?;
    if !enabled {
        let sessions = session.map_or_else(|| inner.busy_sessions(), |session| vec![session]);
        for session in sessions {
            cancel(inner, session, Exit::because(ExitReason::UserRequested)).await?;
        }
    }
    Ok(())
}

/// Looks at a run that has just ended: whether it goes on by itself, which is then seen to.
pub(super) async fn goes_on(inner: &Arc<Inner>, id: RunId) -> bool {
    let record = match inner.read(move |store| store.run(id)).await {
        Ok(record) => record,
        Err(error) => {
            tracing::error!(run = %id, %error, "could not look at a run that ended");
            None
        }
    };
    let waits = record.and_then(|record| Some((record.session, record.ending?.resume_at?)));
    if let Some((session, at)) = waits {
        resume_later(inner, id, session, at);
    }
    waits.is_some()
}

/// Goes on with a run by itself, once it is time.
pub(super) fn resume_later(inner: &Arc<Inner>, id: RunId, session: SessionId, at: u64) {
    let inner = Arc::clone(inner);
    inner.clone().tasks.spawn(async move {
        tokio::select! {
            () = inner.closing.cancelled() => return,
            () = wait_until(&inner, at) => {}
        }
        // Somebody may have told it not to, or begun something else in its session.
        let last = inner.read(move |store| store.runs(&last_of(session))).await;
        let still_waits = last.is_ok_and(|runs| {
            let waits = |ending: &Ending| ending.resume_at == Some(at);
            runs.first().is_some_and(|run| run.id == id && run.ending.as_ref().is_some_and(waits))
        });
        if still_waits && let Err(error) = Box::pin(resume(&inner, id, Resume::by(ResumedBy::Auto))).await {
            tracing::warn!(run = %id, %error, "a run that waited could not go on by itself");
        }
    });
}

async fn wait_until(inner: &Inner, at: u64) {
    loop {
        let left = Duration::from_millis(at.saturating_sub(inner.now()));
        if left.is_zero() {
            return;
        }
        tokio::time::sleep(left.min(LOOK_AGAIN)).await;
    }
}

fn last_of(session: SessionId) -> RunFilter {
    RunFilter { session: Some(session), limit: Some(1), ..RunFilter::default() }
}

/// Writes down what was decided about a run that nobody drives. Gives the number of its last event.
pub(super) async fn write(
    inner: &Inner,
    run: &Run,
    seq: u64,
    decision: &Decision,
) -> Result<u64, StoreError> {
    if decision.events.is_empty() {
        return Ok(seq);
    }
    let page = Page { order: run.order(), recipe: run.recipe().outline(), after: seq, now: inner.now() };
    inner.keeper.commit(Commit { changes: page.changes(decision, None) }).await?;
    page.log(decision, None);
    Ok(seq + decision.events.len() as u64)
}

/// Writes down the end of a run that cannot be rebuilt.
pub(super) async fn abandon(inner: &Inner, run: RunId, seq: u64, ended: Event) -> Result<(), StoreError> {
    let events = vec![ended];
    let change = Change::Events { run, after: seq, events, at: inner.now() };
    inner.keeper.commit(Commit { changes: vec![change] }).await.map(|_| ())
}
