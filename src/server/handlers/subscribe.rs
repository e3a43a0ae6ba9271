//! `subscribe`: a client subscribes to the conversation of a session.

use super::context::{RequestContext, failed};
use super::reply::Reply;
use crate::run::SessionId;
use crate::server::socket::read;
use crate::server::socket::read::From;
use crate::wire::{ServerMessage, SessionHistory, Subscribe};

pub(super) async fn handle(context: &mut RequestContext<'_>, message: Subscribe) -> Reply {
    let session = message.session_id;
    let nothing =
        nothing_yet(session, message.from.unwrap_or(0), message.file_signature_seen.clone());
    let from = match (message.from, message.file_signature_seen) {
        (None, _) => From::Tail,
        // The offset of a client that starts at 0 cannot be wrong.
        (Some(0), _) => From::Offset(0),
        (Some(offset), None) => From::Offset(offset),
        (Some(offset), Some(signature)) => From::Signed(offset, signature),
    };
    match read::conversation(context.shared, session, from, *context.max_frame_bytes).await {
        Ok(Some(history)) => {
            context.client.subscriptions.insert(session, history.next_offset);
            ServerMessage::SessionHistory(history).into()
        }
        Ok(None) => {
            // The session may be created later.
            context.client.subscriptions.insert(session, 0);
            ServerMessage::SessionHistory(nothing).into()
        }
        Err(error) => failed(Some(session), &error).into(),
    }
}

/// An empty page at the client's offset: a shorter conversation would make the app discard its
/// copy, and an error would be shown in all of its conversations until it reconnects.
fn nothing_yet(session_id: SessionId, from: u64, signature: Option<String>) -> SessionHistory {
    SessionHistory {
        session_id,
        messages: Vec::new(),
        next_offset: from,
        end_of_file: true,
        file_signature: signature.unwrap_or_default(),
        file_replaced: None,
        first_seq: None,
        last_seq: None,
        next_seq: from.saturating_add(1),
        is_complete: true,
        gap: None,
        total_count: from,
    }
}
