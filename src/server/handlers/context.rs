//! What every handler works with, and how it reports errors.

use std::path::Path;

use crate::Advise;
use crate::engine::EngineError;
use crate::run::SessionId;
use crate::server::shared::Shared;
use crate::server::socket::client::Client;
use crate::wire::{ErrorCode, ErrorMessage, ServerMessage, cut};

/// How many bytes the error of a refused request may have. It repeats the client's input, and other
/// clients receive it too.
pub(super) const MAX_ERROR_BYTES: usize = 1000;

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
    /// Makes a directory one of the roots, if this client may do that. An invalid directory is
    /// reported when it is used.
    pub(super) fn add_root(&self, directory: &Path) {
        if let (Some(roots), true) = (&self.shared.growing_roots, self.client.same_user)
            // By its real path, because the target of a link may change.
            && let Ok(directory) = directory.canonicalize()
        {
            roots.allow(directory);
        }
    }
}

/// An error about a session.
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

/// An error that says why a request about a session was refused.
pub(super) fn refused(
    session_id: Option<SessionId>,
    code: ErrorCode,
    why: &impl Advise,
) -> ServerMessage {
    ServerMessage::Error(refusal(session_id, code, why))
}

/// The same, for handlers that add fields to it.
pub(super) fn refusal(
    session_id: Option<SessionId>,
    code: ErrorCode,
    why: &impl Advise,
) -> ErrorMessage {
    let error = ErrorMessage::about(why);
    let message = cut(&error.message, MAX_ERROR_BYTES);
    ErrorMessage { message, code: Some(code), session_id, ..error }
}

/// An error for a request that the engine failed to carry out.
pub(super) fn failed(session: Option<SessionId>, failure: &EngineError) -> ServerMessage {
    refused(session, code_of(failure), failure)
}

pub(super) fn code_of(failure: &EngineError) -> ErrorCode {
    match failure {
        EngineError::NoRun(_) => ErrorCode::RunNotFound,
        EngineError::NoSession(_) => ErrorCode::SessionNotFound,
        EngineError::ShuttingDown => ErrorCode::ShuttingDown,
        EngineError::Overloaded(_) => ErrorCode::RateLimited,
        EngineError::Store(_) | EngineError::Bug(_) => ErrorCode::Internal,
    }
}
