//! A client such as the app, and a server for it to talk to.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use surefire::agent::{Agent, Rehearsal, Script};
use surefire::recipes::BUNDLED;
use surefire::server::{ApiKey, Server, ServerBuilder, ServerLimits};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderName;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::unproved;

/// The time limit of every wait. A test that reaches it fails.
pub const TEST_TIMEOUT: Duration = Duration::from_secs(20);

/// The key of every server in tests.
pub const KEY: &str = "untethered-0123456789abcdef0123456789abcdef";

/// A client.
#[derive(Debug)]
pub struct App {
    /// Its WebSocket.
    pub socket: WebSocketStream<TcpStream>,
    /// Every message that it received, in order.
    pub heard: Vec<Value>,
    /// When it received each of them.
    pub times: Vec<Instant>,
}

impl App {
    /// Connects as the app does, without a path, and receives the greeting.
    ///
    /// # Panics
    /// If the server is at its limit of connections.
    pub async fn dial(address: SocketAddr) -> Self {
        Self::try_dial(address).await.expect("the server accepts another connection")
    }

    /// The same; `None` if the server is at its limit of connections.
    ///
    /// # Panics
    /// If no server listens.
    pub async fn try_dial(address: SocketAddr) -> Option<Self> {
        let stream = TcpStream::connect(address).await.expect("the server listens");
        stream.set_nodelay(true).expect("it is a socket");
        Self::over(stream).await
    }

    /// Connects with these headers instead of the usual ones of the same name, authenticates, and
    /// receives what the server then sends to every client.
    ///
    /// # Panics
    /// If the server rejects it.
    pub async fn connect_as(address: SocketAddr, headers: &[(&str, &str)]) -> Self {
        let mut app = Self::dial_as(address, headers).await;
        app.show_the_key().await;
        app
    }

    /// Connects with these headers instead of the usual ones of the same name, and does not
    /// authenticate yet.
    ///
    /// # Panics
    /// If the server does not upgrade the connection to a WebSocket.
    pub async fn dial_as(address: SocketAddr, headers: &[(&str, &str)]) -> Self {
        let stream = TcpStream::connect(address).await.expect("the server listens");
        let mut request = format!("ws://{address}").into_client_request().expect("it is a request");
        for (name, value) in headers {
            let name = HeaderName::from_bytes(name.as_bytes()).expect("it is a name");
            request.headers_mut().insert(name, value.parse().expect("it is a value"));
        }
        let (socket, _) = client_async(request, stream).await.expect("the server admits it");
        let mut app = Self { socket, heard: Vec::new(), times: Vec::new() };
        assert_eq!(app.next().await["type"], "hello");
        app
    }

    /// A client on this connection; `None` if the server does not upgrade it to a WebSocket.
    ///
    /// # Panics
    /// If the server does not greet it.
    pub async fn over(stream: TcpStream) -> Option<Self> {
        let address = stream.peer_addr().ok()?;
        let (socket, _) = client_async(format!("ws://{address}"), stream).await.ok()?;
        let mut app = Self { socket, heard: Vec::new(), times: Vec::new() };
        assert_eq!(app.next().await["type"], "hello");
        Some(app)
    }

    /// Connects and authenticates.
    pub async fn connect(address: SocketAddr) -> Self {
        Self::connect_with(address, KEY, "0.5.0").await
    }

    /// Connects and authenticates with this key, as a client of this version.
    pub async fn connect_with(address: SocketAddr, key: &str, version: &str) -> Self {
        let mut app = Self::dial(address).await;
        app.show(key, version).await;
        app
    }

    /// Authenticates, and receives what the server then sends to every client.
    pub async fn show_the_key(&mut self) {
        self.show(KEY, "0.5.0").await;
    }

    async fn show(&mut self, key: &str, version: &str) {
        let connect = json!({
            "type": "connect", "api_key": key, "protocol_version": version, "recent_sessions_limit": 5,
        });
        self.send(connect).await;
        self.until("available_recipes").await;
    }

    /// Sends raw bytes, past the library's framing.
    pub async fn send_raw(&mut self, bytes: &[u8]) {
        // The server may close the socket during the write.
        let _ = self.socket.get_mut().write_all(bytes).await;
    }

    /// Sends a message.
    pub async fn send(&mut self, message: Value) {
        self.send_text(message.to_string()).await;
    }

    /// Sends a text frame.
    ///
    /// # Panics
    /// If the server has closed the socket.
    pub async fn send_text(&mut self, text: impl Into<String>) {
        self.socket.send(Message::text(text.into())).await.expect("the server reads");
    }

