//! Reads runs from the store as protocol messages, for handlers and for HTTP.

use super::broadcast::convert;
use crate::Catalog;
use crate::run::{Event, RunId};
use crate::store::{Message, RunFilter, Store, StoreError};
use crate::view::Timeline;
use crate::wire::{
    HistoryPart, Journal, JournalEvent, LastReply, ListedRun, RunDetails, RunLine, SessionHistory,
    Stamp, cut, history_page,
};

/// How many bytes of a reply are sent; the middle of a longer one is left out.
const MAX_REPLY_BYTES: usize = 64 * 1024;

/// Runs, newest first.
pub(crate) fn runs(
    store: &dyn Store,
    catalog: Catalog,
    filter: &RunFilter,
) -> Result<Vec<RunLine>, StoreError> {
    Ok(store.runs(filter)?.iter().map(|run| convert::run_line(catalog, run)).collect())
}

/// How many runs are read at once during a text search.
const SEARCH_PAGE_RUNS: usize = 500;

/// Runs with their tasks; given a text, only those in which all of its words occur.
pub(crate) fn listed_runs(
    store: &dyn Store,
    catalog: Catalog,
    filter: &RunFilter,
    text: Option<&str>,
) -> Result<Vec<ListedRun>, StoreError> {
    let with_task = |run: RunLine| {
        let started = store.events(run.run_id, 0, 1)?.into_iter().next();
        let task = started.and_then(|first| match first.event {
            Event::Started { spec, .. } => spec.task,
            _ => None,
        });
        Ok(ListedRun { run, task })
    };
    let Some(words) = text.map(str::to_lowercase) else {
        return runs(store, catalog, filter)?.into_iter().map(with_task).collect();
    };
    let wanted = filter.limit.unwrap_or(usize::MAX);
    let mut page = RunFilter { limit: Some(SEARCH_PAGE_RUNS), ..filter.clone() };
    let mut found = Vec::new();
    loop {
        let lines = runs(store, catalog, &page)?;
        let is_last = lines.len() < SEARCH_PAGE_RUNS;
        page.before = lines.last().map(|line| line.run_id);
        for line in lines {
            let listed = with_task(line)?;
            if found.len() < wanted && listed.matches(&words) {
                found.push(listed);
            }
        }
        if is_last || found.len() >= wanted {
            return Ok(found);
        }
    }
}

/// A run and its events after `since`, at most `limit` of them; `None` if there is no such run.
pub(crate) fn journal(
    store: &dyn Store,
    catalog: Catalog,
    id: RunId,
    since: u64,
    limit: usize,
) -> Result<Option<Journal>, StoreError> {
    let Some(run) = store.run(id)? else { return Ok(None) };
    let events = store.events(id, since, limit)?.into_iter().map(|recorded| JournalEvent {
        seq: recorded.seq,
        at: Stamp(recorded.at),
        event: recorded.event,
    });
    Ok(Some(Journal { run: convert::run_line(catalog, &run), events: events.collect() }))
}

/// A run's timeline up to event `seq`; `None` if there is no such run.
pub(crate) fn timeline(
    store: &dyn Store,
    catalog: Catalog,
    id: RunId,
    seq: u64,
) -> Result<Option<Timeline>, StoreError> {
    let Some(run) = store.run(id)? else { return Ok(None) };
    let mut timeline = convert::run_line(catalog, &run).timeline(catalog);
    for recorded in store.events(id, 0, usize::try_from(seq).unwrap_or(usize::MAX))? {
        timeline.apply(recorded.seq, recorded.at, &recorded.event);
    }
    Ok(Some(timeline))
}

/// A run, its events after `since` (at most `limit` of them), and what has changed in its view
/// since; `None` if there is no such run.
pub(crate) fn details(
    store: &dyn Store,
    catalog: Catalog,
    id: RunId,
    since: u64,
    limit: usize,
) -> Result<Option<RunDetails>, StoreError> {
    let Some(Journal { run, mut events }) = journal(store, catalog, id, 0, usize::MAX)? else {
        return Ok(None);
    };
    let mut timeline = run.timeline(catalog);
    for recorded in &events {
        timeline.apply(recorded.seq, recorded.at.0, &recorded.event);
    }
    events.retain(|recorded| recorded.seq > since);
    events.truncate(limit);
    Ok(Some(RunDetails {
        journal: Journal { run, events },
        view: timeline.view().changed_since(since),
    }))
}

/// What the agent wrote in the last attempt of a run in which it wrote anything; `None` if there is
/// no such run.
pub(crate) fn last_reply(store: &dyn Store, id: RunId) -> Result<Option<LastReply>, StoreError> {
    let Some(run) = store.run(id)? else { return Ok(None) };
    let events = store.events(id, 0, usize::MAX)?;
    for recorded in events.iter().rev() {
        let Event::TurnBegan { attempt, .. } = &recorded.event else { continue };
        let passages = store.passages(run.session, *attempt, 0, usize::MAX)?;
        let texts = passages.iter().map(|passage| passage.text.as_str());
        let words: Vec<_> = texts.filter(|text| !text.trim().is_empty()).collect();
        if !words.is_empty() {
            return Ok(Some(LastReply { reply: Some(cut(&words.join("\n\n"), MAX_REPLY_BYTES)) }));
        }
    }
    Ok(Some(LastReply { reply: None }))
}

/// A message that was just added to the conversation with this signature, as clients get it.
pub(crate) fn pushed(signature: String, provider: &str, message: &Message) -> SessionHistory {
    let part = HistoryPart {
        session: message.session,
        signature,
        replaced: false,
        total: message.offset + 1,
        messages: vec![convert::history_message(message, provider)],
    };
    history_page(part, usize::MAX)
}
