//! The messages of a session, and the time of its last change.

use super::draft::Draft;
use crate::run::SessionId;
use crate::session::NewMessage;
use crate::store::error::StoreError;
use crate::store::records::Message;

/// Adds a message to the conversation: offsets have no gaps, and times never decrease.
pub(super) fn add_message(
    draft: &mut Draft<'_>,
    session: SessionId,
    new: &NewMessage,
) -> Result<Message, StoreError> {
    if new.session != session {
        let what = format!(
            "message {} of session {} is in an entry of session {session}",
            new.id, new.session
        );
        return Err(StoreError::Contradiction { what });
    }
    let row = draft.change_session(session)?;
    let (offset, at) = (row.session.messages, new.at.max(row.last_message_at));
    row.session.messages += 1;
    row.last_message_at = at;
    touch(draft, session, at)?;
    let NewMessage { id, role, attempt, run, .. } = *new;
    Ok(Message {
        session,
        offset,
        id,
        role,
        text: new.text.clone(),
        at,
        attempt,
        run,
        delivered: true,
    })
}

/// Updates the time of a session's last change. It never decreases, even if the clock does.
pub(super) fn touch(draft: &mut Draft<'_>, session: SessionId, at: u64) -> Result<(), StoreError> {
    let row = draft.change_session(session)?;
    row.session.changed_at = row.session.changed_at.max(at);
    Ok(())
}
