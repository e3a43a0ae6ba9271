//! What is done about each message of a client: one file each.

pub(super) mod connect;
mod exit_recipe;
mod get_available_recipes;
mod kill_session;
mod not_ours;
mod prompt;
mod prune_runs;
mod prune_sessions;
mod refresh_sessions;
mod resume_run;
mod set_max_message_size;
mod set_orchestration;
mod start_recipe;
mod subscribe;
mod unsubscribe;

use std::path::Path;

use super::client::Client;
use super::replies::Replies;
use super::shared::Shared;
use crate::Advise;
use crate::engine::EngineError;
use crate::run::SessionId;
use crate::wire::{ClientMessage, ErrorCode, ErrorMessage, ServerMessage, cut};

/// How many bytes the words about a refused wish may have. They repeat what the client said, and others hear them as well.
const WORDS: usize = 1000;

/// What a handler has before it.
pub(super) struct Desk<'d> {
    pub(super) shared: &'d Shared,
    pub(super) client: &'d mut Client,
    pub(super) replies: &'d mut Replies,
}

impl Desk<'_> {
    fn say(&mut self, message: &ServerMessage) {
        self.replies.say(message);
    }

    /// Says that something about a session went wrong.
    fn error(&mut self, session: Option<SessionId>, code: ErrorCode, message: impl Into<String>) {
        self.say(&error(session, code, message));
    }

    /// Makes a directory one of the roots, if this client may do that. What is wrong with it is found out when it is used.
    fn add_root(&self, directory: &Path) {
        if let (Some(roots), true) = (&self.shared.growing_roots, self.client.same_user)
            // By its real path: where a link leads may change.
            && let Ok(directory) = directory.canonicalize()
        {
            roots.allow(directory);
        }
    }

    /// Says why something about a session was refused.
    fn refused(&mut self, session: Option<SessionId>, code: ErrorCode, why: &impl Advise) {
        self.say(&refusal(session, code, why));
    }

    /// Says that the engine could not do something.
    fn failed(&mut self, session: Option<SessionId>, failure: &EngineError) {
        self.refused(session, code_of(failure), failure);
    }
}

fn error(session_id: Option<SessionId>, code: ErrorCode, message: impl Into<String>) -> ServerMessage {
    ServerMessage::Error(ErrorMessage {
        message: message.into(),
        code: Some(code),
        session_id,
        ..ErrorMessage::default()
    })
}

fn refusal(session_id: Option<SessionId>, code: ErrorCode, why: &impl Advise) -> ServerMessage {
    let error = ErrorMessage::about(why);
    let message = cut(&error.message, WORDS);
    ServerMessage::Error(ErrorMessage { message, code: Some(code), session_id, ..error })
}

fn code_of(failure: &EngineError) -> ErrorCode {
    match failure {
        EngineError::NoRun(_) => ErrorCode::RunNotFound,
        EngineError::NoSession(_) => ErrorCode::SessionNotFound,
        EngineError::ShuttingDown => ErrorCode::ShuttingDown,
        EngineError::Overloaded(_) => ErrorCode::RateLimited,
        EngineError::Store(_) | EngineError::Broken(_) => ErrorCode::Internal,
    }
}

/// Hands a message to whoever handles it.
pub(super) async fn handle(desk: &mut Desk<'_>, message: ClientMessage) {
    match message {
        // The first two were answered before anybody had to be known, and the third needs no answer.
        ClientMessage::Connect(_) | ClientMessage::Ping | ClientMessage::MessageAck => {}
        ClientMessage::GetAvailableRecipes => get_available_recipes::handle(desk).await,
        ClientMessage::StartRecipe(message) => start_recipe::handle(desk, message).await,
        ClientMessage::ResumeRun(message) => resume_run::handle(desk, message).await,
        ClientMessage::ExitRecipe(message) => exit_recipe::handle(desk, message).await,
        ClientMessage::PruneRuns(message) => prune_runs::handle(desk, message).await,
        ClientMessage::PruneSessions(message) => prune_sessions::handle(desk, message).await,
        ClientMessage::SetOrchestration(message) => set_orchestration::handle(desk, message).await,
        ClientMessage::Prompt(message) => prompt::handle(desk, message).await,
        ClientMessage::Subscribe(message) => subscribe::handle(desk, message).await,
        ClientMessage::Unsubscribe(message) | ClientMessage::SessionDeleted(message) => {
            unsubscribe::handle(desk, message);
        }
        ClientMessage::SetMaxMessageSize(message) => set_max_message_size::handle(desk, message),
        ClientMessage::RefreshSessions(message) => refresh_sessions::handle(desk, message).await,
        ClientMessage::KillSession(message) => kill_session::handle(desk, message).await,
        ClientMessage::NotOurs(message) => not_ours::handle(desk, message),
    }
}
