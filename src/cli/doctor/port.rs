//! Checks whether a server could listen at its address.

use std::io::ErrorKind;
use std::net::SocketAddr;

use tokio::net::TcpSocket;

use super::finding::Finding;
use crate::cli::commands::serve::ListenOptions;
use crate::server::BindError;
use crate::store::Holder;

const CHECK: &str = "address";

/// Has to be called inside a runtime, which the socket needs.
pub(super) fn check(options: &ListenOptions, holder: Option<&Holder>) -> Finding {
    let address = options.listen;
    if !options.lan && !address.ip().to_canonical().is_loopback() {
        let words =
            format!("{address} would be reachable from other machines, which needs `--lan`");
        return Finding::bad(CHECK, words, "allow it with `--lan`, or listen on 127.0.0.1");
    }
    let error = match try_it(address) {
        Ok(()) => return Finding::good(CHECK, format!("{address} is free")),
        Err(error) => error,
    };
    match holder
        .filter(|holder| error.kind() == ErrorKind::AddrInUse && listens_at(holder, address))
    {
        Some(holder) => Finding::good(CHECK, format!("{address} is in use by {holder}")),
        None => Finding::failed(CHECK, &BindError::address(address, &error)),
    }
}

/// Binds to the address for a moment, without listening.
fn try_it(address: SocketAddr) -> std::io::Result<()> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)
}

/// Whether the holder of the data directory uses this address.
fn listens_at(holder: &Holder, address: SocketAddr) -> bool {
    let other = holder.address.as_ref().and_then(|other| other.parse().ok());
    other.is_some_and(|other| same(address, other))
}

/// Whether two addresses exclude each other.
fn same(one: SocketAddr, other: SocketAddr) -> bool {
    let is_any = one.ip().is_unspecified() || other.ip().is_unspecified();
    one.port() == other.port() && (is_any || one.ip() == other.ip())
}
