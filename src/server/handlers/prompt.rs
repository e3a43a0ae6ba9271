//! `prompt`: a client has something to say to a session's agent.

use super::context::{RequestContext, code_of, error, failed, refused};
use super::reply::Reply;
use crate::engine::{Begin, EngineError, Say, SayError};
use crate::run::SessionId;
use crate::server::broadcast::convert;
use crate::server::broadcast::update::Announced;
use crate::wire::{Ack, ErrorCode, Prompt, PromptTo, ServerMessage, SessionReady};

pub(super) async fn handle(context: &mut RequestContext<'_>, message: Prompt) -> Reply {
    let session = message.to.session();
    let begin = match message.to {
        PromptTo::Known(_) => None,
        PromptTo::KnownOrNew { working_directory, provider, system_prompt, .. } => Some(Begin {
            directory: working_directory,
            provider: convert::agent_for(provider, &context.shared.agents),
            system_prompt,
        }),
    };
    match context.shared.engine.send_prompt(Say { session, text: message.text, begin }).await {
        Ok(said) => {
            let ack = ServerMessage::Ack(Ack {
                message: "Processing prompt...".to_owned(),
                session_id: Some(session),
                ..Ack::default()
            });
            let reply = if said.new_session {
                Reply::from(ready(session)).then(ack).behind(Announced::Session(session))
            } else {
                ack.into()
            };
            context.listen_to(session, reply).await
        }
        Err(SayError::Engine(EngineError::NoSession(_))) => {
            error(Some(session), ErrorCode::SessionNotFound, format!("Session not found: {session}")).into()
        }
        Err(SayError::Engine(failure)) => refused(Some(session), code_of(&failure), &failure).into(),
        Err(failure) => refused(Some(session), ErrorCode::StartFailed, &failure).into(),
    }
}

/// Says that a session that the client has begun can be subscribed to.
pub(super) fn ready(session_id: SessionId) -> ServerMessage {
    ServerMessage::SessionReady(SessionReady {
        session_id,
        message: "Session is ready for subscription".to_owned(),
    })
}

/// How much of a conversation is sent to a client that talks in it without having asked for it. The app takes whatever it is
/// sent as the next thing, and would miss what it has not read yet.
const MESSAGES_BEFORE: u64 = 50;

impl RequestContext<'_> {
    /// Has the client hear what is said in a session, if it does not do so already: it has just begun something there, and wants
    /// to know what comes of it. What was said by now waits in its inbox, and is found to be heard already.
    ///
    /// Where that fails, the reply says so too; what the client asked for is done all the same.
    pub(super) async fn listen_to(&mut self, session: SessionId, reply: Reply) -> Reply {
        if self.client.subscriptions.contains(session) {
            return reply;
        }
        match self.shared.engine.read(move |store| store.session(session)).await {
            Ok(known) => {
                let from = known.map_or(0, |known| known.messages.saturating_sub(MESSAGES_BEFORE));
                self.client.subscriptions.insert(session, from);
                reply
            }
            Err(error) => reply.then(failed(Some(session), &error)),
        }
    }
}
