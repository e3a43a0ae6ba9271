//! The address of a server, and the key to it.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use crate::local;

/// A connection to a server, over TCP or through a socket in the file system.
pub(super) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

/// The address of a server, and the key to it.
///
/// ```
/// use surefire::client::Endpoint;
///
/// let key = "untethered-00112233445566778899aabbccddeeff";
/// let server = Endpoint::at(([127, 0, 0, 1], 8080).into(), key).or_in("/home/me/.surefire");
/// assert!(!format!("{server:?}").contains(key));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    address: Option<SocketAddr>,
    data: Option<PathBuf>,
    key: String,
}

impl Endpoint {
    /// The server at an address.
    #[must_use]
    pub fn at(address: SocketAddr, key: impl Into<String>) -> Self {
        Self { address: Some(address), data: None, key: key.into() }
    }

    /// The server that holds a data directory on this machine, through the socket in it. Only
    /// processes of the server's own user can connect there.
    #[must_use]
    pub fn in_directory(data: impl Into<PathBuf>, key: impl Into<String>) -> Self {
        Self { address: None, data: Some(data.into()), key: key.into() }
    }

    /// The same server, preferably through the socket in its data directory, which connections to
    /// the server's address cannot crowd. A server without that socket is reached at its address.
    #[must_use]
    pub fn or_in(self, data: impl Into<PathBuf>) -> Self {
        Self { data: Some(data.into()), ..self }
    }

    /// The server's network address, if one is known.
    #[must_use]
    pub const fn address(&self) -> Option<SocketAddr> {
        self.address
    }

    pub(super) fn key(&self) -> &str {
        &self.key
    }

    /// The value of the `Host` header.
    pub(super) fn host(&self) -> String {
        self.address.map_or_else(|| "localhost".to_owned(), |address| address.to_string())
    }

    /// Whether a server accepts connections there.
    pub async fn is_reachable(&self) -> bool {
        self.dial().await.is_ok()
    }

    pub(super) async fn dial(&self) -> std::io::Result<Box<dyn Stream>> {
        let local = match &self.data {
            Some(data) => local::connect(data).await.map(|stream| Box::new(stream) as _),
            None => Err(std::io::ErrorKind::NotFound.into()),
        };
        match (local, self.address) {
            (Ok(stream), _) => Ok(stream),
            (Err(error), None) => Err(error),
            (Err(_), Some(address)) => {
                let stream = TcpStream::connect(address).await?;
                stream.set_nodelay(true)?;
                Ok(Box::new(stream))
            }
        }
    }
}

/// Leaves the key out, so that it never gets into a log.
impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("address", &self.address)
            .field("data", &self.data)
            .finish_non_exhaustive()
    }
}
