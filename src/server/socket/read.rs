//! Reads lists and conversations, and no more of them than is sent.

use super::outgoing_frames::failure;
use crate::engine::EngineError;
use crate::run::SessionId;
use crate::server::broadcast::{convert, sessions};
use crate::server::shared::Shared;
use crate::store::{Message, Store, StoreError};
use crate::wire::{HistoryPart, ServerMessage, SessionHistory, SessionList, history_page};

/// How many sessions a list has.
const MAX_SESSIONS: usize = 50;

/// How many messages are read at once.
const PAGE_MESSAGES: usize = 16;

/// How many messages a client without any gets. The app shows no more.
const TAIL_MESSAGES: u64 = 50;

/// Where to begin in a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::server) enum From {
    /// At this offset.
    Offset(u64),
    /// Near the end, so that the end is included.
    Tail,
    /// At this offset, if the conversation still has this signature.
    Signed(u64, String),
}

/// A part of a conversation in a frame below this size; `None` if there is no such session.
pub(in crate::server) async fn conversation(
    shared: &Shared,
    id: SessionId,
    from: From,
    limit: usize,
) -> Result<Option<SessionHistory>, EngineError> {
    let query = move |store: &dyn Store| {
        let Some(session) = store.session(id)? else { return Ok(None) };
        let signature = convert::signature(&session);
        let replaced = matches!(&from, From::Signed(_, seen) if *seen != signature);
        let tail = replaced || from == From::Tail;
        let messages = match from {
            From::Offset(offset) | From::Signed(offset, _) if !tail => {
                messages_from(store, id, offset, limit)?
            }
            From::Offset(_) | From::Signed(..) | From::Tail => {
                last_messages(store, id, session.messages, limit)?
            }
        };
        Ok(Some((session, signature, replaced, tail, messages)))
    };
    let Some((session, signature, replaced, tail, mut messages)) =
        shared.engine.read(query).await?
    else {
        return Ok(None);
    };
    let provider = convert::provider(&session.agent);
    // A message may have been added between the two reads.
    let total =
        messages.last().map_or(session.messages, |last| session.messages.max(last.offset + 1));
    loop {
        let part = HistoryPart {
            session: id,
            signature: signature.clone(),
            replaced,
            total,
            messages: messages
                .iter()
                .map(|message| convert::history_message(message, provider))
                .collect(),
        };
        let frame = history_page(part, limit);
        // All of them fit, or there is nothing to choose from.
        if !tail || frame.messages.len() == messages.len() || messages.len() < 2 {
            return Ok(Some(frame));
        }
        // A client that wants the end gets it: earlier messages are dropped until the rest fits.
        messages.drain(..messages.len().div_ceil(2));
    }
}

/// Messages from here on, enough to fill this many bytes.
fn messages_from(
    store: &dyn Store,
    id: SessionId,
    mut from: u64,
    bytes: usize,
) -> Result<Vec<Message>, StoreError> {
    let (mut messages, mut size) = (Vec::new(), 0_usize);
    while size < bytes {
        let page = store.messages(id, from, PAGE_MESSAGES)?;
        let Some(last) = page.last() else { break };
        from = last.offset + 1;
        size = size.saturating_add(page.iter().map(|message| message.text.len()).sum());
        messages.extend(page);
    }
    Ok(messages)
}

/// The last of `total` messages, enough to fill this many bytes. Read backwards and one by one,
/// because fifty of them can be fifty times as much as fits.
fn last_messages(
    store: &dyn Store,
    id: SessionId,
    total: u64,
    bytes: usize,
) -> Result<Vec<Message>, StoreError> {
    let (mut messages, mut size) = (Vec::new(), 0_usize);
    for offset in (total.saturating_sub(TAIL_MESSAGES)..total).rev() {
        if size >= bytes {
            break;
        }
        // If this message cannot be read, the store returns the next one, which is in the list
        // already.
        let message =
            store.messages(id, offset, 1)?.into_iter().filter(|message| message.offset == offset);
        let message: Vec<_> = message.collect();
        size = size.saturating_add(message.iter().map(|message| message.text.len()).sum());
        messages.extend(message);
    }
    messages.reverse();
    Ok(messages)
}

/// The lists of sessions.
pub(in crate::server) async fn lists(shared: &Shared, recent: u32) -> Vec<ServerMessage> {
    let catalog = shared.catalog;
    let query = move |store: &dyn Store| {
        let sessions = store.sessions(MAX_SESSIONS)?;
        let entries = sessions::entries(store, catalog, &sessions)?;
        Ok((sessions, SessionList { sessions: entries, total_count: store.session_count()? }))
    };
    match shared.engine.read(query).await {
        Ok((sessions, list)) => {
            let latest: Vec<_> = sessions.iter().map(convert::recent_session).collect();
            vec![
                ServerMessage::SessionList(list),
                ServerMessage::RecentSessions(convert::recent_sessions(&latest, recent)),
            ]
        }
        Err(error) => vec![failure(&error)],
    }
}

/// The available recipes.
pub(in crate::server) async fn recipes(shared: &Shared) -> ServerMessage {
    match shared.engine.read(|store| store.orchestration(None)).await {
        Ok(enabled) => ServerMessage::AvailableRecipes(convert::offer(shared, enabled).await),
        Err(error) => failure(&error),
    }
}
