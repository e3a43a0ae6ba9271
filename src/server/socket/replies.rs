//! What is about to be sent to one client.

use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::engine::EngineError;
use crate::server::broadcast::update::{Frame, frame};
use crate::wire::{ErrorCode, ErrorMessage, ServerMessage, fit};

/// How many frames are sent together, at most, and from how many bytes on no more are collected. What is collected here is
/// counted nowhere else.
const TOGETHER: usize = 32;
const TOGETHER_BYTES: usize = 64 * 1024;

/// Frames for one client, in order, each as small as the client wants it.
#[derive(Debug)]
pub(in crate::server) struct Replies {
    frames: Vec<Frame>,
    bytes: usize,
    /// Every frame has fewer bytes than this.
    pub(in crate::server) limit: usize,
    /// Set when the socket is to be closed after these.
    pub(in crate::server) leaving: Option<Leaving>,
}

/// Why a socket is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) struct Leaving {
    pub(in crate::server) code: CloseCode,
    pub(in crate::server) why: &'static str,
}

impl Leaving {
    pub(in crate::server) const STOPPING: Self = Self { code: CloseCode::Away, why: "the server stops" };
    pub(in crate::server) const NOT_AUTHENTICATED: Self =
        Self { code: CloseCode::Policy, why: "not authenticated" };
    pub(in crate::server) const NOT_IN_TIME: Self =
        Self { code: CloseCode::Policy, why: "not authenticated in time" };
    pub(in crate::server) const DISPLACED: Self =
        Self { code: CloseCode::Again, why: "not authenticated, and others wait" };
    pub(in crate::server) const FULL: Self =
        Self { code: CloseCode::Again, why: "the server has all the clients it allows" };
    pub(in crate::server) const TOO_OLD: Self = Self { code: CloseCode::Policy, why: "client too old" };
    pub(in crate::server) const TOO_MUCH: Self = Self { code: CloseCode::Policy, why: "too many messages" };
    pub(in crate::server) const TOO_LARGE: Self = Self { code: CloseCode::Size, why: "message too large" };
    pub(in crate::server) const TOO_SLOW: Self =
        Self { code: CloseCode::Again, why: "client reads too slowly" };
    pub(in crate::server) const BROKEN: Self =
        Self { code: CloseCode::Protocol, why: "not a WebSocket message" };
    pub(in crate::server) const SILENT: Self =
        Self { code: CloseCode::Away, why: "nothing was heard of the client" };
    pub(in crate::server) const BYE: Self = Self { code: CloseCode::Normal, why: "" };
}

impl Replies {
    pub(in crate::server) fn new(limit: usize) -> Self {
        Self { frames: Vec::new(), bytes: 0, limit, leaving: None }
    }

    pub(in crate::server) fn say(&mut self, message: &ServerMessage) {
        self.put(frame(message));
    }

    pub(in crate::server) fn put(&mut self, frame: Frame) {
        if frame.len() < self.limit {
            self.push(frame);
        } else if let Some(smaller) = fit(&frame, self.limit) {
            self.push(smaller.into());
        } else {
            tracing::warn!(
                limit = self.limit,
                size = frame.len(),
                "a message is larger than the client allows, and cannot be cut"
            );
        }
    }

    fn push(&mut self, frame: Frame) {
        self.bytes += frame.len();
        self.frames.push(frame);
    }

    /// Whether these should be sent before there are more.
    pub(in crate::server) fn are_enough(&self) -> bool {
        self.frames.len() >= TOGETHER || self.bytes >= TOGETHER_BYTES
    }

    /// Whether there is something to be sent, and more may be said before that.
    pub(in crate::server) fn can_wait(&self) -> bool {
        !self.frames.is_empty() && !self.are_enough() && self.leaving.is_none()
    }

    pub(in crate::server) fn error(&mut self, code: ErrorCode, message: impl Into<String>) {
        let error = ErrorMessage { message: message.into(), code: Some(code), ..ErrorMessage::default() };
        self.say(&ServerMessage::Error(error));
    }

    pub(in crate::server) fn leave(&mut self, leaving: Leaving) {
        self.leaving.get_or_insert(leaving);
    }

    pub(in crate::server) fn take(&mut self) -> Vec<Frame> {
        self.bytes = 0;
        std::mem::take(&mut self.frames)
    }
}

/// Says that the engine could not do something.
pub(in crate::server) fn failure(failure: &EngineError) -> ServerMessage {
    ServerMessage::Error(ErrorMessage { code: Some(ErrorCode::Internal), ..ErrorMessage::about(failure) })
}
