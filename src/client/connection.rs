//! A client's connection: requests go out with an id, and the answer is the `ack` or `error` that
//! carries it back.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::{SinkExt, Stream as AsyncStream, StreamExt};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

use super::endpoint::{Endpoint, Stream};
use super::error::ClientError;
use crate::wire::{
    Ack, ClientMessage, Connect, ProtocolVersion, Request, RequestId, ServerMessage,
};

/// How long the handshake may take. A running server answers at once.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How many messages are buffered while a request waits for its answer.
const MAX_BACKLOG: usize = 4096;

/// An authenticated connection to a server.
///
/// One task uses it and keeps [reading](Self::next): the server disconnects a client that does not
/// read for long. Messages that arrive while a request waits for its answer are buffered and read
/// next. The server answers the requests of a connection in order, and each answer is matched by
/// the request's id alone.
///
/// It is also a [`Stream`](futures_util::Stream) of messages, which ends with the connection.
pub struct Client {
    endpoint: Endpoint,
    socket: WebSocketStream<Box<dyn Stream>>,
    /// What the server sent unrequested after `connect`.
    welcome: Vec<ServerMessage>,
    /// What arrived while a request waited for its answer.
    pub(super) backlog: VecDeque<ServerMessage>,
    /// How many requests this client sent; the next request's id.
    requests: u64,
}

impl Client {
    /// Connects and authenticates with the key. The server sends the end of a run at once, not
    /// spaced from its start.
    ///
    /// # Errors
    /// No server answers, it rejects the key, or it is too old.
    pub async fn connect(endpoint: Endpoint) -> Result<Self, ClientError> {
        Self::connect_as(endpoint, Connect { spacing: false, ..Connect::default() }).await
    }

    /// Connects with the options that the client announces. The key and the version are filled in.
    ///
    /// # Errors
    /// As for [`connect`](Self::connect).
    pub async fn connect_as(endpoint: Endpoint, announced: Connect) -> Result<Self, ClientError> {
        let connected =
            tokio::time::timeout(CONNECT_TIMEOUT, Self::handshake(endpoint, announced)).await;
        connected.unwrap_or_else(|_| Err(ClientError::Unreachable("it does not answer".to_owned())))
    }

    async fn handshake(endpoint: Endpoint, announced: Connect) -> Result<Self, ClientError> {
        let unreachable = |error: std::io::Error| ClientError::Unreachable(error.to_string());
        let stream = endpoint.dial().await.map_err(unreachable)?;
        let (socket, _) = client_async(format!("ws://{}/ws", endpoint.host()), stream)
            .await
            .map_err(|error| ClientError::Unreachable(error.to_string()))?;
        let mut client =
            Self { endpoint, socket, welcome: Vec::new(), backlog: VecDeque::new(), requests: 0 };
        let newest = ProtocolVersion::NEWEST;
        let connect = Connect {
            api_key: Some(client.endpoint.key().to_owned()),
            protocol_version: Some((newest, newest.to_string())),
            ..announced
        };
        client
            .write(&Request { message: ClientMessage::Connect(connect), request_id: None })
            .await?;
        // `message_ack` does nothing, but a server that supports request ids acknowledges it. The
        // pong marks the end of what the server sends unrequested.
        let probe = client.send(ClientMessage::MessageAck).await?;
        client.write(&Request { message: ClientMessage::Ping, request_id: None }).await?;
        let mut supports_ids = false;
        loop {
            match client.read().await? {
                ServerMessage::Ack(ack) if ack.request_id.as_ref() == Some(&probe) => {
                    supports_ids = true;
                }
                ServerMessage::Pong if supports_ids => return Ok(client),
                ServerMessage::Pong => return Err(ClientError::ServerTooOld),
                ServerMessage::AuthError(_) => return Err(ClientError::WrongKey),
                ServerMessage::Error(error) => return Err(ClientError::Refused(Box::new(error))),
                other => client.welcome.push(other),
            }
        }
    }

    /// The server's endpoint, for reading over HTTP.
    #[must_use]
    pub const fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Takes what the server sent unrequested after `connect`: sessions, recipes, and where the
    /// latest run of each session is. Later calls return nothing.
    #[must_use]
    pub fn take_welcome(&mut self) -> Vec<ServerMessage> {
        std::mem::take(&mut self.welcome)
    }

    /// Discards the messages that arrived while a request waited for its answer.
    pub fn clear_backlog(&mut self) {
        self.backlog.clear();
    }

    /// Sends a request without waiting for its answer, which is the `ack` or `error` with the
    /// returned id among the messages to come.
    ///
    /// # Errors
    /// The connection has ended.
    pub async fn send(&mut self, message: ClientMessage) -> Result<RequestId, ClientError> {
        self.requests += 1;
        let id = RequestId::numbered(self.requests);
        self.write(&Request { message, request_id: Some(id.clone()) }).await?;
        Ok(id)
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// The server refused it, or the connection has ended.
    pub async fn request(&mut self, message: ClientMessage) -> Result<Ack, ClientError> {
        let id = self.send(message).await?;
        loop {
            match self.read().await? {
                ServerMessage::Ack(ack) if ack.request_id.as_ref() == Some(&id) => return Ok(ack),
                ServerMessage::Error(error) if error.request_id.as_ref() == Some(&id) => {
                    return Err(ClientError::Refused(Box::new(error)));
                }
                _ if self.backlog.len() >= MAX_BACKLOG => return Err(ClientError::TooManyMessages),
                other => self.backlog.push_back(other),
            }
        }
    }

    /// Receives the next message. Cancel safe: dropping the future loses no message.
    ///
    /// # Errors
    /// The connection has ended.
    pub async fn next(&mut self) -> Result<ServerMessage, ClientError> {
        StreamExt::next(self).await.ok_or(ClientError::Closed)
    }

    async fn write(&mut self, request: &Request) -> Result<(), ClientError> {
        self.socket.send(Message::text(request.to_json())).await.map_err(|_| ClientError::Closed)
    }

    /// Receives the next message from the socket, past those that are buffered.
    async fn read(&mut self) -> Result<ServerMessage, ClientError> {
        std::future::poll_fn(|context| self.poll_socket(context)).await.ok_or(ClientError::Closed)
    }

    fn poll_socket(&mut self, context: &mut Context<'_>) -> Poll<Option<ServerMessage>> {
        loop {
            match std::task::ready!(self.socket.poll_next_unpin(context)) {
                Some(Ok(Message::Text(text))) => {
                    // A newer server may send message types that this client does not know.
                    if let Ok(message) = serde_json::from_str(&text) {
                        return Poll::Ready(Some(message));
                    }
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => return Poll::Ready(None),
                Some(Ok(_)) => {}
            }
        }
    }
}

impl AsyncStream for Client {
    type Item = ServerMessage;

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<ServerMessage>> {
        match self.backlog.pop_front() {
            Some(message) => Poll::Ready(Some(message)),
            None => self.poll_socket(context),
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}
