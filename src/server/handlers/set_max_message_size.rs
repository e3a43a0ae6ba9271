//! `set_max_message_size`: how large a message to this client may be.

use super::context::RequestContext;
use super::reply::Reply;
use crate::wire::{Ack, ServerMessage, SetMaxMessageSize};

pub(super) fn handle(context: &mut RequestContext<'_>, message: SetMaxMessageSize) -> Reply {
    let size_kb = message.size_kb;
    // What is read for one message has to find room here, whatever the client can take.
    let most = context.shared.limits.queue_bytes.max(context.shared.limits.reply_size);
    *context.max_frame_bytes = (size_kb as usize).saturating_mul(1024).min(most);
    ServerMessage::Ack(Ack { message: format!("Max message size set to {size_kb} KB"), ..Ack::default() })
        .into()
}
