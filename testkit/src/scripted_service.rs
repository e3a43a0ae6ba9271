//! The service behind Claude Code, on the loopback interface: it plays a script instead of a model.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

/// Longer than any test waits.
const HANG_DURATION: Duration = Duration::from_secs(10 * 60);

/// What the scripted model does when it is asked.
#[derive(Debug, Clone)]
pub enum Move {
    /// Replies with this text, and is done.
    Says(String),
    /// Uses these tools, each with its input, and is asked again once they are done.
    Uses(Vec<(String, Value)>),
    /// The service fails: a status, the kind of the error, and its message.
    Fails(u16, &'static str, &'static str),
    /// The service never answers.
    Hangs,
}

impl Move {
    /// Replies with this text, and is done.
    #[must_use]
    pub fn says(words: &str) -> Self {
        Self::Says(words.to_owned())
    }

    /// Uses one tool.
    #[must_use]
    pub fn uses(tool: &str, input: Value) -> Self {
        Self::Uses(vec![(tool.to_owned(), input)])
    }

    /// Runs a command.
    #[must_use]
    pub fn runs(command: &str) -> Self {
        Self::uses("Bash", json!({ "command": command, "description": "as the script says" }))
    }
}

/// Plays a script, one move per request. Requests without tools are small ones that the CLI makes
/// for itself (for a title, for example): they are answered and not counted.
///
/// One answer uses 3,000 tokens of input and 1,000 of output: with the model `claude-sonnet-4-5`
/// that is $0.024.
///
/// ```
/// use surefire_testkit::{Move, ScriptedService};
///
/// let service = ScriptedService::start([Move::runs("git status"), Move::says("Done.")]);
/// assert!(service.address().starts_with("http://127.0.0.1:"));
/// assert!(service.requests().is_empty());
/// ```
#[derive(Debug)]
pub struct ScriptedService {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    script: Mutex<VecDeque<Move>>,
    /// What it does when the script has ended.
    rest: Option<Move>,
    requests: Mutex<Vec<Value>>,
    is_closed: AtomicBool,
}

impl ScriptedService {
    /// A service that plays these moves, and then replies that the script has ended.
    ///
    /// # Panics
    /// If there is no loopback interface.
    #[must_use]
    pub fn start(script: impl IntoIterator<Item = Move>) -> Self {
        let script = Mutex::new(script.into_iter().collect());
        Self::serve(Shared { script, ..Shared::default() })
    }

    /// A service that does the same for every request.
    ///
    /// # Panics
    /// If there is no loopback interface.
    #[must_use]
    pub fn always(same: Move) -> Self {
        Self::serve(Shared { rest: Some(same), ..Shared::default() })
    }

    fn serve(shared: Shared) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a loopback interface");
        let address = listener.local_addr().expect("it is bound");
        let shared = Arc::new(shared);
        let serving = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if serving.is_closed.load(Ordering::Relaxed) {
                    return;
                }
                let serving = Arc::clone(&serving);
                // A client may disconnect in the middle of a response.
                std::thread::spawn(move || drop(serving.respond(stream)));
            }
        });
        Self { address, shared }
    }

    /// Adds moves to the script.
    pub fn play(&self, script: impl IntoIterator<Item = Move>) {
        lock(&self.shared.script).extend(script);
    }

    /// Its address.
    #[must_use]
    pub fn address(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Environment variables that make the CLI send its requests only here.
    #[must_use]
    pub fn environment(&self) -> Vec<(OsString, OsString)> {
        let pairs = [
            ("ANTHROPIC_BASE_URL", self.address().as_str()),
            ("ANTHROPIC_API_KEY", "sk-ant-none"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("CLAUDE_CODE_MAX_RETRIES", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
        ]
        .map(|(name, value)| (name.into(), value.into()));
        pairs.into()
    }

    /// The requests that it received, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<Value> {
        lock(&self.shared.requests).clone()
    }

    /// The names of the tools in the last request.
    #[must_use]
    pub fn offered(&self) -> Vec<String> {
        self.requests().last().map(tools).unwrap_or_default()
    }
}

impl Drop for ScriptedService {
    fn drop(&mut self) {
        self.shared.is_closed.store(true, Ordering::Relaxed);
        // Wakes the thread that waits for the next connection.
        drop(TcpStream::connect(self.address));
    }
}

/// A poisoned lock is fine: tests that panic on purpose do not do so in the middle of a change.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn tools(request: &Value) -> Vec<String> {
    let tools = request["tools"].as_array().into_iter().flatten();
    tools.filter_map(|tool| Some(tool["name"].as_str()?.to_owned())).collect()
}

