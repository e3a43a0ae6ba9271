//! What can go wrong between a client and a server.

use crate::wire::{ErrorMessage, RecipeExited};

/// What can go wrong between a client and a server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// No server is there, or it does not answer.
    #[error("the server cannot be reached: {0}")]
    Unreachable(String),
    /// The connection has ended. The server may have carried out the request all the same.
    #[error("the connection to the server was closed")]
    Closed,
    /// The server rejected the key.
    #[error("the server does not take this key")]
    WrongKey,
    /// The server refused a request, and says why.
    #[error("{}", .0.message)]
    Refused(Box<ErrorMessage>),
    /// The server could not start a run, and published that to all clients as the end of one.
    #[error("{}", .error.message)]
    NotStarted {
        /// Why.
        error: Box<ErrorMessage>,
        /// The end that the server published to all clients.
        exited: Box<RecipeExited>,
    },
    /// The server is older than request ids, and its answers cannot be matched to requests.
    #[error("the server is too old for this client; restart it with the current version")]
    ServerTooOld,
    /// The server's answer cannot be understood.
    #[error("the server's answer cannot be understood: {0}")]
    Unexpected(String),
    /// Runs were deleted while they were listed page by page.
    #[error("a run was deleted while the list was read; try again")]
    ListChanged,
    /// More messages arrived than the client buffers while a request waits for its answer.
    #[error("too many messages came while an answer was waited for")]
    TooManyMessages,
}
