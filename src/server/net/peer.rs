//! The other side of a connection.

use std::net::IpAddr;

/// Who makes a request, as far as the connection tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) struct Peer {
    pub(in crate::server) address: IpAddr,
    /// Whether it is a process of the user whom the server belongs to, on the same machine.
    pub(in crate::server) same_user: bool,
}
