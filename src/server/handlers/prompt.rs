//! `prompt`: a client has something to say to a session's agent.

use super::desk::{Desk, code_of};
use crate::engine::{Begin, EngineError, Say, SayError};
use crate::run::SessionId;
use crate::server::broadcast::convert;
use crate::server::socket::client::After;
use crate::wire::{Ack, ErrorCode, Prompt, PromptTo, ServerMessage, SessionReady};

pub(super) async fn handle(desk: &mut Desk<'_>, message: Prompt) {
    let session = message.to.session();
    let begin = match message.to {
        PromptTo::Known(_) => None,
        PromptTo::KnownOrNew { working_directory, provider, system_prompt, .. } => Some(Begin {
            directory: working_directory,
            provider: convert::agent_for(provider, &desk.shared.agents),
            system_prompt,
        }),
    };
    match desk.shared.engine.send_prompt(Say { session, text: message.text, begin }).await {
        Ok(said) => {
            desk.listen_to(session).await;
            let ack = ServerMessage::Ack(Ack {
                message: "Processing prompt...".to_owned(),
                session_id: Some(session),
            });
            if said.new_session {
                desk.client.answer_after(After::Began(session), &[ready(session), ack]);
            } else {
                desk.say(&ack);
            }
        }
        Err(SayError::Engine(EngineError::NoSession(_))) => {
            desk.error(Some(session), ErrorCode::SessionNotFound, format!("Session not found: {session}"));
        }
        Err(SayError::Engine(error)) => desk.refused(Some(session), code_of(&error), &error),
        Err(error) => desk.refused(Some(session), ErrorCode::StartFailed, &error),
    }
}

/// Says that a session that the client has begun can be subscribed to.
pub(super) fn ready(session_id: SessionId) -> ServerMessage {
    ServerMessage::SessionReady(SessionReady {
        session_id,
        message: "Session is ready for subscription".to_owned(),
    })
}

/// How much of a conversation is told to somebody who talks in it without having asked for it. The app takes whatever is told as
/// the next thing, and would miss what it has not read yet.
const BEFORE: u64 = 50;

impl Desk<'_> {
    /// Has the client hear what is said in a session, if it does not do so already: it has just begun something there, and wants
    /// to know what comes of it. What was said by now waits in its inbox, and is found to be heard already.
    pub(super) async fn listen_to(&mut self, session: SessionId) {
        if self.client.subscriptions.contains(session) {
            return;
        }
        match self.shared.engine.read(move |store| store.session(session)).await {
            Ok(known) => {
                let from = known.map_or(0, |known| known.messages.saturating_sub(BEFORE));
                self.client.subscriptions.insert(session, from);
            }
            Err(error) => self.failed(Some(session), &error),
        }
    }
}
