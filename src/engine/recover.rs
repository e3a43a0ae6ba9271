//! Taking up what an earlier engine left behind.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use uuid::Uuid;

use super::chat_turn::message;
use super::drive::{self, Adoption, Beginning, Conversation};
use super::inner::Inner;
use super::options::TakeUp;
use super::turn::{Prepared, for_agent};
use super::{EngineError, ResumeError, chat, schedule, scratch, words};
use crate::agent::Agent;
use crate::run::{Event, Input, Run, RunId, abandon};
use crate::store::{Attempt, Change, Commit, Entry, Process, Role, RunFilter, RunRecord, Store};
use crate::{Exit, ExitReason};

/// An attempt that was never ended, and what is left of it.
pub(super) struct Left {
    pub(super) attempt: Attempt,
    pub(super) adoption: Adoption,
}

/// Takes up the runs, prompts and processes that are left, as far as the engine was told to.
pub(super) async fn take_up_what_is_left(inner: &Arc<Inner>) -> Result<(), EngineError> {
    clear_away(inner).await?;
    let wanted = &inner.options.take_up;
    // Agents that may be at work have their places before anything else can take them.
    let open = inner.read(Store::open_attempts).await?;
    let left = open.into_iter().filter(|attempt| wanted.takes(attempt.run)).map(|attempt| {
        let held = attempt.process.as_ref().and_then(|_| inner.hold(attempt.session));
        Left { adoption: Adoption { process: attempt.process.clone(), held }, attempt }
    });
    let (mut of_runs, mut of_chats) = (HashMap::new(), Vec::new());
    for left in left {
        match left.attempt.run {
            Some(run) => drop(of_runs.insert(run, left)),
            None => of_chats.push(left),
        }
    }
    let open = RunFilter { open: Some(true), ..RunFilter::default() };
    let open = inner.read(move |store| store.runs(&open)).await?;
    for record in open.into_iter().filter(|record| wanted.takes(Some(record.id))) {
        let left = of_runs.remove(&record.id);
        take_up_or_end(inner, record, left).await?;
    }
    let waiting = RunFilter { resume_due: true, ..RunFilter::default() };
    let waiting = inner.read(move |store| store.runs(&waiting)).await?;
    for record in waiting.into_iter().filter(|record| wanted.takes(Some(record.id))) {
        if let Some(at) = record.ending.and_then(|ending| ending.resume_at) {
            schedule::resume_later(inner, record.id, record.session, at);
        }
    }
    match wanted {
        TakeUp::All => chat::recover(inner, of_chats).await,
        TakeUp::Only(_) => Ok(()),
    }
}

/// Goes on with a run, or ends it where its recipe has changed or is gone: then it is for a person to decide.
async fn take_up_or_end(
    inner: &Arc<Inner>,
    record: RunRecord,
    left: Option<Left>,
) -> Result<(), EngineError> {
    let (attempt, adoption) = left.map(|left| (left.attempt, left.adoption)).unzip();
    let error = match take_up(inner, record.id, adoption.unwrap_or_default()).await {
        Ok(()) => return Ok(()),
        // The store is in trouble for a moment; that says nothing about the run.
        Err(ResumeError::Engine(EngineError::Store(error))) if error.may_pass() => return Err(error.into()),
        Err(error) => error,
    };
    let words = format!("the run cannot go on by itself: {error}");
    tracing::error!(run = %record.id, session = %record.session, recipe = record.recipe, "{words}");
    end_unreadable(inner, record.id, &Exit::because(ExitReason::Interrupted).describe(words)).await?;
    if let Some(attempt) = attempt {
        finish_off(inner, &attempt).await;
    }
    Ok(())
}

