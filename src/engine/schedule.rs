//! Going on, stopping and switching off: what is asked of runs from outside, or asked by time.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;

use super::drive::{self, Adoption, Beginning, Conversation};
use super::inner::{Command, Inner};
use super::start::Started;
use super::{EngineError, ResumeError};
use super::{chat, recover};
use crate::run::{
    CannotResume, Ending, Input, Meanwhile, PromptId, Resume, ResumedBy, Run, RunId, SessionId, Todo,
};
use crate::store::{Attempt, Change, Commit, RunFilter, RunRecord, SessionEvent, Store, StoreError};
use crate::{Exit, ExitReason};

/// How long a wait may be before the clock is looked at again: it may have been set, or the machine have slept.
const LOOK_AGAIN: Duration = Duration::from_secs(30);

/// Goes on with a run.
pub(super) async fn resume(inner: &Arc<Inner>, id: RunId, resume: Resume) -> Result<Started, ResumeError> {
    if inner.closing.is_cancelled() {
        return Err(EngineError::ShuttingDown.into());
    }
    let session = inner.read(move |store| store.run(id)).await?.ok_or(EngineError::NoRun(id))?.session;
    let _gate = inner.gate(session).await;
    let started = Started { run: id, session, new_session: false };
    if !inner.read(move |store| store.orchestration(Some(session))).await? {
        return Err(ResumeError::SwitchedOff);
    }
    // In this order: what nobody drives cannot change any more while the gate is held.
    let driven = inner.driven(session).is_some_and(|(run, _)| run == id);
    let (mut run, seq) = recover::replay(inner, id).await?;
    inner.agent(Some(&run.order().agent))?;
    if run.ending().is_none() {
        if driven {
            return Err(CannotResume::StillRunning.into());
        }
        return take_up_again(inner, id, resume).await.map(|()| started);
    }
    let conversation = Conversation::of(inner.read(move |store| store.session(session)).await?);
    let meanwhile = meanwhile(inner, &run).await?;
    let decision = run.resume(resume, meanwhile, Inner::fresh())?;
    let seq = drive::write(inner, &run, seq, &decision, None).await?;
    match decision.todo {
        Todo::Ask(ask) => drive::spawn(inner, run, seq, conversation, Todo::Ask(ask), Beginning::Fresh),
        // It can have ended again at once, for a limit or in a restart, which is seen to.
        Todo::Wait | Todo::End | Todo::Restart(_) => {}
    }
    Ok(started)
}

/// Goes on with a run that a failing store or an earlier engine had left behind. Its agent may have replied meanwhile, so it goes on just where
/// it was.
async fn take_up_again(inner: &Arc<Inner>, id: RunId, resume: Resume) -> Result<(), ResumeError> {
    if resume != Resume::by(resume.by) {
        return Err(CannotResume::AsItIs.into());
    }
    let process = open_attempt(inner, id).await?.and_then(|open| open.process);
    recover::take_up(inner, id, Adoption { process, held: None }).await
}

/// The attempt that was begun in a run and never ended.
async fn open_attempt(inner: &Inner, id: RunId) -> Result<Option<Attempt>, StoreError> {
    let open = inner.read(Store::open_attempts).await?;
    Ok(open.into_iter().find(|attempt| attempt.run == Some(id)))
}

/// What became of people's words since a run ended. What had waited in it is passed on outside of it; but what is said while a run
/// waits to go on by itself waits with it, and is the run's to pass on.
async fn meanwhile(inner: &Inner, run: &Run) -> Result<Meanwhile, StoreError> {
    let session = run.order().session;
    let waiting = inner.read(move |store| store.waiting(session)).await?;
    let known: Vec<_> = run.waiting().map(|(prompt, _)| prompt).collect();
    let waits = |prompt: &PromptId| waiting.iter().any(|waiting| waiting.prompt == *prompt);
    let told = known.iter().copied().filter(|prompt| !waits(prompt)).collect();
    let kept = run.ending().is_some_and(|ending| ending.resume_at.is_some());
    let said = waiting.into_iter().filter(|waiting| kept && !known.contains(&waiting.prompt));
    Ok(Meanwhile { told, said: said.map(|waiting| (waiting.prompt, waiting.text)).collect() })
}

