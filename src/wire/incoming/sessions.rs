//! The messages that name a session and little else, and those that are not for this server.

use super::connect::recent_sessions_limit;
use crate::run::SessionId;
use crate::wire::fields::{Fields, Refusal};

/// The wish to end whatever goes on in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KillSession {
    /// The session.
    pub session_id: SessionId,
}

impl KillSession {
    pub(super) fn read(fields: &mut Fields) -> Result<Self, Refusal> {
        Ok(Self { session_id: fields.required_session()? })
    }
}

/// The wish to hear of a session no longer. It is taken silently, whatever it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unsubscribe {
    /// The session, if it names one.
    pub session_id: Option<SessionId>,
}

impl Unsubscribe {
    pub(super) fn read(fields: &mut Fields) -> Self {
        Self { session_id: fields.session("session_id").ok().flatten() }
    }
}

/// The wish for the lists of sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefreshSessions {
    /// How many recent ones.
    pub recent_sessions_limit: u32,
}

impl RefreshSessions {
    pub(super) fn read(fields: &mut Fields) -> Self {
        Self { recent_sessions_limit: recent_sessions_limit(fields) }
    }
}

/// How large a message to the client may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetMaxMessageSize {
    /// In units of 1024 bytes.
    pub size_kb: u32,
}

impl SetMaxMessageSize {
    pub(super) fn read(fields: &mut Fields) -> Result<Self, Refusal> {
        let size_kb = fields.positive("size_kb")?.ok_or_else(|| fields.missing("size_kb"))?;
        Ok(Self { size_kb })
    }
}

/// What other servers of the same app do, and this one does not. The app waits for an answer all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotOurs {
    /// To shorten a session's conversation.
    CompactSession {
        /// The session, as the client wrote it.
        session: Option<String>,
    },
    /// To find a name for a session.
    InferSessionName {
        /// The session, as the client wrote it.
        session: Option<String>,
    },
    /// To run a command in a shell.
    ExecuteCommand {
        /// The command's id.
        command: Option<String>,
    },
    /// Which commands were run.
    GetCommandHistory,
    /// What a command has printed.
    GetCommandOutput,
    /// To make a worktree and a session in it.
    CreateWorktreeSession,
    /// To take a file.
    UploadFile,
    /// Which files there are.
    ListResources,
    /// To delete a file.
    DeleteResource,
    /// Which commands there are in a directory.
    SetDirectory {
        /// The directory, as the client wrote it.
        directory: Option<String>,
    },
    /// Which branch a directory is on.
    GetGitBranch {
        /// The directory, as the client wrote it.
        directory: Option<String>,
    },
}
