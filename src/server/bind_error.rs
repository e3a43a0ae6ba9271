//! What can keep a server from coming up.

use std::io::ErrorKind;
use std::net::SocketAddr;

use super::net::key::KeyError;
use crate::engine::EngineError;
use crate::recipe::advice;
use crate::store::StoreError;
use crate::{Advise, Remedy};

/// Why a server could not be brought up.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Something was not said that has no usual value.
    #[error("a server needs `{0}`: call that method of its builder")]
    Missing(&'static str),
    /// The address can be reached by others, and that was not allowed.
    #[error("{} can be reached from other machines{}", .0, advice(self))]
    NotLoopback(SocketAddr),
    /// The address cannot be listened at.
    #[error("cannot listen at {address}: {why}{}", advice(self))]
    Address {
        /// The address.
        address: SocketAddr,
        /// In the system's words.
        why: String,
        /// What to do about it.
        remedy: Remedy,
    },
    /// There is no key.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What an earlier server left cannot be taken up.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl Advise for BindError {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Missing(_) => None,
            Self::NotLoopback(_) => Some(Remedy::AllowLan),
            Self::Address { remedy, .. } => Some(remedy.clone()),
            Self::Key(error) => error.remedy(),
            Self::Store(error) => error.remedy(),
            Self::Engine(error) => error.remedy(),
        }
    }
}

impl BindError {
    /// An address that cannot be listened at, with what helps against this error.
    pub(crate) fn address(address: SocketAddr, error: &std::io::Error) -> Self {
        let remedy = match error.kind() {
            ErrorKind::AddrInUse => Remedy::OtherPort,
            ErrorKind::PermissionDenied => Remedy::HigherPort,
            _ => Remedy::OwnAddress,
        };
        Self::Address { address, why: error.to_string(), remedy }
    }
}
