//! The effect of a session's own events on the rows.

use super::conversation::{add_message, touch};
use super::draft::Draft;
use super::rules::{empty, missing, text_of};
use super::turns;
use crate::run::{AttemptId, SessionId};
use crate::session::{Entry, NewSession, SessionEvent};
use crate::store::committed::WrittenEvent;
use crate::store::error::StoreError;

/// Appends entries to a session. The first one may begin it.
pub(super) fn append(
    draft: &mut Draft<'_>,
    session: SessionId,
    at: u64,
    entries: &[Entry<SessionEvent>],
) -> Result<(), StoreError> {
    let begins = matches!(entries.first(), Some(Entry { event: Some(SessionEvent::Began(_)), .. }));
    if !begins && draft.session(session)?.is_none() {
        return Err(missing("session", &session));
    }
    for Entry { event, message } in entries {
        if event.is_none() && message.is_none() {
            return Err(empty("session", &session));
        }
        if let Some(event) = event {
            apply_event(draft, session, at, event)?;
        }
        let message =
            message.as_ref().map(|message| add_message(draft, session, message)).transpose()?;
        let event = event.clone().map(|event| WrittenEvent::Session { session, event });
        draft.add_entry(event, message);
    }
    Ok(())
}

fn apply_event(
    draft: &mut Draft<'_>,
    session: SessionId,
    at: u64,
    event: &SessionEvent,
) -> Result<(), StoreError> {
    match event {
        SessionEvent::Began(new) => begin(draft, session, new),
        SessionEvent::PromptQueued { prompt, text } => {
            touch(draft, session, at)?;
            turns::queue(draft, *prompt, session, text, at)
        }
        SessionEvent::ChatBegan { attempt, prompt } => {
            touch(draft, session, at)?;
            if let Some(holder) = draft.session(session)?.and_then(|row| row.session.run) {
                return Err(StoreError::Busy { session, holder });
            }
            turns::begin(draft, *attempt, None, session, Some(*prompt), at)
        }
        SessionEvent::ChatEnded { attempt, answered: _, requeued } => {
            end_chat(draft, session, *attempt)?;
            if *requeued { turns::requeue(draft, *attempt) } else { Ok(()) }
        }
        SessionEvent::ChatRepeated { attempt } => turns::mark_maybe_received(draft, *attempt),
        SessionEvent::PromptsWithdrawn { prompts } => turns::withdraw(draft, session, prompts),
        SessionEvent::Opened => {
            draft.change_session(session)?.session.opened = true;
            Ok(())
        }
        SessionEvent::OrchestrationSet { enabled } => {
            draft.change_session(session)?.orchestration = *enabled;
            Ok(())
        }
    }
}

/// Begins a session. An existing one stays as it is.
fn begin(draft: &mut Draft<'_>, session: SessionId, new: &NewSession) -> Result<(), StoreError> {
    text_of(&new.directory)?;
    if new.id != session {
        let what = format!("session {session} cannot begin as session {}", new.id);
        return Err(StoreError::Contradiction { what });
    }
    if draft.session(session)?.is_none() {
        draft.add_session(new);
    }
    Ok(())
}

/// Ends an attempt outside a run. The attempts of a run end with its events.
fn end_chat(
    draft: &mut Draft<'_>,
    session: SessionId,
    attempt: AttemptId,
) -> Result<(), StoreError> {
    let is_chat =
        draft.attempt(attempt)?.is_some_and(|row| row.run.is_none() && row.session == session);
    match draft.change_attempt(attempt)? {
        Some(row) if is_chat => row.chat_ended = true,
        Some(_) | None => return Err(missing("attempt", &attempt)),
    }
    Ok(())
}
