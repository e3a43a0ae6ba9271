//! What listeners are told of a commit, in the order in which it happened.

use std::sync::Arc;

use super::feed::Notice;
use crate::session::{Role, SessionEvent};
use crate::store::{Committed, Message, Written, WrittenEvent};

/// The notices of a commit: its new sessions, then its entries. An assistant's message comes before its event, a user's
/// message after it.
pub(in crate::engine) fn notices(committed: &Committed) -> Vec<Notice> {
    let begun = committed.sessions.iter().map(|session| Notice::SessionBegan(Arc::new(session.clone())));
    begun.chain(committed.entries.iter().flat_map(of_entry)).collect()
}

fn of_entry(Written { event, message }: &Written) -> impl Iterator<Item = Notice> + use<> {
    let said = message.as_ref().map(|message: &Message| Notice::Said(Arc::new(message.clone())));
    let comes_first = message.as_ref().is_some_and(|message| message.role == Role::Assistant);
    let happened = event.as_ref().and_then(of_event);
    let (first, second) = if comes_first { (said, happened) } else { (happened, said) };
    first.into_iter().chain(second)
}

fn of_event(event: &WrittenEvent) -> Option<Notice> {
    match event {
        WrittenEvent::Run(recorded) => Some(Notice::Happened(Arc::new(recorded.clone()))),
        WrittenEvent::Session { session, event: SessionEvent::ChatEnded { answered, .. } } => {
            Some(Notice::ChatEnded { session: *session, aborted: !answered })
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
