//! What is written down about runs, in the words of the wire: for those who read it here, and for those who ask over HTTP.

use super::broadcast::convert;
use crate::Catalog;
use crate::run::{Event, RunId};
use crate::store::{Message, RunFilter, Store, StoreError};
use crate::view::Timeline;
use crate::wire::{
    Journal, JournalEvent, LastReply, RunDetails, RunLine, SessionHistory, Stamp, Window, cut, window,
};

/// How many bytes of a reply are told; its middle is what is left out.
const LONGEST_REPLY: usize = 64 * 1024;

/// Runs, those that began last first.
pub(crate) fn runs(
    store: &dyn Store,
    catalog: Catalog,
    filter: &RunFilter,
) -> Result<Vec<RunLine>, StoreError> {
    Ok(store.runs(filter)?.iter().map(|run| convert::run_line(catalog, run)).collect())
}

/// A run and what happened in it after this event, at most so much; `None` where there is no such run.
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

/// How a run is shown after this event; `None` where there is no such run.
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

/// A run, what happened in it after this event (at most so much), and what has changed since in how it is shown.
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
    Ok(Some(RunDetails { journal: Journal { run, events }, view: timeline.view().changed_since(since) }))
}

/// What the agent said in the last attempt of a run in which it said anything; `None` where there is no such run.
pub(crate) fn last_reply(store: &dyn Store, id: RunId) -> Result<Option<LastReply>, StoreError> {
    let Some(run) = store.run(id)? else { return Ok(None) };
    let events = store.events(id, 0, usize::MAX)?;
    for recorded in events.iter().rev() {
        let Event::TurnBegan { attempt, .. } = &recorded.event else { continue };
        let passages = store.passages(run.session, *attempt, 0, usize::MAX)?;
        let texts = passages.iter().map(|passage| passage.text.as_str());
        let words: Vec<_> = texts.filter(|text| !text.trim().is_empty()).collect();
        if !words.is_empty() {
            return Ok(Some(LastReply { reply: Some(cut(&words.join("\n\n"), LONGEST_REPLY)) }));
        }
    }
    Ok(Some(LastReply { reply: None }))
}

/// Something that was just said in a conversation of this signature, as clients are told it.
pub(crate) fn pushed(signature: String, provider: &str, message: &Message) -> SessionHistory {
    let part = Window {
        session: message.session,
        signature,
        replaced: false,
        total: message.offset + 1,
        messages: vec![convert::history_message(message, provider)],
    };
    window(part, usize::MAX)
}
