//! A connection: over TCP, or from a process of the same user.

use std::io;
use std::io::IoSlice;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};

/// How many bytes are read at once while a connection has no slot.
const READ_BYTES: usize = 1024;

/// A connection, with the bytes that were read before it was served.
#[derive(Debug)]
pub(in crate::server) struct Socket {
    stream: Stream,
    read_ahead: Vec<u8>,
}

#[derive(Debug)]
enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl From<TcpStream> for Socket {
    fn from(stream: TcpStream) -> Self {
        Self { stream: Stream::Tcp(stream), read_ahead: Vec::new() }
    }
}

impl From<UnixStream> for Socket {
    fn from(stream: UnixStream) -> Self {
        Self { stream: Stream::Unix(stream), read_ahead: Vec::new() }
    }
}

impl Socket {
    /// The bytes that were read ahead. They are read again when the connection is served.
    pub(in crate::server) fn read_ahead(&self) -> &[u8] {
        &self.read_ahead
    }

    /// Reads ahead; `false` if nothing more will arrive.
    ///
    /// Cancel-safe: if this is dropped early, the bytes that were read are kept.
    pub(in crate::server) async fn read_more(&mut self) -> bool {
        self.read_ahead.reserve(READ_BYTES);
        // After an error nothing more will arrive, as at the end of the stream.
        let read = match &mut self.stream {
            Stream::Tcp(stream) => stream.read_buf(&mut self.read_ahead).await,
            Stream::Unix(stream) => stream.read_buf(&mut self.read_ahead).await,
        };
        read.is_ok_and(|bytes| bytes > 0)
    }
}

macro_rules! either {
    ($socket:expr, $stream:ident => $do:expr) => {
        match $socket {
            Stream::Tcp($stream) => $do,
            Stream::Unix($stream) => $do,
        }
    };
}

impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let socket = self.get_mut();
        if !socket.read_ahead.is_empty() {
            let bytes = socket.read_ahead.len().min(buffer.remaining());
            buffer.put_slice(&socket.read_ahead[..bytes]);
            socket.read_ahead.drain(..bytes);
            if socket.read_ahead.is_empty() {
                // It is not used again, so its memory is released.
                socket.read_ahead = Vec::new();
            }
            return Poll::Ready(Ok(()));
        }
        either!(&mut socket.stream, stream => Pin::new(stream).poll_read(context, buffer))
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        either!(&mut self.get_mut().stream, stream => Pin::new(stream).poll_write(context, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(&mut self.get_mut().stream, stream => Pin::new(stream).poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(&mut self.get_mut().stream, stream => Pin::new(stream).poll_shutdown(context))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let stream = &mut self.get_mut().stream;
        either!(stream, stream => Pin::new(stream).poll_write_vectored(context, slices))
    }

    fn is_write_vectored(&self) -> bool {
        either!(&self.stream, stream => stream.is_write_vectored())
    }
}
