//! What is published to clients, and which clients get it.

use std::sync::Arc;

use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::run::{RunId, SessionId};
use crate::wire::{RecentSession, ServerMessage};

/// The text of a message, serialized once and sent to many.
pub(in crate::server) type Frame = Utf8Bytes;

pub(in crate::server) fn frame(message: &ServerMessage) -> Frame {
    message.to_json().into()
}

/// Identifies a client while it is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::server) struct ClientId(pub(in crate::server) u64);

/// An update for clients.
#[derive(Debug, Clone)]
pub(in crate::server) enum ClientUpdate {
    /// A message, and its kind.
    Message(Frame, FrameKind),
    /// A session is new. Each client is also sent the recent ones, as many as it asked for.
    SessionCreated { frame: Frame, recent: Arc<[RecentSession]> },
    /// A message was added to a conversation, for subscribed clients.
    Conversation(Arc<ConversationUpdate>),
    /// What agents work on has changed, for clients that announced `work`.
    Work(Frame),
    /// A run's view has changed, for clients that announced `view`.
    View(Frame),
    /// The start of a run or a session has been published. Nothing is sent for it: it marks the
    /// point after which the requesting client gets its reply.
    Announced(Announced),
    /// Something may be missing: the lists and the conversations have to be read again.
    Lagged,
}

/// What has been published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum Announced {
    /// That this run was started or resumed; or, for one that could not be, that it ended.
    Run(RunId),
    /// That this session is new.
    Session(SessionId),
}

/// What a message means to the app.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum FrameKind {
    /// A run is at a step.
    Started,
    /// A run has ended, or there was none.
    Exited,
    /// Anything else.
    Other,
}

/// A message, ready for clients that have everything before it.
#[derive(Debug)]
pub(in crate::server) struct ConversationUpdate {
    pub(in crate::server) session: SessionId,
    pub(in crate::server) offset: u64,
    pub(in crate::server) frame: Frame,
}

/// Which clients get an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum Audience {
    All,
    Only(ClientId),
}

impl ClientUpdate {
    pub(super) fn kind(&self) -> FrameKind {
        match self {
            Self::Message(_, kind) => *kind,
            Self::SessionCreated { .. }
            | Self::Conversation(_)
            | Self::Work(_)
            | Self::View(_)
            | Self::Announced(_)
            | Self::Lagged => FrameKind::Other,
        }
    }

    pub(super) fn size(&self) -> usize {
        match self {
            Self::Message(frame, _)
            | Self::SessionCreated { frame, .. }
            | Self::Work(frame)
            | Self::View(frame) => frame.len(),
            Self::Conversation(update) => update.frame.len(),
            Self::Announced(_) | Self::Lagged => 0,
        }
    }
}
