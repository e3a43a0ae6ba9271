//! What each event of a run adds to the conversation.

use super::commit::Entry;
use super::decision::Draft;
use super::records::{NewMessage, Role};
use super::words;
use crate::run::{Decision, Ending, Event, PromptId, Purpose, Run, RunId, SessionId, Todo};

/// What the agent replied, where a decision is about that.
#[derive(Clone, Copy)]
pub(super) struct Reply<'r> {
    pub(super) text: &'r str,
    /// Whether it is in the conversation already, as the last passage of its turn.
    pub(super) already_said: bool,
}

/// The events of a run's decision, each with its message. What `is_said` already is in the conversation.
pub(super) fn entries(
    draft: &mut Draft<'_>,
    run: &Run,
    decision: &Decision,
    reply: Option<Reply<'_>>,
    is_said: &dyn Fn(&PromptId) -> bool,
) -> Vec<Entry<Event>> {
    let mut entries = Vec::with_capacity(decision.events.len());
    for event in &decision.events {
        let message = match event {
            Event::PromptQueued { prompt, .. } if is_said(prompt) => None,
            event => message(draft, run, event, &decision.todo, reply),
        };
        entries.push(Entry { event: Some(event.clone()), message });
    }
    entries
}

fn message(
    draft: &mut Draft<'_>,
    run: &Run,
    event: &Event,
    todo: &Todo,
    reply: Option<Reply<'_>>,
) -> Option<NewMessage> {
    let (session, id) = (run.order().session, run.order().run);
    let message = match event {
        Event::TurnBegan { attempt, purpose, .. } => {
            let Todo::Ask(ask) = todo else { return None };
            if let Purpose::Pass { .. } = purpose {
                // A client's words are in the conversation since they were sent.
                return None;
            }
            let text = ask.prompt.clone();
            NewMessage { role: Role::User, attempt: Some(*attempt), ..draft.assistant(session, text) }
        }
        Event::Replied { attempt, .. } => {
            let reply = reply.filter(|reply| !reply.already_said)?;
            NewMessage { attempt: Some(*attempt), ..draft.assistant(session, reply.text.to_owned()) }
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
        | Event::Reasked { .. }
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
    NewMessage { run: Some(run), ..draft.assistant(session, words::closing(recipe, ending)) }
}
