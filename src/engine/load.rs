//! A session as the store has it, ready to be driven.

use super::error::{EngineError, ResumeError};
use super::options::TakeUp;
use super::shared::Shared;
use crate::Catalog;
use crate::run::{Event, Run, RunId, SessionId};
use crate::session::{ChatState, ChatTurn, Profile, QueuedPrompt, Session, Stored, StoredRun};
use crate::store::{Attempt, Recorded, RunFilter, RunRecord, Store, StoreError, Waiting};

/// Loads a session. `own` is a run that this engine has driven already, whatever it was told to take up.
pub(super) async fn load(shared: &Shared, id: SessionId, own: Option<RunId>) -> Result<Session, StoreError> {
    let (catalog, take_up) = (shared.options.catalog, shared.options.take_up.clone());
    shared.read(move |store| read(store, catalog, &take_up, id, own)).await.map(Session::load)
}

fn read(
    store: &dyn Store,
    catalog: Catalog,
    take_up: &TakeUp,
    id: SessionId,
    own: Option<RunId>,
) -> Result<Stored, StoreError> {
    let Some(found) = store.session(id)? else { return Ok(Stored::new(id)) };
    let mut open = store.open_attempts()?;
    open.retain(|attempt| attempt.session == id);
    let mut chats = Vec::new();
    for attempt in open.iter().filter(|attempt| attempt.run.is_none() && take_up.takes(None)) {
        chats.extend(chat(store, attempt)?);
    }
    let queue = store.waiting(id)?;
    let passes = open.iter().find(|attempt| attempt.run.is_some()).and_then(|attempt| attempt.prompt);
    let passing = match passes {
        Some(prompt) => store.prompt(prompt)?,
        None => None,
    };
    let run = match last_run(store, id)? {
        Some(last) => {
            let resumes = own == Some(last.id) || take_up.takes(Some(last.id));
            stored_run(store, catalog, &last, &open, resumes)?
        }
        None => StoredRun::None,
    };
    Ok(Stored {
        id,
        profile: Some(Profile {
            directory: found.directory,
            agent: found.agent,
            system_prompt: found.system_prompt,
        }),
        commits: found.commits,
        opened: found.opened,
        run,
        chats,
        queue: queue.into_iter().map(queued).collect(),
        passing: passing.map(queued),
    })
}

fn queued(Waiting { prompt, text, at, again }: Waiting) -> QueuedPrompt {
    QueuedPrompt { prompt, text, at, again }
}

fn chat(store: &dyn Store, attempt: &Attempt) -> Result<Option<ChatTurn>, StoreError> {
    let Some(prompt) = attempt.prompt else { return Ok(None) };
    let Some(found) = store.prompt(prompt)? else { return Ok(None) };
    Ok(Some(ChatTurn {
        attempt: attempt.id,
        prompt: queued(found),
        state: ChatState::Left(attempt.process.clone()),
    }))
}

/// The last run of a session, if it is open or paused.
fn stored_run(
    store: &dyn Store,
    catalog: Catalog,
    last: &RunRecord,
    open: &[Attempt],
    resumes: bool,
) -> Result<StoredRun, StoreError> {
    let resume_at = match &last.ending {
        None => None,
        Some(ending) if ending.resume_at.is_none() => return Ok(StoredRun::None),
        Some(ending) => ending.resume_at,
    };
    let events = store.events(last.id, 0, usize::MAX)?;
    let process = open.iter().find(|attempt| attempt.run == Some(last.id)).and_then(|it| it.process.clone());
    Ok(match replay(catalog, last.id, &events) {
        Ok((run, seq)) => StoredRun::Replayed { run: Box::new(run), seq, process, resumes },
        Err(_) => StoredRun::Unreplayable { run: last.id, resume_at },
    })
}

/// A run as its events have it, and the number of the last one.
pub(super) fn replay(catalog: Catalog, id: RunId, events: &[Recorded]) -> Result<(Run, u64), ResumeError> {
    let Some(Event::Started { recipe, .. }) = events.first().map(|first| &first.event) else {
        return Err(EngineError::NoRun(id).into());
    };
    let recipe = catalog.find(recipe)?;
    let run = Run::replay(recipe, events.iter().map(|recorded| &recorded.event))?;
    Ok((run, events.last().map_or(0, |last| last.seq)))
}

/// The run that was last begun in a session.
fn last_run(store: &dyn Store, session: SessionId) -> Result<Option<RunRecord>, StoreError> {
    let last = RunFilter { session: Some(session), limit: Some(1), ..RunFilter::default() };
    Ok(store.runs(&last)?.into_iter().next())
}
