//! Where connections come from.

use std::io;
use std::net::Ipv4Addr;

use tokio::net::TcpListener;

use super::peer::Peer;
use super::same_user::SameUser;
use super::stream::Socket;

#[derive(Debug)]
pub(in crate::server) enum Listener {
    /// The server's address.
    Tcp(TcpListener),
    /// The socket in the data directory.
    SameUser(SameUser),
}

impl Listener {
    /// The next connection.
    pub(in crate::server) async fn accept(&self) -> io::Result<(Socket, Peer)> {
        match self {
            Self::Tcp(listener) => {
                let (stream, address) = listener.accept().await?;
                // Otherwise Nagle's algorithm delays a small message until the previous one is
                // acknowledged.
                stream.set_nodelay(true)?;
                Ok((stream.into(), Peer { address: address.ip(), same_user: false }))
            }
            Self::SameUser(listener) => {
                let stream = listener.accept().await?;
                Ok((stream.into(), Peer { address: Ipv4Addr::LOCALHOST.into(), same_user: true }))
            }
        }
    }
}
