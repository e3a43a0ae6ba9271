//! Whether a server could listen where it should.

use std::io::ErrorKind;
use std::net::SocketAddr;

use tokio::net::TcpSocket;

use super::finding::Finding;
use crate::cli::commands::serve::ListenOptions;
use crate::server::BindError;
use crate::store::Holder;

const NAME: &str = "address";

/// Has to be called where things can be waited for, since sockets live there.
pub(super) fn check(options: &ListenOptions, holder: Option<&Holder>) -> Finding {
    let address = options.listen;
    if !options.lan && !address.ip().to_canonical().is_loopback() {
        let words = format!("{address} can be reached from other machines, and that is not allowed");
        return Finding::bad(NAME, words, "allow it with `--lan`, or listen at 127.0.0.1");
    }
    let error = match try_it(address) {
        Ok(()) => return Finding::good(NAME, format!("{address} is free")),
        Err(error) => error,
    };
    match holder.filter(|holder| error.kind() == ErrorKind::AddrInUse && listens_at(holder, address)) {
        Some(holder) => Finding::good(NAME, format!("{address} is taken by {holder}")),
        None => Finding::failed(NAME, &BindError::address(address, &error)),
    }
}

/// Takes the address for a moment, without listening there.
fn try_it(address: SocketAddr) -> std::io::Result<()> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)
}

/// Whether that is what keeps the address from us.
fn listens_at(holder: &Holder, address: SocketAddr) -> bool {
    let other = holder.address.as_ref().and_then(|other| other.parse().ok());
    other.is_some_and(|other| same(address, other))
}

/// Whether two addresses cannot be listened at both.
fn same(one: SocketAddr, other: SocketAddr) -> bool {
    let everywhere = one.ip().is_unspecified() || other.ip().is_unspecified();
    one.port() == other.port() && (everywhere || one.ip() == other.ip())
}
