//! What can go wrong with remembering.

use std::path::PathBuf;

use super::holder::Holder;
use crate::run::{RunId, SessionId};

/// Why something could not be written down or read back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The session has a run that goes on.
    #[error("session {session} is busy with run {holder}; exit that run first, or wait until it ends")]
    Busy {
        /// The session.
        session: SessionId,
        /// The run that holds it.
        holder: RunId,
    },
    /// Somebody else has written about the run in the meantime.
    #[error("run {run} has moved on to event {found}, the writer knew {expected}; read it again")]
    Stale {
        /// The run.
        run: RunId,
        /// What the writer knew.
        expected: u64,
        /// What is there.
        found: u64,
    },
    /// Somebody else has written about the session in the meantime.
    #[error("session {session} has had {found} commits, the writer knew {expected}; read it again")]
    StaleSession {
        /// The session.
        session: SessionId,
        /// What the writer knew.
        expected: u64,
        /// What is there.
        found: u64,
    },
    /// What a change is about is not there.
    #[error("there is no {kind} {id}")]
    Missing {
        /// What was looked for: `run`, `session`, `attempt`.
        kind: &'static str,
        /// Its id.
        id: String,
    },
    /// A change does not fit what is remembered: something named twice, or an event where it cannot happen.
    #[error("that contradicts what the store remembers: {what}")]
    Contradiction {
        /// What does not fit.
        what: String,
    },
    /// The data directory is none, or cannot be used.
    #[error("the data directory `{}` cannot be used: {why}; name another one, or put that right", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// A file of the store is a link.
    #[error(
        "`{}` is a link to `{}`, and no file of the data directory may be one; put the file itself in its place, or use another data directory",
        path.display(), target.display()
    )]
    Link {
        /// The link.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// A file of the store belongs to another user.
    #[error(
        "`{}` belongs to another user (uid {owner}); run as that user, or use another data directory",
        path.display()
    )]
    NotOwned {
        /// The file.
        path: PathBuf,
        /// That user.
        owner: u32,
    },
    /// Another server uses the data directory.
    #[error("the data directory `{}` is in use by {holder}; stop that server, or use another directory", path.display())]
    Held {
        /// The directory.
        path: PathBuf,
        /// Who holds it, as far as is known.
        holder: Holder,
    },
    /// Another server has taken over the store.
    #[error("another server has taken over the store; this one must stop writing")]
    TakenOver,
    /// The store was written by a later version.
    #[error(
        "the store `{}` has schema {found}, and this version knows {known} at most; use the newer surefire, or another data directory",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// The latest one known here.
        known: i64,
    },
    /// The file in the place of the store is another program's database.
    #[error("`{}` is the database of another program; move it away, or use another data directory", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// Another program keeps the database locked.
    #[error("the store is locked by another program; close it (a `sqlite3` shell?) and try again")]
    Locked,
    /// The disk, or the allotted part of it, is full.
    #[error("there is no room left for the store; make room on its disk, or raise its largest size")]
    Full,
    /// A row does not read as what it should be.
    #[error("the store holds something unreadable: {what}")]
    Unreadable {
        /// What it is, and what is wrong with it.
        what: String,
    },
    /// Anything else.
    #[error("the store failed: {why}")]
    Failed {
        /// In the words of the database or the system.
        why: String,
    },
}

impl StoreError {
    /// Whether another writer was first, or this one has written it before.
    ///
    /// ```
    /// use surefire::store::StoreError;
    ///
    /// let session = uuid::Uuid::from_u128(7).into();
    /// assert!(StoreError::StaleSession { session, expected: 3, found: 4 }.is_stale());
    /// assert!(!StoreError::Full.is_stale());
    /// ```
    #[must_use]
    pub const fn is_stale(&self) -> bool {
        matches!(self, Self::Stale { .. } | Self::StaleSession { .. })
    }

    /// Whether it may be otherwise in a moment, without anybody doing anything in between.
    pub(crate) const fn may_pass(&self) -> bool {
        match self {
            Self::Locked | Self::Full | Self::Failed { .. } => true,
            Self::Busy { .. }
            | Self::Stale { .. }
            | Self::StaleSession { .. }
            | Self::Missing { .. }
            | Self::Contradiction { .. }
            | Self::Directory { .. }
            | Self::Link { .. }
            | Self::NotOwned { .. }
            | Self::Held { .. }
            | Self::TakenOver
            | Self::Newer { .. }
            | Self::Foreign { .. }
            | Self::Unreadable { .. } => false,
        }
    }
}
