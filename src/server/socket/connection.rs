//! One client's socket, from the greeting to the close frame: the one place where frames are read
//! and written.

use std::future::{Future, poll_fn};
use std::mem::replace;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, Sleep, sleep_until, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Bytes, Error, Message};
use tokio_util::sync::WaitForCancellationFutureOwned;

use super::client_session::ClientSession;
use super::outgoing_frames::CloseReason;
use super::rate_limiter::{Pace, RateLimiter};
use crate::server::broadcast::update::ClientUpdate;
use crate::server::limits::ServerLimits;
use crate::server::net::caller::Caller;
use crate::server::net::connection_limit::Slot;
use crate::server::shared::Shared;
use crate::wire::ErrorCode;

/// How many bytes of a socket are read at once. Every connection has a buffer of this size, even
/// when it is idle.
const READ_BUFFER_BYTES: usize = 4 * 1024;

/// How long the closing handshake may take.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// How many bytes of a client are discarded after the close frame, so that it can be read.
const MAX_DRAINED_BYTES: usize = 4 << 20;

/// The configuration of every WebSocket.
pub(in crate::server) fn config(limits: &ServerLimits) -> WebSocketConfig {
    WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER_BYTES)
        .write_buffer_size(READ_BUFFER_BYTES)
        .max_message_size(Some(limits.max_message_bytes))
        .max_frame_size(Some(limits.max_message_bytes))
}

/// Serves a client until it disconnects, or the server closes the socket.
///
/// `slot` is that of an unauthenticated connection, until the client shows the key.
pub(in crate::server) async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    socket: WebSocketStream<S>,
    shared: Arc<Shared>,
    caller: Caller,
    slot: Slot,
) {
    let now = Instant::now();
    let (over, peer) = (slot.over().clone(), caller.peer);
    let mut connection = Connection {
        client_session: ClientSession::new(Arc::clone(&shared), caller, over.clone(), Some(slot)),
        rate_limiter: RateLimiter::new(&shared.limits, now),
        over: Box::pin(over.cancelled_owned()),
        timer: Box::pin(sleep_until(now + shared.limits.auth_timeout)),
        shared,
        socket,
        connected_at: now,
        last_received: now,
        pinged: false,
    };
    let close_reason = connection.until_closed().await;
    let why = close_reason.map_or("closed by the client", |close_reason| close_reason.why);
    tracing::debug!(address = %peer.address, why, "client disconnected");
    // While other connections wait to be accepted, this one makes room at once.
    let at_once =
        close_reason == Some(CloseReason::DISPLACED) && connection.shared.connections.is_crowded();
    if let Some(close_reason) = close_reason.filter(|_| !at_once) {
        // A client that does not read its close frame is not waited for.
        let _ = timeout(CLOSE_TIMEOUT, close_socket(connection.socket, close_reason)).await;
    }
}

struct Connection<S> {
    shared: Arc<Shared>,
    socket: WebSocketStream<S>,
    client_session: ClientSession,
    rate_limiter: RateLimiter,
    connected_at: Instant,
    /// When the last frame of the client arrived.
    last_received: Instant,
    /// Whether it was pinged since.
    pinged: bool,
    // The next two are kept from message to message: creating them for each one would cost more
    // than the reply.
    /// Completes when the server stops, when the client is too slow, or when it is displaced before
    /// it has shown the key.
    over: Pin<Box<WaitForCancellationFutureOwned>>,
    /// Fires at the deadline or before it.
    timer: Pin<Box<Sleep>>,
}

/// What happens next.
enum Next {
    /// The client sent a frame, or disconnected.
    Frame(Option<Result<Message, Error>>),
    /// A broadcast update.
    Update(Option<ClientUpdate>),
    /// A deadline may have passed.
    Timer,
    Close(CloseReason),
}

