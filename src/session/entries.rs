//! The message that each event of a run adds to the conversation.

use super::commit::Entry;
use super::decision::Draft;
use super::messages;
use super::records::{NewMessage, Role};
use crate::run::{Action, Decision, Ending, Event, PromptId, Purpose, Run, RunId, SessionId};

/// The reply that a decision is about.
#[derive(Clone, Copy)]
pub(super) struct Reply<'r> {
    pub(super) text: &'r str,
    /// Whether it is in the conversation already, as the last passage of its turn.
    pub(super) already_streamed: bool,
}

/// The events of a run's decision, each with its message. A prompt for which `is_recorded` holds is
/// in the conversation already.
pub(super) fn entries(
    draft: &mut Draft<'_>,
    run: &Run,
    decision: &Decision,
    reply: Option<Reply<'_>>,
    is_recorded: &dyn Fn(&PromptId) -> bool,
) -> Vec<Entry<Event>> {
    let mut entries = Vec::with_capacity(decision.events.len());
    for event in &decision.events {
        let message = match event {
            Event::PromptQueued { prompt, .. } if is_recorded(prompt) => None,
            event => message(draft, run, event, &decision.action, reply),
        };
        entries.push(Entry { event: Some(event.clone()), message });
    }
    entries
}

fn message(
    draft: &mut Draft<'_>,
    run: &Run,
    event: &Event,
    action: &Action,
    reply: Option<Reply<'_>>,
) -> Option<NewMessage> {
    let (session, id) = (run.spec().session, run.spec().run);
    let message = match event {
        Event::TurnBegan { attempt, purpose, .. } => {
            let Action::Ask(ask) = action else { return None };
            if let Purpose::Deliver { .. } = purpose {
                // A client's prompt is in the conversation since it was sent.
                return None;
            }
            let text = ask.prompt.clone();
            NewMessage {
                role: Role::User,
                attempt: Some(*attempt),
                ..draft.assistant(session, text)
            }
        }
        Event::Replied { attempt, .. } => {
            let reply = reply.filter(|reply| !reply.already_streamed)?;
            NewMessage {
                attempt: Some(*attempt),
                ..draft.assistant(session, reply.text.to_owned())
            }
        }
        Event::PromptQueued { prompt, text } => draft.user(session, *prompt, text.clone()),
        Event::Ended { ending, .. } => {
            return Some(closing(draft, session, id, run.recipe().outline().label, ending));
        }
        Event::Started { .. }
        | Event::TreeSeen { .. }
        | Event::RulesBroken { .. }
        | Event::WorktreeEnded { .. }
        | Event::ToolsRefused { .. }
        | Event::CheckBegan { .. }
        | Event::Checked { .. }
        | Event::Retried { .. }
        | Event::LimitReached { .. }
        | Event::Moved { .. }
        | Event::Resumed { .. } => return None,
    };
    Some(NewMessage { run: Some(id), ..message })
}

/// The last message of a run: how it ended.
pub(super) fn closing(
    draft: &mut Draft<'_>,
    session: SessionId,
    run: RunId,
    recipe: &str,
    ending: &Ending,
) -> NewMessage {
    NewMessage { run: Some(run), ..draft.assistant(session, messages::closing(recipe, ending)) }
}
