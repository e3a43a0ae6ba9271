//! The other side of a connection.

use std::net::IpAddr;

/// Who makes a request, as far as the connection tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Peer {
    pub(super) address: IpAddr,
    /// Whether it is a process of the user whom the server belongs to, on the same machine.
    pub(super) same_user: bool,
}
