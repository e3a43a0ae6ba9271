//! The updates that subscribers get for a commit, in order.

use std::sync::Arc;

use super::event_stream::Update;
use crate::session::{Role, SessionEvent};
use crate::store::{Committed, Message, Written, WrittenEvent};

/// The updates of a commit: its new sessions, then its entries. An assistant's message comes before
/// its event, a user's message after it.
pub(in crate::engine) fn updates(committed: &Committed) -> Vec<Update> {
    let begun =
        committed.sessions.iter().map(|session| Update::SessionBegan(Arc::new(session.clone())));
    begun.chain(committed.entries.iter().flat_map(of_entry)).collect()
}

fn of_entry(Written { event, message }: &Written) -> impl Iterator<Item = Update> + use<> {
    let message_update =
        message.as_ref().map(|message: &Message| Update::Message(Arc::new(message.clone())));
    let comes_first = message.as_ref().is_some_and(|message| message.role == Role::Assistant);
    let event_update = event.as_ref().and_then(of_event);
    let (first, second) =
        if comes_first { (message_update, event_update) } else { (event_update, message_update) };
    first.into_iter().chain(second)
}

fn of_event(event: &WrittenEvent) -> Option<Update> {
    match event {
        WrittenEvent::Run(recorded) => Some(Update::Event(Arc::new(recorded.clone()))),
        WrittenEvent::Session { session, event: SessionEvent::ChatEnded { answered, .. } } => {
            Some(Update::ChatEnded { session: *session, aborted: !answered })
        }
        WrittenEvent::Session { event, .. } => match event {
            SessionEvent::Began(_)
            | SessionEvent::PromptQueued { .. }
            | SessionEvent::ChatBegan { .. }
            | SessionEvent::ChatEnded { .. }
            | SessionEvent::ChatRepeated { .. }
            | SessionEvent::PromptsWithdrawn { .. }
            | SessionEvent::Opened
            | SessionEvent::OrchestrationSet { .. } => None,
        },
    }
}