impl Shared {
    fn respond(&self, mut stream: TcpStream) -> io::Result<()> {
        let (path, request) = read(&stream)?;
        if !path.starts_with("/v1/messages?") && path != "/v1/messages" {
            return write(&mut stream, 404, "application/json", "{}");
        }
        let is_conversation = !tools(&request).is_empty();
        let next = if is_conversation {
            // In the order of the requests, even if several arrive at once.
            let mut requests = lock(&self.requests);
            requests.push(request.clone());
            lock(&self.script).pop_front().or_else(|| self.rest.clone())
        } else {
            self.rest.clone().filter(|rest| matches!(rest, Move::Fails(..) | Move::Hangs))
        };
        let next = next.unwrap_or_else(|| Move::says("The script is at its end."));
        let blocks = match next {
            Move::Says(words) => vec![json!({ "type": "text", "text": words })],
            Move::Uses(tools) => {
                tools.into_iter().map(|(tool, input)| used(&tool, &input)).collect()
            }
            Move::Fails(status, kind, words) => {
                let error = json!({ "type": "error", "error": { "type": kind, "message": words } });
                return write(&mut stream, status, "application/json", &error.to_string());
            }
            Move::Hangs => {
                std::thread::sleep(HANG_DURATION);
                return Ok(());
            }
        };
        let message = message(&request["model"], &blocks);
        if request["stream"] == true {
            write(&mut stream, 200, "text/event-stream", &events(&message))
        } else {
            write(&mut stream, 200, "application/json", &message.to_string())
        }
    }
}

fn used(tool: &str, input: &Value) -> Value {
    json!({ "type": "tool_use", "id": format!("toolu_{}", uuid::Uuid::new_v4().simple()), "name": tool, "input": input })
}

fn message(model: &Value, blocks: &[Value]) -> Value {
    let uses = blocks.iter().any(|block| block["type"] == "tool_use");
    json!({
        "id": format!("msg_{}", uuid::Uuid::new_v4().simple()), "type": "message", "role": "assistant",
        "model": model, "content": blocks, "stop_reason": if uses { "tool_use" } else { "end_turn" },
        "stop_sequence": null, "usage": { "input_tokens": 3000, "output_tokens": 1000 },
    })
}

/// A message, in the pieces that the service sends it in.
fn events(message: &Value) -> String {
    let mut begun = message.clone();
    begun["content"] = json!([]);
    begun["stop_reason"] = Value::Null;
    begun["usage"]["output_tokens"] = json!(1);
    let mut pieces = vec![json!({ "type": "message_start", "message": begun })];
    for (index, block) in message["content"].as_array().into_iter().flatten().enumerate() {
        let mut empty = block.clone();
        let delta = if block["type"] == "tool_use" {
            empty["input"] = json!({});
            json!({ "type": "input_json_delta", "partial_json": block["input"].to_string() })
        } else {
            empty["text"] = json!("");
            json!({ "type": "text_delta", "text": block["text"] })
        };
        pieces
            .push(json!({ "type": "content_block_start", "index": index, "content_block": empty }));
        pieces.push(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
        pieces.push(json!({ "type": "content_block_stop", "index": index }));
    }
    let reason = json!({ "stop_reason": message["stop_reason"], "stop_sequence": null });
    let usage = json!({ "output_tokens": message["usage"]["output_tokens"] });
    pieces.push(json!({ "type": "message_delta", "delta": reason, "usage": usage }));
    pieces.push(json!({ "type": "message_stop" }));
    let event = |piece: &Value| {
        format!("event: {}\ndata: {piece}\n\n", piece["type"].as_str().unwrap_or(""))
    };
    pieces.iter().map(event).collect()
}

/// The path of a request, and its body if that is JSON.
fn read(stream: &TcpStream) -> io::Result<(String, Value)> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut length = 0;
    line.clear();
    while reader.read_line(&mut line)? > 2 {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok((path, serde_json::from_slice(&body).unwrap_or_default()))
}

fn write(stream: &mut TcpStream, status: u16, kind: &str, body: &str) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status} x\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n",
        body.len()
    );
    stream.write_all(format!("{head}connection: close\r\n\r\n{body}").as_bytes())
}
