//! What every handler works with, and the ways to say no.

use std::path::Path;

use crate::Advise;
use crate::engine::EngineError;
use crate::run::SessionId;
use crate::server::shared::Shared;
use crate::server::socket::client::Client;
use crate::wire::{ErrorCode, ErrorMessage, ServerMessage, cut};

/// How many bytes the words about a refused request may have. They repeat what the client said, and others hear them too.
pub(super) const MAX_WORDS_BYTES: usize = 1000;

/// What a handler works with.
pub(in crate::server) struct RequestContext<'c> {
    pub(in crate::server) shared: &'c Shared,
    pub(in crate::server) client: &'c mut Client,
    /// Every frame to the client has fewer bytes than this.
    pub(in crate::server) max_frame_bytes: &'c mut usize,
    /// Whether the request has an id, and so gets an `ack` or an `error`.
    pub(in crate::server) has_id: bool,
}

impl RequestContext<'_> {
    /// Makes a directory one of the roots, if this client may do that. What is wrong with it is found out when it is used.
    pub(super) fn add_root(&self, directory: &Path) {
        if let (Some(roots), true) = (&self.shared.growing_roots, self.client.same_user)
            // By its real path: where a link leads may change.
            && let Ok(directory) = directory.canonicalize()
        {
            roots.allow(directory);
        }
    }
}

/// Says that something about a session went wrong.
pub(super) fn error(
    session_id: Option<SessionId>,
    code: ErrorCode,
    message: impl Into<String>,
) -> ServerMessage {
    ServerMessage::Error(ErrorMessage {
        message: message.into(),
        code: Some(code),
        session_id,
        ..ErrorMessage::default()
    })
}

/// Says why something about a session was refused.
pub(super) fn refused(session_id: Option<SessionId>, code: ErrorCode, why: &impl Advise) -> ServerMessage {
    ServerMessage::Error(refusal(session_id, code, why))
}

/// The same, for one who has more to say about it.
pub(super) fn refusal(session_id: Option<SessionId>, code: ErrorCode, why: &impl Advise) -> ErrorMessage {
    let error = ErrorMessage::about(why);
    let message = cut(&error.message, MAX_WORDS_BYTES);
    ErrorMessage { message, code: Some(code), session_id, ..error }
}

/// Says that the engine could not do something.
pub(super) fn failed(session: Option<SessionId>, failure: &EngineError) -> ServerMessage {
    refused(session, code_of(failure), failure)
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
