//! `set_max_message_size`: how large a message to this client may be.

use super::context::RequestContext;
use super::reply::Reply;
use crate::wire::{Ack, ServerMessage, SetMaxMessageSize};

pub(super) fn handle(context: &mut RequestContext<'_>, message: SetMaxMessageSize) -> Reply {
    let size_kb = message.size_kb;
    // What is read for one message has to fit into memory here, whatever the client accepts.
    let most = context.shared.limits.max_queued_bytes.max(context.shared.limits.max_reply_bytes);
    *context.max_frame_bytes = (size_kb as usize).saturating_mul(1024).min(most);
    ServerMessage::Ack(Ack {
        message: format!("Max message size set to {size_kb} KB"),
        ..Ack::default()
    })
    .into()
}
