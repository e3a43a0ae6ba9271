//! The way to a server on this machine.

use std::net::SocketAddr;
use std::path::Path;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use crate::server::net::same_user;

/// A connection to a server, whichever way it goes.
pub(in crate::cli) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

/// Connects to the server that holds a data directory.
///
/// By the socket there, which only processes of the same user can use: however crowded the server's address is, that is not. A server
/// that has none is reached at its address.
pub(in crate::cli) async fn dial(data: &Path, address: SocketAddr) -> std::io::Result<Box<dyn Stream>> {
    if let Ok(stream) = same_user::connect(data).await {
        return Ok(Box::new(stream));
    }
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(Box::new(stream))
}
