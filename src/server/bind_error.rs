//! Why a server could not start.

use std::io::ErrorKind;
use std::net::SocketAddr;

use super::net::key::KeyError;
use crate::engine::EngineError;
use crate::recipe::advice;
use crate::store::StoreError;
use crate::{Advise, Remedy};

/// Why a server could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// A required setting is missing.
    #[error("a server needs `{0}`: call that method of its builder")]
    Missing(&'static str),
    /// The address can be reached from other machines, and that was not allowed.
    #[error("{} can be reached from other machines{}", .0, advice(self))]
    NotLoopback(SocketAddr),
    /// The server cannot listen at the address.
    #[error("cannot listen at {address}: {why}{}", advice(self))]
    Address {
        /// The address.
        address: SocketAddr,
        /// The system's error message.
        why: String,
        /// What to do about it.
        remedy: Remedy,
    },
    /// The key cannot be used.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The state that an earlier server left cannot be recovered.
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
    /// The error for an address that the server cannot listen at, with its remedy.
    pub(crate) fn address(address: SocketAddr, error: &std::io::Error) -> Self {
        let remedy = match error.kind() {
            ErrorKind::AddrInUse => Remedy::OtherPort,
            ErrorKind::PermissionDenied => Remedy::HigherPort,
            _ => Remedy::OwnAddress,
        };
        Self::Address { address, why: error.to_string(), remedy }
    }
}
