//! Attempts, and the queued prompts that they deliver.

use super::draft::Draft;
use super::rows::{AttemptRow, PromptRow};
use super::rules::{missing, taken, twice};
use crate::run::{AttemptId, PromptId, RunId, SessionId};
use crate::store::error::StoreError;
use crate::store::records::QueuedPromptRecord;

/// Begins an attempt. If it delivers a queued prompt, that leaves the queue.
pub(super) fn begin(
    draft: &mut Draft<'_>,
    id: AttemptId,
    run: Option<RunId>,
    session: SessionId,
    prompt: Option<PromptId>,
    at: u64,
) -> Result<(), StoreError> {
    if let Some(prompt) = prompt {
        let row = draft.prompt(prompt)?.filter(|row| row.session == session);
        if row.ok_or_else(|| missing("prompt", &prompt))?.taken {
            return Err(taken(prompt));
        }
        draft.take_prompt(prompt, true)?;
    }
    if draft.attempt(id)?.is_some() {
        return Err(twice("attempt", &id));
    }
    let (began_at, process, chat_ended) = (at, None, false);
    draft.add_attempt(AttemptRow { id, run, session, prompt, began_at, process, chat_ended });
    Ok(())
}

/// Requeues an attempt's prompt, which the agent may have received.
pub(super) fn requeue_maybe_received(
    draft: &mut Draft<'_>,
    attempt: AttemptId,
) -> Result<(), StoreError> {
    mark_maybe_received(draft, attempt)?;
    requeue(draft, attempt)
}

/// Marks an attempt's prompt as possibly received.
pub(super) fn mark_maybe_received(
    draft: &mut Draft<'_>,
    attempt: AttemptId,
) -> Result<(), StoreError> {
    match draft.attempt(attempt)?.and_then(|row| row.prompt) {
        Some(prompt) => draft.repeat_prompt(prompt),
        None => Ok(()),
    }
}

/// Requeues an attempt's prompt, which the agent certainly did not receive.
pub(super) fn requeue(draft: &mut Draft<'_>, attempt: AttemptId) -> Result<(), StoreError> {
    match draft.attempt(attempt)?.and_then(|row| row.prompt) {
        Some(prompt) => draft.take_prompt(prompt, false),
        None => Ok(()),
    }
}

/// Appends a prompt to the queue.
pub(super) fn queue(
    draft: &mut Draft<'_>,
    prompt: PromptId,
    session: SessionId,
    text: &str,
    at: u64,
) -> Result<(), StoreError> {
    if draft.prompt(prompt)?.is_some() {
        return Err(twice("prompt", &prompt));
    }
    draft.add_prompt(row(prompt, session, None, text, at));
    Ok(())
}

/// Adds a prompt to the queue of a run. A prompt that is in its session's queue already keeps its
/// position.
pub(super) fn queue_in_run(
    draft: &mut Draft<'_>,
    prompt: PromptId,
    session: SessionId,
    run: RunId,
    text: &str,
    at: u64,
) -> Result<(), StoreError> {
    match draft.prompt(prompt)?.map(|row| row.session) {
        Some(known) if known == session => draft.assign_prompt(prompt, run),
        Some(_) => return Err(twice("prompt", &prompt)),
        None => draft.add_prompt(row(prompt, session, Some(run), text, at)),
    }
    Ok(())
}

/// Withdraws prompts from a session's queue. Prompts that are not queued stay as they are.
pub(super) fn withdraw(
    draft: &mut Draft<'_>,
    session: SessionId,
    prompts: &[PromptId],
) -> Result<(), StoreError> {
    prompts.iter().try_for_each(|prompt| draft.withdraw_prompt(session, *prompt))
}

/// A new row. The store assigns its number.
fn row(prompt: PromptId, session: SessionId, run: Option<RunId>, text: &str, at: u64) -> PromptRow {
    PromptRow {
        record: QueuedPromptRecord { prompt, text: text.to_owned(), at, again: false, number: 0 },
        session,
        run,
        taken: false,
    }
}
