//! Loading a session from the store.

use crate::Catalog;
use crate::engine::error::{EngineError, ResumeError};
use crate::engine::options::Recovery;
use crate::engine::shared::Shared;
use crate::run::{Action, Event, Run, RunId, SessionId};
use crate::session::{
    ChatTurn, ProcessRecord, Profile, QueuedPrompt, Session, Stored, StoredRun, TurnOrigin,
    Unreplayable,
};
use crate::store::{
    Attempt, EventRecord, QueuedPromptRecord, RunFilter, RunRecord, Store, StoreError,
};

/// Loads a session. `own` is a run that this engine has driven already; it resumes even if
/// [`Recovery`] does not include it.
pub(in crate::engine) async fn load(
    shared: &Shared,
    id: SessionId,
    own: Option<RunId>,
) -> Result<Session, StoreError> {
    let (catalog, recovery) = (shared.options.catalog, shared.options.recovery.clone());
    shared.read(move |store| read(store, catalog, &recovery, id, own)).await.map(Session::load)
}

fn read(
    store: &dyn Store,
    catalog: Catalog,
    recovery: &Recovery,
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
    let queue = store.queued_prompts(id)?;
    let in_delivery =
        open.iter().find(|attempt| attempt.run.is_some()).and_then(|attempt| attempt.prompt);
    let delivering = match in_delivery {
        Some(prompt) => store.prompt(prompt)?,
        None => None,
    };
    let run = match unfinished_run(store, id)? {
        Some(run) => {
            let resumes = own == Some(run.id) || recovery.includes(Some(run.id));
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
        delivering: delivering.map(queued),
    })
}

fn queued(
    QueuedPromptRecord { prompt, text, again, number, .. }: QueuedPromptRecord,
) -> QueuedPrompt {
    QueuedPrompt { prompt, text, may_repeat: again, number }
}

fn chat(store: &dyn Store, attempt: &Attempt) -> Result<Option<ChatTurn>, StoreError> {
    let Some(prompt) = attempt.prompt else { return Ok(None) };
    let found = match store.prompt(prompt) {
        // The turn can still be adopted or ended. Its text is lost, so it is not delivered again.
        Err(StoreError::Unreadable { .. }) => {
            QueuedPrompt { prompt, text: String::new(), may_repeat: false, number: 0 }
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
    // A run without its `Started` event cannot even be ended.
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

/// The process of a run's open attempt. An unreadable row is an error: if it were treated as an
/// attempt without a process, the agent would be asked a second time.
fn process(store: &dyn Store, run: &Run) -> Result<Option<ProcessRecord>, StoreError> {
    match run.action() {
        Action::Ask(ask) => Ok(store.attempt(ask.attempt)?.and_then(|attempt| attempt.process)),
        Action::Check(check) => Ok(store.attempt(check.check)?.and_then(|attempt| attempt.process)),
        Action::Wait | Action::End | Action::Restart(_) => Ok(None),
    }
}

/// A run rebuilt from its events, and the number of the last event.
pub(in crate::engine) fn replay(
    catalog: Catalog,
    id: RunId,
    events: &[EventRecord],
) -> Result<(Run, u64), ResumeError> {
    let Some(Event::Started { recipe, .. }) = events.first().map(|first| &first.event) else {
        return Err(EngineError::NoRun(id).into());
    };
    let recipe = catalog.find(recipe)?;
    let run = Run::replay(recipe, events.iter().map(|recorded| &recorded.event))?;
    Ok((run, events.last().map_or(0, |last| last.seq)))
}

/// The open run of a session, or else its paused one. Not necessarily the latest: an older run may
/// have been resumed.
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
