//! The other side of a connection.

use std::net::IpAddr;

/// The peer of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) struct Peer {
    pub(in crate::server) address: IpAddr,
    /// Whether it is a process of the server's own user, on the same machine.
    pub(in crate::server) same_user: bool,
}
