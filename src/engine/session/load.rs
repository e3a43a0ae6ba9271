//! A session as the store has it, ready to be driven.

use crate::Catalog;
use crate::engine::error::{EngineError, ResumeError};
use crate::engine::options::TakeUp;
use crate::engine::shared::Shared;
use crate::run::{Event, Run, RunId, SessionId, Todo};
use crate::session::{
    ChatTurn, Process, Profile, QueuedPrompt, Session, Stored, StoredRun, TurnOrigin, Unreplayable,
};
use crate::store::{Attempt, Recorded, RunFilter, RunRecord, Store, StoreError, Waiting};

/// Loads a session. `own` is a run that this engine has driven already, whatever it was told to take up.
pub(in crate::engine) async fn load(
    shared: &Shared,
    id: SessionId,
    own: Option<RunId>,
) -> Result<Session, StoreError> {
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
    for attempt in open.iter().filter(|attempt| attempt.run.is_none()) {
        chats.extend(chat(store, attempt)?);
    }
    let queue = store.waiting(id)?;
    let passes = open.iter().find(|attempt| attempt.run.is_some()).and_then(|attempt| attempt.prompt);
    let passing = match passes {
        Some(prompt) => store.prompt(prompt)?,
        None => None,
    };
    let run = match unfinished_run(store, id)? {
        Some(run) => {
            let resumes = own == Some(run.id) || take_up.takes(Some(run.id));
            stored_run(store, catalog, run.id, resumes)?
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

fn queued(Waiting { prompt, text, again, number, .. }: Waiting) -> QueuedPrompt {
    QueuedPrompt { prompt, text, again, number }
}

fn chat(store: &dyn Store, attempt: &Attempt) -> Result<Option<ChatTurn>, StoreError> {
    let Some(prompt) = attempt.prompt else { return Ok(None) };
    let found = match store.prompt(prompt) {
        // The turn can still be adopted or ended. Its words are lost, so that no agent is given it again.
        Err(StoreError::Unreadable { .. }) => {
            QueuedPrompt { prompt, text: String::new(), again: false, number: 0 }
        }
        found => match found? {
            Some(found) => queued(found),
            None => return Ok(None),
        },
    };
    Ok(Some(ChatTurn {
        attempt: attempt.id,
        prompt: found,
        origin: TurnOrigin::Adopted(attempt.process.clone()),
    }))
}

fn stored_run(
    store: &dyn Store,
    catalog: Catalog,
    id: RunId,
    resumes: bool,
) -> Result<StoredRun, StoreError> {
    let events = store.events(id, 0, usize::MAX)?;
    // A run without its beginning cannot even be ended.
    if !matches!(events.first().map(|first| &first.event), Some(Event::Started { .. })) {
        return Err(StoreError::Unreadable { what: format!("the beginning of run {id}") });
    }
    Ok(match replay(catalog, id, &events) {
        Ok((run, seq)) => {
            let process = process(store, &run)?;
            StoredRun::Replayed { run: Box::new(run), seq, process, resumes }
        }
        Err(why) => {
            let seq = events.last().map_or(0, |last| last.seq);
            let events = events.into_iter().map(|recorded| recorded.event).collect();
            let why = why.to_string();
            StoredRun::Unreplayable(Unreplayable { run: id, seq, events, why, resumes })
        }
    })
}

/// The process of a run's open attempt. A row that cannot be read is an error: it is no evidence that there was no process,
/// and the agent would be asked a second time without being told.
fn process(store: &dyn Store, run: &Run) -> Result<Option<Process>, StoreError> {
    match run.todo() {
        Todo::Ask(ask) => Ok(store.attempt(ask.attempt)?.and_then(|attempt| attempt.process)),
        Todo::Check(check) => Ok(store.attempt(check.check)?.and_then(|attempt| attempt.process)),
        Todo::Wait | Todo::End | Todo::Restart(_) => Ok(None),
    }
}

/// A run as its events have it, and the number of the last one.
pub(in crate::engine) fn replay(
    catalog: Catalog,
    id: RunId,
    events: &[Recorded],
) -> Result<(Run, u64), ResumeError> {
    let Some(Event::Started { recipe, .. }) = events.first().map(|first| &first.event) else {
        return Err(EngineError::NoRun(id).into());
    };
    let recipe = catalog.find(recipe)?;
    let run = Run::replay(recipe, events.iter().map(|recorded| &recorded.event))?;
    Ok((run, events.last().map_or(0, |last| last.seq)))
}

/// The run of a session that is open, or else the one that is paused. It may have been resumed after later ones had ended.
pub(in crate::engine) fn unfinished_run(
    store: &dyn Store,
    session: SessionId,
) -> Result<Option<RunRecord>, StoreError> {
    let all = unfinished_runs(store, Some(session))?;
    Ok(all.into_iter().next())
}

/// The runs that are open, then those that are paused: of one session, or of all.
pub(in crate::engine) fn unfinished_runs(
    store: &dyn Store,
    session: Option<SessionId>,
) -> Result<Vec<RunRecord>, StoreError> {
    let mut runs = store.runs(&RunFilter { session, open: Some(true), ..RunFilter::default() })?;
    runs.extend(store.runs(&RunFilter { session, resume_due: true, ..RunFilter::default() })?);
    Ok(runs)
}