/// How replies were sent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sent {
    /// The socket accepted them without a wait.
    AtOnce,
    /// The task waited until the socket was writable, and may have missed a wakeup for an incoming
    /// frame.
    Later,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    /// Runs until the socket has to be closed; `None` if the client disconnected, or its socket
    /// failed.
    async fn until_closed(&mut self) -> Option<CloseReason> {
        loop {
            let pace = self.rate_limiter.pace(Instant::now());
            let may_collect = pace == Pace::Now && self.client_session.replies.may_collect();
            let arrived = if may_collect { self.arrived().await } else { None };
            let next = match arrived {
                Some(frame) => Next::Frame(frame),
                None => {
                    let sent = match self.send().await {
                        Ok(sent) => sent,
                        Err(gone) => return gone,
                    };
                    if let Some(close_reason) = self.client_session.replies.close_reason {
                        return Some(close_reason);
                    }
                    if pace == Pace::TooMuch {
                        self.client_session
                            .replies
                            .error(ErrorCode::RateLimited, "too many messages; slow down");
                        self.client_session.replies.close(CloseReason::TOO_MUCH);
                        continue;
                    }
                    self.next(pace, may_collect && sent == Sent::AtOnce).await
                }
            };
            match next {
                Next::Frame(Some(Ok(message))) => self.receive(message).await,
                Next::Frame(ended) => {
                    // Earlier requests are still answered, even if the client no longer reads the
                    // replies.
                    let _ = self.send().await;
                    return match ended {
                        Some(Err(Error::Capacity(_))) => Some(CloseReason::TOO_LARGE),
                        Some(Err(Error::Protocol(_) | Error::Utf8(_))) => Some(CloseReason::BROKEN),
                        Some(_) | None => None,
                    };
                }
                Next::Update(Some(update)) => self.forward(update).await,
                // The hub closes the inbox of a client that it has dropped.
                Next::Update(None) => return Some(CloseReason::TOO_SLOW),
                Next::Timer => {
                    if let Some(close_reason) = self.check_deadlines().await {
                        return Some(close_reason);
                    }
                }
                Next::Close(close_reason) => return Some(close_reason),
            }
        }
    }

    /// A frame that has already arrived while replies are queued: requests that arrive together are
    /// answered together, with one write instead of one each.
    async fn arrived(&mut self) -> Option<Option<Result<Message, Error>>> {
        let socket = &mut self.socket;
        poll_fn(|context| match socket.poll_next_unpin(context) {
            Poll::Ready(frame) => Poll::Ready(Some(frame)),
            Poll::Pending => Poll::Ready(None),
        })
        .await
    }

    /// Waits for what happens next. `is_drained` says that the socket had no more frames a moment
    /// ago, and that the task has not waited since: the socket wakes it for the next one.
    async fn next(&mut self, pace: Pace, is_drained: bool) -> Next {
        let deadline = self.deadline();
        let (may_read, deadline) = match pace {
            Pace::Later(then) => (false, deadline.min(then)),
            Pace::Now | Pace::TooMuch => (true, deadline),
        };
        // Every message moves the deadline further away. The timer is not reset for that: it fires
        // too early once, and is reset then.
        if deadline < self.timer.deadline() || self.timer.is_elapsed() {
            self.timer.as_mut().reset(deadline);
        }
        let Self { shared, socket, client_session, over, timer, .. } = self;
        let is_known = client_session.client.is_some();
        let mut update = pin!(client_session.next_update());
        let mut is_first_poll = true;
        poll_fn(move |context| {
            let is_first = replace(&mut is_first_poll, false);
            // A wakeup is nearly always for a frame, which is then answered before anything else is
            // polled.
            if !is_first
                && may_read
                && let Poll::Ready(frame) = socket.poll_next_unpin(context)
            {
                return Poll::Ready(Next::Frame(frame));
            }
            // On the first poll these come before the socket: otherwise a client that keeps it busy
            // would keep the server from checking deadlines.
            if over.as_mut().poll(context).is_ready() {
                return Poll::Ready(Next::Close(shared.close_reason(is_known)));
            }
            if timer.as_mut().poll(context).is_ready() {
                return Poll::Ready(Next::Timer);
            }
            if let Poll::Ready(update) = update.as_mut().poll(context) {
                return Poll::Ready(Next::Update(update));
            }
            if is_first
                && may_read
                && !is_drained
                && let Poll::Ready(frame) = socket.poll_next_unpin(context)
            {
                return Poll::Ready(Next::Frame(frame));
            }
            Poll::Pending
        })
        .await
    }

    /// When to check deadlines again.
    fn deadline(&self) -> Instant {
        let limits = &self.shared.limits;
        let silence = if self.pinged { limits.client_timeout } else { limits.client_timeout / 2 };
        let silence_ends = self.last_received + silence;
        match &self.client_session.client {
            Some(client) => {
                client.subscriptions.next_due().map_or(silence_ends, |due| silence_ends.min(due))
            }
            None => silence_ends.min(self.connected_at + limits.auth_timeout),
        }
    }

    async fn check_deadlines(&mut self) -> Option<CloseReason> {
        self.client_session.begin_due().await;
        let (now, limits) = (Instant::now(), &self.shared.limits);
        if self.client_session.client.is_none() && now >= self.connected_at + limits.auth_timeout {
            return Some(CloseReason::NOT_IN_TIME);
        }
        if now >= self.last_received + limits.client_timeout {
            return Some(CloseReason::SILENT);
        }
        if !self.pinged && now >= self.last_received + limits.client_timeout / 2 {
            self.pinged = true;
            let ping = self.socket.send(Message::Ping(Bytes::new()));
            if !matches!(timeout(limits.write_timeout, ping).await, Ok(Ok(()))) {
                return Some(CloseReason::TOO_SLOW);
            }
        }
        None
    }

    async fn receive(&mut self, message: Message) {
        self.rate_limiter.take();
        (self.last_received, self.pinged) = (Instant::now(), false);
        match message {
            Message::Text(text) => self.client_session.receive(&text).await,
            Message::Binary(_) => self.client_session.receive_binary(),
            Message::Close(_) => {
                // After a close frame, only the close frame that answers it may be sent.
                self.client_session.replies.take();
                self.client_session.replies.close(CloseReason::BYE);
            }
            // The library answers a ping by itself, with the next frame that is sent.
            Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
        }
    }

    /// Forwards a broadcast update, and those queued after it.
    async fn forward(&mut self, update: ClientUpdate) {
        self.client_session.forward(update).await;
        while !self.client_session.replies.is_full() {
            let more =
                self.client_session.client.as_mut().and_then(|client| client.inbox.try_next());
            let Some(more) = more else { return };
            self.client_session.forward(more).await;
        }
    }

    /// Sends the queued frames, in order.
    ///
    /// # Errors
    /// Why the socket has to be closed while frames are being sent; `None` if the client has
    /// disconnected.
    async fn send(&mut self) -> Result<Sent, Option<CloseReason>> {
        let frames = self.client_session.replies.take();
        let socket = &mut self.socket;
        let mut sending = pin!(async {
            for frame in frames {
                socket.feed(Message::Text(frame)).await?;
            }
            socket.flush().await
        });
        // A socket nearly always accepts them at once, and then no timer is needed.
        if let Poll::Ready(sent) =
            poll_fn(|context| Poll::Ready(sending.as_mut().poll(context))).await
        {
            return sent.map(|()| Sent::AtOnce).map_err(|_| None);
        }
        tokio::select! {
            biased;
            sent = timeout(self.shared.limits.write_timeout, sending) => match sent {
                Ok(Ok(())) => Ok(Sent::Later),
                Ok(Err(_)) => Err(None),
                Err(_) => Err(Some(CloseReason::TOO_SLOW)),
            },
            () = self.over.as_mut() => {
                let is_known = self.client_session.client.is_some();
                Err(Some(self.shared.close_reason(is_known)))
            }
        }
    }
}

/// Closes a socket so that the client learns why.
async fn close_socket<S: AsyncRead + AsyncWrite + Unpin>(
    mut socket: WebSocketStream<S>,
    close_reason: CloseReason,
) {
    let frame = CloseFrame { code: close_reason.code, reason: close_reason.why.into() };
    if socket.close(Some(frame)).await.is_err() {
        return;
    }
    let mut stream = socket.into_inner();
    if stream.shutdown().await.is_err() {
        return;
    }
    // Closing a socket with unread data resets the connection, and the client could lose the close
    // frame.
    let (mut discarded, mut buffer) = (0, [0; 1024]);
    while discarded < MAX_DRAINED_BYTES {
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(bytes) => discarded += bytes,
        }
    }
}
