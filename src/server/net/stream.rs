//! A connection: over TCP, or from a process of the same user.

use std::io;
use std::io::IoSlice;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};

#[derive(Debug)]
pub(in crate::server) enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Socket {
    /// Comes when the other side has said something, or has gone.
    pub(in crate::server) async fn first_byte(&self) {
        // Whatever is wrong with it is found out when it is read.
        match self {
            Self::Tcp(stream) => drop(stream.peek(&mut [0]).await),
            Self::Unix(stream) => drop(stream.readable().await),
        }
    }

    /// Comes when the other side has gone without a word.
    pub(in crate::server) async fn gone(&self) {
        let spoke = match self {
            Self::Tcp(stream) => stream.peek(&mut [0]).await.is_ok_and(|bytes| bytes > 0),
            Self::Unix(_) => true,
        };
        if spoke {
            std::future::pending::<()>().await;
        }
    }
}

macro_rules! either {
    ($socket:expr, $stream:ident => $do:expr) => {
        match $socket {
            Socket::Tcp($stream) => $do,
            Socket::Unix($stream) => $do,
        }
    };
}

impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        either!(self.get_mut(), stream => Pin::new(stream).poll_read(context, buffer))
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        either!(self.get_mut(), stream => Pin::new(stream).poll_write(context, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self.get_mut(), stream => Pin::new(stream).poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self.get_mut(), stream => Pin::new(stream).poll_shutdown(context))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        either!(self.get_mut(), stream => Pin::new(stream).poll_write_vectored(context, slices))
    }

    fn is_write_vectored(&self) -> bool {
        either!(self, stream => stream.is_write_vectored())
    }
}
