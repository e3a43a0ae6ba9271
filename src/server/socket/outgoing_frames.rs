//! The frames queued for one client.

use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::engine::EngineError;
use crate::server::broadcast::update::{Frame, frame};
use crate::wire::{ErrorCode, ErrorMessage, ServerMessage, shrink_to_fit};

/// How many frames are sent together at most, and from how many bytes on no more are collected.
/// Frames collected here count towards no other limit.
const MAX_BATCH_FRAMES: usize = 32;
const MAX_BATCH_BYTES: usize = 64 * 1024;

/// Frames for one client, in order, each within the client's size limit.
#[derive(Debug)]
pub(in crate::server) struct OutgoingFrames {
    frames: Vec<Frame>,
    bytes: usize,
    /// Every frame has fewer bytes than this.
    pub(in crate::server) limit: usize,
    /// Set when the socket is to be closed after these frames.
    pub(in crate::server) close_reason: Option<CloseReason>,
}

/// Why a socket is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) struct CloseReason {
    pub(in crate::server) code: CloseCode,
    pub(in crate::server) why: &'static str,
}

impl CloseReason {
    pub(in crate::server) const STOPPING: Self =
        Self { code: CloseCode::Away, why: "the server stops" };
    pub(in crate::server) const NOT_AUTHENTICATED: Self =
        Self { code: CloseCode::Policy, why: "not authenticated" };
    pub(in crate::server) const NOT_IN_TIME: Self =
        Self { code: CloseCode::Policy, why: "not authenticated in time" };
    pub(in crate::server) const DISPLACED: Self =
        Self { code: CloseCode::Again, why: "not authenticated, and others wait" };
    pub(in crate::server) const FULL: Self =
        Self { code: CloseCode::Again, why: "the server is at its client limit" };
    pub(in crate::server) const TOO_OLD: Self =
        Self { code: CloseCode::Policy, why: "client too old" };
    pub(in crate::server) const TOO_MUCH: Self =
        Self { code: CloseCode::Policy, why: "too many messages" };
    pub(in crate::server) const TOO_LARGE: Self =
        Self { code: CloseCode::Size, why: "message too large" };
    pub(in crate::server) const TOO_SLOW: Self =
        Self { code: CloseCode::Again, why: "client reads too slowly" };
    pub(in crate::server) const BROKEN: Self =
        Self { code: CloseCode::Protocol, why: "not a WebSocket message" };
    pub(in crate::server) const SILENT: Self =
        Self { code: CloseCode::Away, why: "the client sent nothing for too long" };
    pub(in crate::server) const BYE: Self = Self { code: CloseCode::Normal, why: "" };
}

impl OutgoingFrames {
    pub(in crate::server) fn new(limit: usize) -> Self {
        Self { frames: Vec::new(), bytes: 0, limit, close_reason: None }
    }

    pub(in crate::server) fn queue(&mut self, message: &ServerMessage) {
        self.queue_frame(frame(message));
    }

    pub(in crate::server) fn queue_frame(&mut self, frame: Frame) {
        if frame.len() < self.limit {
            self.push(frame);
        } else if let Some(smaller) = shrink_to_fit(&frame, self.limit) {
            self.push(smaller.into());
        } else {
            tracing::warn!(
                limit = self.limit,
                size = frame.len(),
                "dropped message: larger than the client allows, and cannot be cut"
            );
        }
    }

    fn push(&mut self, frame: Frame) {
        self.bytes += frame.len();
        self.frames.push(frame);
    }

    /// Whether these should be sent before more are collected.
    pub(in crate::server) fn is_full(&self) -> bool {
        self.frames.len() >= MAX_BATCH_FRAMES || self.bytes >= MAX_BATCH_BYTES
    }

    /// Whether there are frames to send, and more may be collected before that.
    pub(in crate::server) fn may_collect(&self) -> bool {
        !self.frames.is_empty() && !self.is_full() && self.close_reason.is_none()
    }

    pub(in crate::server) fn error(&mut self, code: ErrorCode, message: impl Into<String>) {
        let error =
            ErrorMessage { message: message.into(), code: Some(code), ..ErrorMessage::default() };
        self.queue(&ServerMessage::Error(error));
    }

    pub(in crate::server) fn close(&mut self, close_reason: CloseReason) {
        self.close_reason.get_or_insert(close_reason);
    }

    pub(in crate::server) fn take(&mut self) -> Vec<Frame> {
        self.bytes = 0;
        std::mem::take(&mut self.frames)
    }
}

/// The error for something that the engine failed to do.
pub(in crate::server) fn failure(failure: &EngineError) -> ServerMessage {
    ServerMessage::Error(ErrorMessage {
        code: Some(ErrorCode::Internal),
        ..ErrorMessage::about(failure)
    })
}
