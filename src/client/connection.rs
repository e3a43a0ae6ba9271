//! A client's connection: requests go out with an id, and the answer is the `ack` or `error` that carries it back.

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
use crate::wire::{Ack, ClientMessage, Connect, ProtocolVersion, Request, RequestId, ServerMessage};

/// How long getting in may take. A server that is there answers at once.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How many messages are kept while an answer is waited for.
const MAX_BACKLOG: usize = 4096;

/// A connection to a server that has taken the key.
///
/// It is used by one task, which [reads on](Self::next): a client that reads nothing for long is disconnected by the server.
/// Messages that come while an answer is waited for are kept, and are next. The server answers the requests of a connection
/// in order, and each answer is known by the request's id alone.
///
/// It is also a [`Stream`](futures_util::Stream) of messages, which ends with the connection.
pub struct Client {
    endpoint: Endpoint,
    socket: WebSocketStream<Box<dyn Stream>>,
    /// What the server told unasked when the client came.
    welcome: Vec<ServerMessage>,
    /// What came while an answer was waited for.
    pub(super) backlog: VecDeque<ServerMessage>,
    /// How many requests were sent.
    requests: u64,
}

impl Client {
    /// Connects, and shows the key. The end of a run is told at once, not apart from its beginning.
    ///
    /// # Errors
    /// No server answers there, it does not take the key, or it is too old.
    pub async fn connect(endpoint: Endpoint) -> Result<Self, ClientError> {
        Self::connect_as(endpoint, Connect { spacing: false, ..Connect::default() }).await
    }

    /// The same, with what else the client announces. The key and the version are filled in.
    ///
    /// # Errors
    /// As for [`connect`](Self::connect).
    pub async fn connect_as(endpoint: Endpoint, announced: Connect) -> Result<Self, ClientError> {
        let entering = tokio::time::timeout(CONNECT_TIMEOUT, Self::enter(endpoint, announced)).await;
        entering.unwrap_or_else(|_| Err(ClientError::Unreachable("it does not answer".to_owned())))
    }

    async fn enter(endpoint: Endpoint, announced: Connect) -> Result<Self, ClientError> {
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
        client.write(&Request { message: ClientMessage::Connect(connect), request_id: None }).await?;
        // A server that knows request ids acknowledges this one, which asks for nothing; the pong ends what it says unasked.
        let first = client.send(ClientMessage::MessageAck).await?;
        client.write(&Request { message: ClientMessage::Ping, request_id: None }).await?;
        let mut knows_ids = false;
        loop {
            match client.read().await? {
                ServerMessage::Ack(ack) if ack.request_id.as_ref() == Some(&first) => knows_ids = true,
                ServerMessage::Pong if knows_ids => return Ok(client),
                ServerMessage::Pong => return Err(ClientError::ServerTooOld),
                ServerMessage::AuthError(_) => return Err(ClientError::WrongKey),
                ServerMessage::Error(error) => return Err(ClientError::Refused(Box::new(error))),
                other => client.welcome.push(other),
            }
        }
    }

    /// The server, for what can be read over HTTP.
    #[must_use]
    pub const fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// What the server told unasked when the client came: sessions, recipes, and where the latest run of each session is. It is
    /// given once.
    #[must_use]
    pub fn take_welcome(&mut self) -> Vec<ServerMessage> {
        std::mem::take(&mut self.welcome)
    }

    /// Forgets the messages that came while an answer was waited for.
    pub fn clear_backlog(&mut self) {
        self.backlog.clear();
    }

    /// Sends a request, and does not wait for its answer: that is the `ack` or `error` with this id, among the messages to
    /// come.
    ///
    /// # Errors
    /// The connection has ended.
    pub async fn send(&mut self, message: ClientMessage) -> Result<RequestId, ClientError> {
        self.requests += 1;
        let id = RequestId::numbered(self.requests);
        self.write(&Request { message, request_id: Some(id.clone()) }).await?;
        Ok(id)
    }

    /// Sends a request, and waits for its answer.
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

    /// The next message. Nothing is lost if this is given up before it is there.
    ///
    /// # Errors
    /// The connection has ended.
    pub async fn next(&mut self) -> Result<ServerMessage, ClientError> {
        StreamExt::next(self).await.ok_or(ClientError::Closed)
    }

    async fn write(&mut self, request: &Request) -> Result<(), ClientError> {
        self.socket.send(Message::text(request.to_json())).await.map_err(|_| ClientError::Closed)
    }

    /// The next message from the socket, whatever is kept.
    async fn read(&mut self) -> Result<ServerMessage, ClientError> {
        std::future::poll_fn(|context| self.poll_socket(context)).await.ok_or(ClientError::Closed)
    }

    fn poll_socket(&mut self, context: &mut Context<'_>) -> Poll<Option<ServerMessage>> {
        loop {
            match std::task::ready!(self.socket.poll_next_unpin(context)) {
                Some(Ok(Message::Text(text))) => {
                    // A later server may say what we do not know.
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

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<ServerMessage>> {
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
