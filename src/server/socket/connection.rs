//! One client's socket, from the greeting to the goodbye: the one place where frames are read and written.

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

use super::bucket::{Bucket, Pace};
use super::dialogue::Dialogue;
use super::replies::Leaving;
use crate::server::broadcast::update::Update;
use crate::server::limits::ServerLimits;
use crate::server::net::connection_limit::Slot;
use crate::server::net::peer::Peer;
use crate::server::net::widening::MayWiden;
use crate::server::shared::Shared;
use crate::wire::ErrorCode;

/// How many bytes of a socket are read at once. Every connection has this much, also when nothing is said.
const READ_BUFFER: usize = 4 * 1024;

/// How long a goodbye may take.
const GOODBYE: Duration = Duration::from_secs(1);

/// How many bytes of a client are thrown away after the goodbye, so that it can be read.
const LEFTOVERS: usize = 4 << 20;

/// What WebSockets are made with.
pub(in crate::server) fn config(limits: &ServerLimits) -> WebSocketConfig {
    WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(READ_BUFFER)
        .max_message_size(Some(limits.message_size))
        .max_frame_size(Some(limits.message_size))
}

/// Talks with a client until one of the two leaves.
///
/// `slot` is its place among the connections that have not shown the key, until it does.
pub(in crate::server) async fn talk<S: AsyncRead + AsyncWrite + Unpin>(
    socket: WebSocketStream<S>,
    shared: Arc<Shared>,
    (peer, may_widen): (Peer, Option<MayWiden>),
    slot: Slot,
) {
    let now = Instant::now();
    let over = slot.over().clone();
    let mut connection = Connection {
        dialogue: Dialogue::new(Arc::clone(&shared), (peer, may_widen), over.clone(), Some(slot)),
        bucket: Bucket::new(&shared.limits, now),
        over: Box::pin(over.cancelled_owned()),
        alarm: Box::pin(sleep_until(now + shared.limits.auth_time)),
        shared,
        socket,
        came: now,
        heard: now,
        pinged: false,
    };
    let leaving = connection.until_somebody_leaves().await;
    let why = leaving.map_or("the client left", |leaving| leaving.why);
    tracing::debug!(address = %peer.address, why, "a client leaves");
    // Where others wait to be accepted, the room is needed at once.
    let at_once = leaving == Some(Leaving::DISPLACED) && connection.shared.connections.is_crowded();
    if let Some(leaving) = leaving.filter(|_| !at_once) {
        // Nobody waits for a client that does not read its goodbye.
        let _ = timeout(GOODBYE, say_goodbye(connection.socket, leaving)).await;
    }
}

struct Connection<S> {
    shared: Arc<Shared>,
    socket: WebSocketStream<S>,
    dialogue: Dialogue,
    bucket: Bucket,
    came: Instant,
    /// When anything was last heard of the client.
    heard: Instant,
    /// Whether it was asked since whether it is still there.
    pinged: bool,
    // The next two are kept from message to message: to wait for them anew each time would cost more than the answer.
    /// Done when the server stops, when the client is too slow, or when it has to make room before it has shown the key.
    over: Pin<Box<WaitForCancellationFutureOwned>>,
    /// Rings at the deadline or before it.
    alarm: Pin<Box<Sleep>>,
}

/// What happens next.
enum Next {
    /// The client sent something, or left.
    Frame(Option<Result<Message, Error>>),
    /// Everybody is told something.
    Update(Option<Update>),
    /// It is time to look at the clock.
    Time,
    Leave(Leaving),
}

