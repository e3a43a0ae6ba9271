//! `prompt`: a client sends a prompt to a session's agent.

use super::context::{RequestContext, code_of, error, failed, refused};
use super::reply::Reply;
use crate::engine::{EngineError, NewSessionSpec, SendPrompt, SendPromptError};
use crate::run::SessionId;
use crate::server::broadcast::convert;
use crate::server::broadcast::update::Announced;
use crate::wire::{Ack, ErrorCode, Prompt, PromptTo, ServerMessage, SessionReady};

pub(super) async fn handle(context: &mut RequestContext<'_>, message: Prompt) -> Reply {
    let session = message.to.session();
    let begin = match message.to {
        PromptTo::Known(_) => None,
        PromptTo::KnownOrNew { working_directory, provider, system_prompt, .. } => {
            Some(NewSessionSpec {
                directory: working_directory,
                provider: convert::agent_for(provider, &context.shared.agents),
                system_prompt,
            })
        }
    };
    match context.shared.engine.send_prompt(SendPrompt { session, text: message.text, begin }).await
    {
        Ok(sent) => {
            let ack = ServerMessage::Ack(Ack {
                message: "Processing prompt...".to_owned(),
                session_id: Some(session),
                ..Ack::default()
            });
            let reply = if sent.new_session {
                Reply::from(ready(session)).then(ack).after(Announced::Session(session))
            } else {
                ack.into()
            };
            context.subscribe_to(session, reply).await
        }
        Err(SendPromptError::Engine(EngineError::NoSession(_))) => error(
            Some(session),
            ErrorCode::SessionNotFound,
            format!("Session not found: {session}"),
        )
        .into(),
        Err(SendPromptError::Engine(failure)) => {
            refused(Some(session), code_of(&failure), &failure).into()
        }
        Err(failure) => refused(Some(session), ErrorCode::StartFailed, &failure).into(),
    }
}

/// The message that a session which the client has created can be subscribed to.
pub(super) fn ready(session_id: SessionId) -> ServerMessage {
    ServerMessage::SessionReady(SessionReady {
        session_id,
        message: "Session is ready for subscription".to_owned(),
    })
}

/// How many earlier messages are sent to a client that prompts in a session without being
/// subscribed to it. The app takes whatever it receives as the next message, and would miss those
/// it has not read yet.
const EARLIER_MESSAGES: u64 = 50;

impl RequestContext<'_> {
    /// Subscribes the client to a session, unless it is subscribed already: it has just started
    /// something there, and needs its messages. Those that were published meanwhile are queued in
    /// its inbox, and are skipped if it has them already.
    ///
    /// If that fails, the reply says so too; the client's request is carried out all the same.
    pub(super) async fn subscribe_to(&mut self, session: SessionId, reply: Reply) -> Reply {
        if self.client.subscriptions.contains(session) {
            return reply;
        }
        match self.shared.engine.read(move |store| store.session(session)).await {
            Ok(known) => {
                let from = known.map_or(0, |known| known.messages.saturating_sub(EARLIER_MESSAGES));
                self.client.subscriptions.insert(session, from);
                reply
            }
            Err(error) => reply.then(failed(Some(session), &error)),
        }
    }
}
