//! What agents work on, read from the store: every session with an open run, or with an open turn
//! outside of one.

use std::collections::HashMap;

use super::convert;
use crate::Catalog;
use crate::run::SessionId;
use crate::store::{Attempt, RunFilter, RunRecord, Store, StoreError};
use crate::wire::{Stamp, WorkLine, WorkingChat, WorkingRun};

/// How many characters of a prompt are shown.
const MAX_PREVIEW_CHARS: usize = 100;

/// The sessions in which an agent is working, the one that has been for longest first.
pub(in crate::server) fn work(
    store: &dyn Store,
    catalog: Catalog,
) -> Result<Vec<WorkLine>, StoreError> {
    let mut found: HashMap<SessionId, (Option<RunRecord>, Option<Attempt>)> = HashMap::new();
    for run in store.runs(&RunFilter { open: Some(true), ..RunFilter::default() })? {
        let session = run.session;
        found.entry(session).or_default().0 = Some(run);
    }
    // Oldest first: of several open attempts, the first one is in flight.
    for attempt in store.open_attempts()?.into_iter().filter(|attempt| attempt.run.is_none()) {
        found.entry(attempt.session).or_default().1.get_or_insert(attempt);
    }
    let mut lines = Vec::with_capacity(found.len());
    for (session, (run, chat)) in found {
        lines.extend(line(store, catalog, session, run.as_ref(), chat.as_ref())?);
    }
    lines.sort_by_key(|line| (line.since.0, line.session_id));
    Ok(lines)
}

/// One session; `None` where it was deleted since, or cannot be read.
fn line(
    store: &dyn Store,
    catalog: Catalog,
    id: SessionId,
    run: Option<&RunRecord>,
    chat: Option<&Attempt>,
) -> Result<Option<WorkLine>, StoreError> {
    let session = match store.session(id) {
        Err(StoreError::Unreadable { .. }) => None,
        session => session?,
    };
    let Some(session) = session else { return Ok(None) };
    let since =
        run.map(|run| run.started_at).into_iter().chain(chat.map(|chat| chat.began_at)).min();
    Ok(Some(WorkLine {
        session_id: id,
        name: session.name,
        working_directory: session.directory.display().to_string(),
        agent: session.agent,
        since: Stamp(since.unwrap_or(session.changed_at)),
        run: run.map(|run| working_run(catalog, run)),
        chat: chat.map(|chat| working_chat(store, chat)).transpose()?,
        queued: store.queued_prompts(id)?.len() as u64,
    }))
}

fn working_run(catalog: Catalog, run: &RunRecord) -> WorkingRun {
    WorkingRun {
        run_id: run.id,
        recipe_id: run.recipe.clone(),
        recipe_label: convert::label(catalog, &run.recipe),
        rehearsal: run.rehearsal,
        step: run.step.clone(),
        step_count: run.steps,
    }
}

fn working_chat(store: &dyn Store, attempt: &Attempt) -> Result<WorkingChat, StoreError> {
    let prompt = match attempt.prompt.map(|prompt| store.prompt(prompt)).transpose() {
        Err(StoreError::Unreadable { .. }) => None,
        prompt => prompt?.flatten(),
    };
    let first =
        prompt.as_ref().and_then(|prompt| prompt.text.trim().lines().next()).unwrap_or_default();
    Ok(WorkingChat { preview: first.chars().take(MAX_PREVIEW_CHARS).collect() })
}