/// How replies were sent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sent {
    /// The socket took them without being waited for.
    AtOnce,
    /// The task slept meanwhile, and may have been woken by something else than the socket's room.
    Later,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    /// `None` where the client left, or its socket broke.
    async fn until_somebody_leaves(&mut self) -> Option<Leaving> {
        loop {
            let pace = self.bucket.pace(Instant::now());
            let may_collect = pace == Pace::Now && self.dialogue.replies.can_wait();
            let came_along = if may_collect { self.came_along().await } else { None };
            let next = match came_along {
                Some(frame) => Next::Frame(frame),
                None => {
                    let sent = match self.send().await {
                        Ok(sent) => sent,
                        Err(gone) => return gone,
                    };
                    if let Some(leaving) = self.dialogue.replies.leaving {
                        return Some(leaving);
                    }
                    if pace == Pace::TooMuch {
                        self.dialogue.replies.error(ErrorCode::RateLimited, "too many messages; slow down");
                        self.dialogue.replies.leave(Leaving::TOO_MUCH);
                        continue;
                    }
                    self.next(pace, may_collect && sent == Sent::AtOnce).await
                }
            };
            match next {
                Next::Frame(Some(Ok(message))) => self.hear(message).await,
                Next::Frame(ended) => {
                    // What came before it is still answered; whether anybody reads that does not matter any more.
                    let _ = self.send().await;
                    return match ended {
                        Some(Err(Error::Capacity(_))) => Some(Leaving::TOO_LARGE),
                        Some(Err(Error::Protocol(_) | Error::Utf8(_))) => Some(Leaving::BROKEN),
                        Some(_) | None => None,
                    };
                }
                Next::Update(Some(update)) => self.pass_on(update).await,
                // The hub has no more for a client that it has given up.
                Next::Update(None) => return Some(Leaving::TOO_SLOW),
                Next::Time => {
                    if let Some(leaving) = self.look_at_the_clock().await {
                        return Some(leaving);
                    }
                }
                Next::Leave(leaving) => return Some(leaving),
            }
        }
    }

    /// A frame that is here already, while there are answers that wait to be sent: what came together is answered together, with
    /// one write instead of one each.
    async fn came_along(&mut self) -> Option<Option<Result<Message, Error>>> {
        let socket = &mut self.socket;
        poll_fn(|context| match socket.poll_next_unpin(context) {
            Poll::Ready(frame) => Poll::Ready(Some(frame)),
            Poll::Pending => Poll::Ready(None),
        })
        .await
    }

    /// Waits for what happens next. `is_drained` says that the socket had no more frames a moment ago, and that nothing was waited
    /// for since: it wakes this task when it has one.
    async fn next(&mut self, pace: Pace, is_drained: bool) -> Next {
        let deadline = self.deadline();
        let (may_read, deadline) = match pace {
            Pace::Later(then) => (false, deadline.min(then)),
            Pace::Now | Pace::TooMuch => (true, deadline),
        };
        // Every message moves the deadline; that is seen when the alarm rings too early.
        if deadline < self.alarm.deadline() || self.alarm.is_elapsed() {
            self.alarm.as_mut().reset(deadline);
        }
        let Self { shared, socket, dialogue, over, alarm, .. } = self;
        let is_known = dialogue.client.is_some();
        let mut update = pin!(dialogue.next_update());
        let mut is_first_look = true;
        poll_fn(move |context| {
            let is_first = replace(&mut is_first_look, false);
            // What wakes this task is a frame, nearly always; then nothing else is looked at before it is answered.
            if !is_first
                && may_read
                && let Poll::Ready(frame) = socket.poll_next_unpin(context)
            {
                return Poll::Ready(Next::Frame(frame));
            }
            // On the first look these come before the socket: a client that keeps it busy would otherwise keep the server from
            // looking at the clock.
            if over.as_mut().poll(context).is_ready() {
                return Poll::Ready(Next::Leave(shared.why_over(is_known)));
            }
            if alarm.as_mut().poll(context).is_ready() {
                return Poll::Ready(Next::Time);
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

    /// When to look at the clock again.
    fn deadline(&self) -> Instant {
        let limits = &self.shared.limits;
        let silence = if self.pinged { limits.silence } else { limits.silence / 2 };
        let heard = self.heard + silence;
        match &self.dialogue.client {
            Some(client) => client.subscriptions.next_due().map_or(heard, |due| heard.min(due)),
            None => heard.min(self.came + limits.auth_time),
        }
    }

    async fn look_at_the_clock(&mut self) -> Option<Leaving> {
        self.dialogue.begin_due().await;
        let (now, limits) = (Instant::now(), &self.shared.limits);
        if self.dialogue.client.is_none() && now >= self.came + limits.auth_time {
            return Some(Leaving::NOT_IN_TIME);
        }
        if now >= self.heard + limits.silence {
            return Some(Leaving::SILENT);
        }
        if !self.pinged && now >= self.heard + limits.silence / 2 {
            self.pinged = true;
            let ping = self.socket.send(Message::Ping(Bytes::new()));
            if !matches!(timeout(limits.write_patience, ping).await, Ok(Ok(()))) {
                return Some(Leaving::TOO_SLOW);
            }
        }
        None
    }

    async fn hear(&mut self, message: Message) {
        self.bucket.take();
        (self.heard, self.pinged) = (Instant::now(), false);
        match message {
            Message::Text(text) => self.dialogue.hear(&text).await,
            Message::Binary(_) => self.dialogue.hear_bytes(),
            Message::Close(_) => {
                // Nothing may follow a goodbye but the other one's.
                self.dialogue.replies.take();
                self.dialogue.replies.leave(Leaving::BYE);
            }
            // The library answers a ping by itself, with the next thing that is sent.
            Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
        }
    }

    /// Passes on what everybody is told, and what came right behind it.
    async fn pass_on(&mut self, update: Update) {
        self.dialogue.pass_on(update).await;
        while !self.dialogue.replies.are_enough() {
            let more = self.dialogue.client.as_mut().and_then(|client| client.inbox.try_next());
            let Some(more) = more else { return };
            self.dialogue.pass_on(more).await;
        }
    }

    /// Sends what there is to be said, in order.
    ///
    /// # Errors
    /// Why the client has to leave while it is being talked to; `None` where it has left.
    async fn send(&mut self) -> Result<Sent, Option<Leaving>> {
        let frames = self.dialogue.replies.take();
        let socket = &mut self.socket;
        let mut sending = pin!(async {
            for frame in frames {
                socket.feed(Message::Text(frame)).await?;
            }
            socket.flush().await
        });
        // A socket nearly always takes it at once, and then no timer is needed.
        if let Poll::Ready(sent) = poll_fn(|context| Poll::Ready(sending.as_mut().poll(context))).await {
            return sent.map(|()| Sent::AtOnce).map_err(|_| None);
        }
        tokio::select! {
            biased;
            sent = timeout(self.shared.limits.write_patience, sending) => match sent {
                Ok(Ok(())) => Ok(Sent::Later),
                Ok(Err(_)) => Err(None),
                Err(_) => Err(Some(Leaving::TOO_SLOW)),
            },
            () = self.over.as_mut() => Err(Some(self.shared.why_over(self.dialogue.client.is_some()))),
        }
    }
}

/// Closes a socket so that the client learns why.
async fn say_goodbye<S: AsyncRead + AsyncWrite + Unpin>(mut socket: WebSocketStream<S>, leaving: Leaving) {
    let frame = CloseFrame { code: leaving.code, reason: leaving.why.into() };
    if socket.close(Some(frame)).await.is_err() {
        return;
    }
    let mut stream = socket.into_inner();
    if stream.shutdown().await.is_err() {
        return;
    }
    // Closing a socket with something unread in it would take the goodbye back.
    let (mut thrown, mut buffer) = (0, [0; 1024]);
    while thrown < LEFTOVERS {
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(bytes) => thrown += bytes,
        }
    }
}
