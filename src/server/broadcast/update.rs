//! What clients are told, and to whom it goes.

use std::sync::Arc;

use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::run::{RunId, SessionId};
use crate::wire::{RecentSession, ServerMessage};

/// The text of a message, written once and sent to many.
pub(in crate::server) type Frame = Utf8Bytes;

pub(in crate::server) fn frame(message: &ServerMessage) -> Frame {
    message.to_json().into()
}

/// Names a client, as long as it is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::server) struct ClientId(pub(in crate::server) u64);

/// Something that clients are told.
#[derive(Debug, Clone)]
pub(in crate::server) enum Update {
    /// A message, and what it means.
    Told(Frame, Meaning),
    /// A session is new. Each client is also told of the recent ones, as many as it wants.
    Began { frame: Frame, recent: Arc<[RecentSession]> },
    /// Something was said in a session, for those who want to hear it.
    Said(Arc<Spoken>),
    /// What agents work on has changed, for those who want to know.
    Work(Frame),
    /// How a run is shown has changed, for those who want to be sent it.
    View(Frame),
    /// What belongs to the beginning of a run or a session has been told. Nothing is sent for it: it is the place behind which
    /// the client that asked for it is answered.
    Announced(Announced),
    /// Something may be missing: the lists and the conversations have to be read again.
    Missed,
}

/// What has been told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum Announced {
    /// That this run was started or resumed; or, for one that could not be, that it ended.
    Run(RunId),
    /// That this session is new.
    Session(SessionId),
}

/// What a message means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum Meaning {
    /// A run is at a step.
    Started,
    /// A run has ended, or there was none.
    Exited,
    /// Anything else.
    Other,
}

/// Something said, ready to be sent as it is to a client that heard everything before it.
#[derive(Debug)]
pub(in crate::server) struct Spoken {
    pub(in crate::server) session: SessionId,
    pub(in crate::server) offset: u64,
    pub(in crate::server) frame: Frame,
}

/// Whom something is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum Audience {
    Everybody,
    Only(ClientId),
}

impl Update {
    pub(super) fn meaning(&self) -> Meaning {
        match self {
            Self::Told(_, meaning) => *meaning,
            Self::Began { .. }
            | Self::Said(_)
            | Self::Work(_)
            | Self::View(_)
            | Self::Announced(_)
            | Self::Missed => Meaning::Other,
        }
    }

    pub(super) fn size(&self) -> usize {
        match self {
            Self::Told(frame, _) | Self::Began { frame, .. } | Self::Work(frame) | Self::View(frame) => {
                frame.len()
            }
            Self::Said(spoken) => spoken.frame.len(),
            Self::Announced(_) | Self::Missed => 0,
        }
    }
}
