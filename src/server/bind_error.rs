//! What can keep a server from coming up.

use std::io::ErrorKind;
use std::net::SocketAddr;

use super::key::KeyError;
use crate::engine::EngineError;
use crate::store::StoreError;

/// Why a server could not be brought up.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Something was not said that has no usual value.
    #[error("a server needs `{0}`: call that method of its builder")]
    Missing(&'static str),
    /// The address can be reached by others, and that was not allowed.
    #[error("{0} can be reached from other machines; allow that with --lan, or listen at 127.0.0.1")]
    NotLoopback(SocketAddr),
    /// The address cannot be listened at.
    #[error("cannot listen at {address}: {why}; {fix}")]
    Address {
        /// The address.
        address: SocketAddr,
        /// In the system's words.
        why: String,
        /// What to do about it.
        fix: &'static str,
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

impl BindError {
    /// An address that cannot be listened at, with what helps against this error.
    pub(crate) fn address(address: SocketAddr, error: &std::io::Error) -> Self {
        let fix = match error.kind() {
            ErrorKind::AddrInUse => "stop whatever listens there, or choose another port with --listen",
            ErrorKind::PermissionDenied => "choose a port above 1023 with --listen",
            _ => "choose an address of this machine with --listen",
        };
        Self::Address { address, why: error.to_string(), fix }
    }
}
