//! `set_max_message_size`: how large a message to this client may be.

use super::desk::Desk;
use crate::wire::{Ack, ServerMessage, SetMaxMessageSize};

pub(super) fn handle(desk: &mut Desk<'_>, message: SetMaxMessageSize) {
    let size_kb = message.size_kb;
    // What is read for one message has to find room here, whatever the client can take.
    let most = desk.shared.limits.queue_bytes.max(desk.shared.limits.reply_size);
    desk.replies.limit = (size_kb as usize).saturating_mul(1024).min(most);
    desk.say(&ServerMessage::Ack(Ack {
        message: format!("Max message size set to {size_kb} KB"),
        session_id: None,
    }));
}