/// Ends the run of a session, whether it goes on or waits to.
pub(super) async fn cancel(
    inner: &Arc<Inner>,
    session: SessionId,
    exit: Exit,
) -> Result<Option<Ending>, EngineError> {
    loop {
        if let Some((_, commands)) = inner.driven(session) {
            let (done, ended) = oneshot::channel();
            if commands.send(Command::Cancel { exit: exit.clone(), done }).await.is_ok()
                && let Ok(ending) = ended.await
            {
                return Ok(Some(ending));
            }
            // It ended by itself in the meantime, which is as good; or it is about to leave its desk.
        }
        let _gate = inner.gate(session).await;
        if inner.driven(session).is_some() {
            tokio::task::yield_now().await;
            continue;
        }
        match cancel_undriven(inner, session, &exit).await {
            Err(EngineError::Store(StoreError::Stale { .. })) => {}
            result => return result,
        }
    }
}

/// Ends a run that nobody drives: one that waits to go on by itself, or that a failing store or an earlier engine left
/// behind. The agent of the latter may still be at work.
async fn cancel_undriven(
    inner: &Arc<Inner>,
    session: SessionId,
    exit: &Exit,
) -> Result<Option<Ending>, EngineError> {
    let last = inner.read(move |store| last_run(store, session)).await?;
    let waits = |ending: &Ending| ending.resume_at.is_some();
    let Some(record) = last.filter(|record| record.ending.as_ref().is_none_or(waits)) else {
        return Ok(None);
    };
    let left = open_attempt(inner, record.id).await?;
    let ending = match recover::replay(inner, record.id).await {
        Ok((mut run, seq)) => {
            let input = Input::Cancelled { exit: exit.clone(), took: Duration::ZERO };
            let decision = run.handle(input, Inner::fresh());
            drive::write(inner, &run, seq, &decision, None).await?;
            run.ending().cloned()
        }
        Err(ResumeError::Engine(error)) => return Err(error),
        // Its recipe has changed, so it will not go on anyway; but it must not hold its session for ever.
        Err(_) => {
            recover::end_unreadable(inner, record.id, exit).await?;
            inner.read(move |store| store.run(record.id)).await?.and_then(|run| run.ending)
        }
    };
    inner.forget_unsaved(record.id);
    if let Some(attempt) = left {
        recover::finish_off(inner, &attempt).await;
    }
    // What was to wait for the run to go on is passed on outside of it.
    chat::go_on(inner, session);
    Ok(ending)
}

/// Switches recipes on or off. Switching off ends the runs in scope, also those that wait to go on by themselves.
pub(super) async fn set_orchestration(
    inner: &Arc<Inner>,
    session: Option<SessionId>,
    enabled: bool,
) -> Result<(), EngineError> {
    let change = match session {
        Some(id) => Change::session(id, inner.now(), SessionEvent::OrchestrationSet { enabled }),
        None => Change::Orchestration { enabled },
    };
    inner.keeper.commit(Commit { changes: vec![change] }).await?;
    let mut result = Ok(());
    // A chain may restart into another session meanwhile, so it is looked once more, until there is none.
    while !enabled && result.is_ok() {
        let sessions = match session {
            Some(session) => vec![session],
            None => unfinished(inner).await?,
        };
        let mut ended = false;
        for session in sessions {
            match cancel(inner, session, Exit::because(ExitReason::UserRequested)).await {
                Ok(ending) => ended |= ending.is_some(),
                Err(error) => result = Err(error),
            }
        }
        if !ended {
            break;
        }
    }
    result
}

