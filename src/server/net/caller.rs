//! The client of a WebSocket.

use super::peer::Peer;
use super::widening::MayWiden;

/// The client of a WebSocket, as known from the upgrade request.
pub(in crate::server) struct Caller {
    pub(in crate::server) peer: Peer,
    pub(in crate::server) may_widen: Option<MayWiden>,
    /// The cookies, if the request came from a page of this server.
    pub(in crate::server) cookies: Option<String>,
}
