//! Errors of a store.

use std::path::PathBuf;

use super::holder::Holder;
use crate::recipe::advice;
use crate::run::{RunId, SessionId};
use crate::{Advise, Remedy};

/// Why a store could not be written or read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The session has an open run.
    #[error("session {session} is busy with run {holder}{}", advice(self))]
    Busy {
        /// The session.
        session: SessionId,
        /// The run that holds it.
        holder: RunId,
    },
    /// Another writer has appended to the run meanwhile.
    #[error("run {run} has moved on to event {found}, the writer knew {expected}{}", advice(self))]
    Stale {
        /// The run.
        run: RunId,
        /// What the writer expected.
        expected: u64,
        /// What the store has.
        found: u64,
    },
    /// Another writer has changed the session meanwhile.
    #[error(
        "session {session} has had {found} commits, the writer knew {expected}{}",
        advice(self)
    )]
    StaleSession {
        /// The session.
        session: SessionId,
        /// What the writer expected.
        expected: u64,
        /// What the store has.
        found: u64,
    },
    /// The subject of a change does not exist.
    #[error("there is no {kind} {id}")]
    Missing {
        /// Its kind: `run`, `session`, `attempt`.
        kind: &'static str,
        /// Its id.
        id: String,
    },
    /// A change contradicts the store: a duplicate id, or an event that cannot happen now.
    #[error("the commit contradicts the store: {what}")]
    Contradiction {
        /// The contradiction.
        what: String,
    },
    /// The data directory is not a directory, or cannot be used.
    #[error("the data directory `{}` cannot be used: {why}{}", path.display(), advice(self))]
    Directory {
        /// The directory.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// A file of the store is a symbolic link.
    #[error(
        "`{}` is a link to `{}`, and no file of the data directory may be one{}",
        path.display(), target.display(), advice(self)
    )]
    Link {
        /// The link.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// A file of the store belongs to another user.
    #[error("`{}` belongs to another user (uid {owner}){}", path.display(), advice(self))]
    NotOwned {
        /// The file.
        path: PathBuf,
        /// That user.
        owner: u32,
    },
    /// Another server uses the data directory.
    #[error("the data directory `{}` is in use by {holder}{}", path.display(), advice(self))]
    Held {
        /// The directory.
        path: PathBuf,
        /// The holder, as far as it is known.
        holder: Holder,
    },
    /// Another server has taken over the store.
    #[error("another server has taken over the store{}", advice(self))]
    TakenOver,
    /// The store was written by a later version.
    #[error(
        "the store `{}` has schema {found}, and this version knows {known} at most{}",
        path.display(),
        advice(self)
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// The latest one known here.
        known: i64,
    },
    /// The store's file is the database of another program.
    #[error("`{}` is the database of another program{}", path.display(), advice(self))]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// Another program keeps the database locked.
    #[error("the store is locked by another program{}", advice(self))]
    Locked,
    /// The disk or its quota is full.
    #[error("there is no room left for the store{}", advice(self))]
    Full,
    /// A row cannot be decoded.
    #[error("the store holds something unreadable: {what}")]
    Unreadable {
        /// The row, and what is wrong with it.
        what: String,
    },
    /// The file itself is damaged, not just a row.
    #[error("the store holds something unreadable: {what}{}", advice(self))]
    Damaged {
        /// What is wrong with it.
        what: String,
    },
    /// Anything else.
    #[error("the store failed: {why}")]
    Failed {
        /// The message of the database or the system.
        why: String,
    },
}

impl Advise for StoreError {
    fn remedy(&self) -> Option<Remedy> {
        Some(match self {
            Self::Busy { .. } => Remedy::ExitOtherFirst,
            Self::Stale { .. } | Self::StaleSession { .. } => Remedy::ReadAgain,
            Self::Directory { .. } => Remedy::OtherDirectory,
            Self::Link { .. } => Remedy::ReplaceLink,
            Self::NotOwned { .. } => Remedy::RunAsOwner,
            Self::Held { .. } => Remedy::StopServer,
            Self::TakenOver => Remedy::StopWriting,
            Self::Newer { .. } => Remedy::NewerSurefire,
            Self::Foreign { .. } => Remedy::MoveAway,
            Self::Locked => Remedy::CloseOther,
            Self::Full => Remedy::FreeSpace,
            Self::Damaged { .. } => Remedy::Restart,
            Self::Missing { .. }
            | Self::Contradiction { .. }
            | Self::Unreadable { .. }
            | Self::Failed { .. } => return None,
        })
    }
}

impl StoreError {
    /// Whether another writer was first, or this commit was applied before.
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

    /// Whether the error is transient, so that retrying may succeed.
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
            | Self::Unreadable { .. }
            | Self::Damaged { .. } => false,
        }
    }
}
