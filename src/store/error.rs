//! What can go wrong with remembering.

use std::path::PathBuf;

use super::holder::Holder;
use crate::recipe::advice;
use crate::run::{RunId, SessionId};
use crate::{Advise, Remedy};

/// Why something could not be written down or read back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The session has a run that goes on.
    #[error("session {session} is busy with run {holder}{}", advice(self))]
    Busy {
        /// The session.
        session: SessionId,
        /// The run that holds it.
        holder: RunId,
    },
    /// Somebody else has written about the run in the meantime.
    #[error("run {run} has moved on to event {found}, the writer knew {expected}{}", advice(self))]
    Stale {
        /// The run.
        run: RunId,
        /// What the writer knew.
        expected: u64,
        /// What is there.
        found: u64,
    },
    /// Somebody else has written about the session in the meantime.
    #[error("session {session} has had {found} commits, the writer knew {expected}{}", advice(self))]
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
    #[error("the data directory `{}` cannot be used: {why}{}", path.display(), advice(self))]
    Directory {
        /// The directory.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// A file of the store is a link.
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
        /// Who holds it, as far as is known.
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
    /// The file in the place of the store is another program's database.
    #[error("`{}` is the database of another program{}", path.display(), advice(self))]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// Another program keeps the database locked.
    #[error("the store is locked by another program{}", advice(self))]
    Locked,
    /// The disk, or the allotted part of it, is full.
    #[error("there is no room left for the store{}", advice(self))]
    Full,
    /// A row does not read as what it should be.
    #[error("the store holds something unreadable: {what}")]
    Unreadable {
        /// What it is, and what is wrong with it.
        what: String,
    },
    /// The file itself is damaged, and not just a row in it.
    #[error("the store holds something unreadable: {what}{}", advice(self))]
    Damaged {
        /// What is wrong with it.
        what: String,
    },
    /// Anything else.
    #[error("the store failed: {why}")]
    Failed {
        /// In the words of the database or the system.
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
            | Self::Unreadable { .. }
            | Self::Damaged { .. } => false,
        }
    }
}
