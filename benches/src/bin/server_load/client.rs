//! Clients: one that sends, and many that only receive.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use surefire::wire::ServerMessage;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};
use uuid::Uuid;

use crate::Result;
use crate::servers::{Contender, KEY, Serving};

pub(crate) struct Client {
    pub(crate) socket: WebSocketStream<TcpStream>,
}

impl Client {
    /// Connects. With our server, it also authenticates and receives the initial messages.
    pub(crate) async fn connect(server: &Serving) -> Result<Self> {
        let stream = TcpStream::connect(server.address).await?;
        stream.set_nodelay(true)?;
        let config = WebSocketConfig::default().read_buffer_size(4096).write_buffer_size(4096);
        let url = format!("ws://{}", server.address);
        let (socket, _) = client_async_with_config(url, stream, Some(config)).await?;
        let mut client = Self { socket };
        match server.contender {
            Contender::Ours => {
                client
                    .send(
                        &json!({ "type": "connect", "api_key": KEY, "protocol_version": "0.5.0" }),
                    )
                    .await?;
                client.until("available_recipes").await?;
            }
            // So that this server has handled a message, too.
            Contender::Stock => {
                client.send(&json!({ "type": "ping" })).await?;
                client.until("ping").await?;
            }
        }
        Ok(client)
    }

    pub(crate) async fn many(server: &Serving, count: usize) -> Result<Vec<Self>> {
        let mut clients = Vec::with_capacity(count);
        for _ in 0..count {
            clients.push(Self::connect(server).await?);
        }
        Ok(clients)
    }

    pub(crate) async fn send(&mut self, message: &Value) -> Result<()> {
        Ok(self.socket.send(Message::text(message.to_string())).await?)
    }

    pub(crate) async fn next(&mut self) -> Result<Utf8Bytes> {
        loop {
            if let Message::Text(text) = self.socket.next().await.ok_or("the server is gone")?? {
                return Ok(text);
            }
        }
    }

    /// Waits for a message of this type.
    pub(crate) async fn until(&mut self, kind: &str) -> Result<Utf8Bytes> {
        let begins = format!("{{\"type\":\"{kind}\"");
        loop {
            let text = self.next().await?;
            if text.starts_with(&begins) {
                return Ok(text);
            }
        }
    }

    /// Waits for a message of this type about a session.
    pub(crate) async fn until_about(&mut self, kind: &str, session: Uuid) -> Result<()> {
        let session = session.to_string();
        while !self.until(kind).await?.contains(&session) {}
        Ok(())
    }
}

/// Clients that record when they receive messages about runs.
pub(crate) struct Audience {
    noted: Arc<Noted>,
    _tasks: JoinSet<()>,
}

#[derive(Default)]
struct Noted {
    receipts: Mutex<Vec<(Utf8Bytes, SystemTime)>>,
    ends: AtomicUsize,
}

impl Audience {
    pub(crate) fn of(clients: Vec<Client>) -> Self {
        let (noted, mut tasks) = (Arc::<Noted>::default(), JoinSet::new());
        for mut client in clients {
            let noted = Arc::clone(&noted);
            tasks.spawn(async move {
                while let Ok(text) = client.next().await {
                    noted.note(text, SystemTime::now());
                }
            });
        }
        Self { noted, _tasks: tasks }
    }

    /// How many ends of runs all clients together have received.
    pub(crate) fn ends(&self) -> usize {
        self.noted.ends.load(Ordering::Relaxed)
    }

    /// The time from each event's time stamp to its receipt, in milliseconds, for the messages
    /// received since the last call.
    pub(crate) fn delays(&self) -> Result<Vec<f64>> {
        let receipts = std::mem::take(
            &mut *self.noted.receipts.lock().unwrap_or_else(PoisonError::into_inner),
        );
        let mut happened = std::collections::HashMap::new();
        let mut delays = Vec::with_capacity(receipts.len());
        for (text, received) in receipts {
            let at = match happened.get(&text) {
                Some(at) => *at,
                None => *happened.entry(text.clone()).or_insert(happened_at(&text)?),
            };
            delays.push(received.duration_since(at).unwrap_or_default().as_secs_f64() * 1e3);
        }
        Ok(delays)
    }
}

impl Noted {
    fn note(&self, text: Utf8Bytes, now: SystemTime) {
        if text.starts_with("{\"type\":\"recipe_exited\"") {
            self.ends.fetch_add(1, Ordering::Relaxed);
        }
        if text.starts_with("{\"type\":\"recipe_") {
            self.receipts.lock().unwrap_or_else(PoisonError::into_inner).push((text, now));
        }
    }
}

fn happened_at(text: &str) -> Result<SystemTime> {
    let of = match serde_json::from_str(text)? {
        ServerMessage::RecipeStarted(message) => message.of,
        ServerMessage::RecipeStepStarted(message) => message.of,
        ServerMessage::RecipeStepTransition(message) => message.of,
        ServerMessage::RecipeExited(message) => message.of.ok_or("it belongs to no run")?,
        _ => return Err(format!("no time in {text}").into()),
    };
    Ok(SystemTime::UNIX_EPOCH + Duration::from_millis(of.at.0))
}