    /// The next message; `Err` with how the socket was closed.
    ///
    /// # Errors
    /// The close frame, if there was one.
    ///
    /// # Panics
    /// If no message arrives, or it is not JSON.
    pub async fn try_next(&mut self) -> Result<Value, Option<CloseFrame>> {
        loop {
            let message = tokio::time::timeout(TEST_TIMEOUT, self.socket.next()).await;
            match message.unwrap_or_else(|_| panic!("no message; before that: {}", self.story())) {
                Some(Ok(Message::Text(text))) => {
                    let value: Value = serde_json::from_str(&text).expect("messages are JSON");
                    self.heard.push(value.clone());
                    self.times.push(Instant::now());
                    return Ok(value);
                }
                Some(Ok(Message::Close(frame))) => return Err(frame),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Err(None),
            }
        }
    }

    /// The next message.
    ///
    /// # Panics
    /// If the socket is closed instead.
    pub async fn next(&mut self) -> Value {
        match self.try_next().await {
            Ok(value) => value,
            Err(frame) => {
                panic!("the socket was closed ({frame:?}); before that: {}", self.story())
            }
        }
    }

    /// The next message of this type. Those before it are in `heard`.
    pub async fn until(&mut self, kind: &str) -> Value {
        loop {
            let message = self.next().await;
            if message["type"] == kind {
                return message;
            }
        }
    }

    /// The next message of this type about this session. Those before it are in `heard`.
    pub async fn until_in(&mut self, session: &Value, kind: &str) -> Value {
        loop {
            let message = self.until(kind).await;
            if message["session_id"] == *session {
                return message;
            }
        }
    }

    /// How the socket is closed. The messages before that are in `heard`.
    pub async fn closed(&mut self) -> Option<CloseFrame> {
        loop {
            if let Err(frame) = self.try_next().await {
                return frame;
            }
        }
    }

    /// The messages since the last call, up to the answer to a ping.
    pub async fn so_far(&mut self) -> Vec<Value> {
        let before = self.heard.len();
        self.send(json!({ "type": "ping" })).await;
        self.until("pong").await;
        self.heard[before..self.heard.len() - 1].to_vec()
    }

    /// The types of all messages that it received.
    #[must_use]
    pub fn kinds(&self) -> Vec<&str> {
        self.heard.iter().map(|message| message["type"].as_str().unwrap_or("?")).collect()
    }

    fn story(&self) -> String {
        self.kinds().join(", ")
    }
}

/// A server in this process, and the directory it works in.
#[derive(Debug)]
pub struct Serving {
    /// Where it listens.
    pub address: SocketAddr,
    /// Its data and its projects.
    pub place: TempDir,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

impl Serving {
    /// A server whose agent plays this rehearsal, without pauses.
    pub async fn rehearsing(script: Script) -> Self {
        Self::with(Arc::new(Rehearsal::new(script)), |builder| builder).await
    }

    /// A server with these limits.
    pub async fn limited(limits: ServerLimits) -> Self {
        Self::with(Arc::new(Rehearsal::default()), |builder| builder.limits(limits)).await
    }

    /// A server with this agent and these changes.
    ///
    /// # Panics
    /// If the disk is full.
    pub async fn with(
        agent: Arc<dyn Agent>,
        change: impl FnOnce(ServerBuilder) -> ServerBuilder,
    ) -> Self {
        let place = tempfile::tempdir().expect("the disk has room for tests");
        Self::again_in(place, agent, change).await
    }

    /// A server in the directory of an earlier one.
    ///
    /// # Panics
    /// If it does not start.
    pub async fn again_in(
        place: TempDir,
        agent: Arc<dyn Agent>,
        change: impl FnOnce(ServerBuilder) -> ServerBuilder,
    ) -> Self {
        let locks = place.path().join("locks");
        // A rehearsal makes no commits, and with other agents few tests here need evidence of one.
        let recipes = if agent.about().rehearsal { BUNDLED } else { unproved() };
        let builder = Server::builder()
            .recipes(recipes)
            .agent(agent)
            .data(place.path().join("data"))
            .root(place.path())
            .key(ApiKey::parse(KEY).expect("it is a key"))
            .listen(([127, 0, 0, 1], 0))
            .tune(move |options| options.locks = locks);
        let server = change(builder).bind().await.expect("the server starts");
        let address = server.address();
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(server.serve(async {
            let _ = stopped.await;
        }));
        Self { address, place, stop: Some(stop), task }
    }

    /// A directory that agents may work in.
    ///
    /// # Panics
    /// If the disk is full.
    #[must_use]
    pub fn project(&self) -> PathBuf {
        let project = self.place.path().join("project");
        std::fs::create_dir_all(&project).expect("there is room");
        project
    }

    /// Stops the server as SIGTERM would, and waits until it is gone.
    ///
    /// # Panics
    /// If it does not stop, or has panicked.
    pub async fn stop(mut self) -> TempDir {
        drop(self.stop.take());
        tokio::time::timeout(TEST_TIMEOUT, self.task)
            .await
            .expect("it stops")
            .expect("it does not panic");
        self.place
    }
}