/// Goes on with a run that has not ended and that nobody drives.
pub(super) async fn take_up(inner: &Arc<Inner>, id: RunId, adoption: Adoption) -> Result<(), ResumeError> {
    let (run, seq) = replay(inner, id).await?;
    let session = run.order().session;
    let known = inner.read(move |store| store.session(session)).await?;
    tracing::info!(run = %id, %session, recipe = run.recipe().outline().id, "Recipe taken up again");
    let todo = run.todo();
    drive::spawn(inner, run, seq, Conversation::of(known), todo, Beginning::TakenUp(adoption));
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
            drive::write(inner, &run, seq, &decision, None).await.map(|_| ()).map_err(EngineError::from)
        }
        Err(_) => end_unreadable(inner, id, &exit).await,
    };
    if let Err(error) = ended {
        tracing::error!(run = %id, %error, "a run that broke could not be ended");
    }
}

/// Ends a run that cannot be rebuilt.
pub(super) async fn end_unreadable(inner: &Inner, id: RunId, exit: &Exit) -> Result<(), EngineError> {
    let recorded = inner.read(move |store| store.events(id, 0, usize::MAX)).await?;
    let (Some(first), Some(last)) = (recorded.first(), recorded.last()) else { return Ok(()) };
    let Some(ended) = abandon(recorded.iter().map(|recorded| &recorded.event), exit) else { return Ok(()) };
    let at = inner.now();
    let mut closing = None;
    if let (Event::Started { recipe, .. }, Event::Ended { ending, .. }) = (&first.event, &ended) {
        let text = words::closing(recipe, ending);
        closing = Some(message(first.session, Role::Assistant, text, at, None));
    }
    let entries = vec![Entry { event: Some(ended), message: closing }];
    let changes = vec![Change::Run { run: id, after: last.seq, at, entries }];
    inner.keeper.commit(Commit { changes }).await?;
    Ok(())
}

/// Clears away what is left of attempts that are over, also a process that outlived the end of its run. What belongs to
/// nothing that is taken up is left to a later engine.
async fn clear_away(inner: &Arc<Inner>) -> Result<(), EngineError> {
    scratch::make_room(&inner.options.data);
    let wanted = &inner.options.take_up;
    for id in scratch::left_behind(&inner.options.data) {
        match inner.read(move |store| store.attempt(id)).await? {
            Some(attempt) if !attempt.ended || !wanted.takes(attempt.run) => {}
            Some(attempt) => finish_off(inner, &attempt).await,
            None if !wanted.takes(None) => {}
            // The store was set aside, say. Nobody can use what the agent wrote, but it is not ours to throw away.
            None => {
                let unknown = Prepared::nothing(id, inner.options.data.clone());
                for agent in &inner.options.agents {
                    stop(inner, &**agent, unknown.clone(), None).await;
                }
                scratch::set_aside(&inner.options.data, id);
            }
        }
    }
    Ok(())
}

/// Stops whatever still works on an attempt that is over, and clears its things away.
pub(super) async fn finish_off(inner: &Arc<Inner>, attempt: &Attempt) {
    stop_leftovers(inner, attempt).await;
    scratch::remove(&inner.options.data, attempt.id);
}

async fn stop_leftovers(inner: &Arc<Inner>, attempt: &Attempt) {
    let session = attempt.session;
    let Ok(Some(session)) = inner.read(move |store| store.session(session)).await else { return };
    let Ok(agent) = inner.agent(Some(&session.agent)) else { return };
    let mut prepared = Prepared::nothing(attempt.id, session.directory);
    (prepared.session, prepared.opened) = (session.id, session.opened);
    stop(inner, &*agent, prepared, attempt.process.clone()).await;
}

/// Has an agent find a turn and stop it at once.
async fn stop(inner: &Inner, agent: &dyn Agent, prepared: Prepared, process: Option<Process>) {
    let turn = inner.prepare(prepared);
    let stop = inner.stop.child_token();
    stop.cancel();
    let (signs, _deaf) = mpsc::channel(1);
    agent.recover(turn, process.map(for_agent), inner.link(signs, stop)).await;
}

impl Prepared {
    /// A turn in which nothing is to be said, only to be found.
    fn nothing(attempt: crate::run::AttemptId, directory: std::path::PathBuf) -> Self {
        let session = Uuid::nil().into();
        Self {
            attempt,
            session,
            opened: false,
            prompt: String::new(),
            model: None,
            system_prompt: None,
            directory,
            budget_usd: None,
        }
    }
}