/// The sessions with a run that goes on, or is about to.
async fn unfinished(inner: &Inner) -> Result<Vec<SessionId>, StoreError> {
    let look = |store: &dyn Store| {
        let open = store.runs(&RunFilter { open: Some(true), ..RunFilter::default() })?;
        let waiting = store.runs(&RunFilter { resume_due: true, ..RunFilter::default() })?;
        Ok(open.into_iter().chain(waiting).map(|run| run.session).collect())
    };
    inner.read(look).await
}

/// Goes on with a run by itself, once it is time.
pub(super) fn resume_later(inner: &Arc<Inner>, id: RunId, session: SessionId, at: u64) {
    let inner = Arc::clone(inner);
    inner.clone().tasks.spawn(async move {
        tokio::select! {
            () = inner.closing.cancelled() => {}
            () = async {
                wait_until(&inner, at).await;
                // A store that is in trouble for a moment does not keep it from going on.
                while let Err(error) = Box::pin(resume_if_it_waits(&inner, id, session, at)).await {
                    tracing::warn!(run = %id, %error, "a run that waited cannot go on by itself yet");
                    tokio::time::sleep(LOOK_AGAIN).await;
                }
            } => {}
        }
    });
}

/// Goes on with a run, unless somebody told it not to, or began something else in its session.
async fn resume_if_it_waits(
    inner: &Arc<Inner>,
    id: RunId,
    session: SessionId,
    at: u64,
) -> Result<(), StoreError> {
    if waiting_until(inner, id, session, at).await?.is_none() {
        return Ok(());
    }
    let error = match resume(inner, id, Resume::by(ResumedBy::Auto)).await {
        Ok(_) => return Ok(()),
        Err(ResumeError::Engine(EngineError::Store(error))) if error.may_pass() => return Err(error),
        Err(error) => error,
    };
    tracing::warn!(run = %id, %error, "a run that waited could not go on by itself");
    // The next engine may be more lucky.
    if matches!(error, ResumeError::Engine(EngineError::ShuttingDown)) {
        return Ok(());
    }
    match wait_no_longer(inner, id, session, at, &error).await {
        Err(EngineError::Store(error)) if error.may_pass() => Err(error),
        Err(error) => {
            tracing::error!(run = %id, %error, "a run that waits in vain could not be ended");
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

/// How a run ended, if it waits to go on at this time and is still the last one in its session.
async fn waiting_until(
    inner: &Inner,
    id: RunId,
    session: SessionId,
    at: u64,
) -> Result<Option<Ending>, StoreError> {
    let last = inner.read(move |store| last_run(store, session)).await?;
    let ending = last.filter(|run| run.id == id).and_then(|run| run.ending);
    Ok(ending.filter(|ending| ending.resume_at == Some(at)))
}

/// Ends a run for good that waited and cannot go on, for the reason it had stopped for: nobody should be told that it will, and
/// nothing else should wait for it.
async fn wait_no_longer(
    inner: &Arc<Inner>,
    id: RunId,
    session: SessionId,
    at: u64,
    why: &ResumeError,
) -> Result<(), EngineError> {
    let _gate = inner.gate(session).await;
    let Some(ending) = waiting_until(inner, id, session, at).await? else { return Ok(()) };
    // Only reasons of the registry wait.
    let reason = ExitReason::lookup(&ending.reason).unwrap_or(ExitReason::Interrupted);
    let cannot = format!("it cannot go on by itself: {why}");
    let words = ending.description.into_iter().chain([cannot]).collect::<Vec<_>>().join("; ");
    cancel_undriven(inner, session, &Exit::because(reason).describe(words)).await.map(|_| ())
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

/// The run that was last begun in a session.
pub(super) fn last_run(store: &dyn Store, session: SessionId) -> Result<Option<RunRecord>, StoreError> {
    let last = RunFilter { session: Some(session), limit: Some(1), ..RunFilter::default() };
    Ok(store.runs(&last)?.into_iter().next())
}
