//! What every handler has before it, and the ways to say no.

use std::path::Path;

use crate::Advise;
use crate::engine::EngineError;
use crate::run::SessionId;
use crate::server::shared::Shared;
use crate::server::socket::client::Client;
use crate::server::socket::replies::Replies;
use crate::wire::{ErrorCode, ErrorMessage, ServerMessage, cut};

/// How many bytes the words about a refused wish may have. They repeat what the client said, and others hear them as well.
pub(super) const WORDS: usize = 1000;

/// What a handler has before it.
pub(in crate::server) struct Desk<'d> {
    pub(in crate::server) shared: &'d Shared,
    pub(in crate::server) client: &'d mut Client,
    pub(in crate::server) replies: &'d mut Replies,
}

impl Desk<'_> {
    pub(super) fn say(&mut self, message: &ServerMessage) {
        self.replies.say(message);
    }

    /// Says that something about a session went wrong.
    pub(super) fn error(&mut self, session: Option<SessionId>, code: ErrorCode, message: impl Into<String>) {
        self.say(&error(session, code, message));
    }

    /// Makes a directory one of the roots, if this client may do that. What is wrong with it is found out when it is used.
    pub(super) fn add_root(&self, directory: &Path) {
        if let (Some(roots), true) = (&self.shared.growing_roots, self.client.same_user)
            // By its real path: where a link leads may change.
            && let Ok(directory) = directory.canonicalize()
        {
            roots.allow(directory);
        }
    }

    /// Says why something about a session was refused.
    pub(super) fn refused(&mut self, session: Option<SessionId>, code: ErrorCode, why: &impl Advise) {
        self.say(&refusal(session, code, why));
    }

    /// Says that the engine could not do something.
    pub(super) fn failed(&mut self, session: Option<SessionId>, failure: &EngineError) {
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

pub(super) fn refusal(session_id: Option<SessionId>, code: ErrorCode, why: &impl Advise) -> ServerMessage {
    let error = ErrorMessage::about(why);
    let message = cut(&error.message, WORDS);
    ServerMessage::Error(ErrorMessage { message, code: Some(code), session_id, ..error })
}

pub(super) fn code_of(failure: &EngineError) -> ErrorCode {
    match failure {
        EngineError::NoRun(_) => ErrorCode::RunNotFound,
        EngineError::NoSession(_) => ErrorCode::SessionNotFound,
        EngineError::ShuttingDown => ErrorCode::ShuttingDown,
        EngineError::Overloaded(_) => ErrorCode::RateLimited,
        EngineError::Store(_) | EngineError::Broken(_) => ErrorCode::Internal,
    }
}
