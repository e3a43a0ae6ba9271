//! The driver against the real Claude Code CLI, at the version pinned in `tests/real-cli/`, without a login.
//!
//! Where an answer of the service is needed, a few lines of HTTP on the loopback interface stand in for it. What the CLI
//! printed in each case when this was written is what the driver's code and the fake CLI are made after.
#![cfg(all(feature = "engine", target_os = "linux"))]

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;
use surefire::agent::{Agent, Claude, ClaudeSettings, Failure, Reply, Sign, Turn};
use surefire_testkit::sandbox::{self, alive, ends, is_collected};
use surefire_testkit::{Watcher, eventually, link};
use tempfile::TempDir;
use uuid::Uuid;

/// The CLI, or `None` if whoever runs the tests does without it.
fn program() -> Option<PathBuf> {
    if std::env::var_os("SUREFIRE_SKIP_REAL_CLI").is_some_and(|value| value == "1") {
        eprintln!("skipped: SUREFIRE_SKIP_REAL_CLI is 1");
        return None;
    }
    let own = std::env::current_exe().unwrap();
    let target = own.ancestors().nth(3).expect("a test lies in <target>/<profile>/deps");
    let named = std::env::var_os("SUREFIRE_REAL_CLAUDE").map(PathBuf::from);
    let program = named.unwrap_or_else(|| target.join("claude-cli/claude"));
    assert!(
        program.is_file(),
        "there is no Claude Code CLI at {}: run `scripts/install-claude-cli`, or set SUREFIRE_SKIP_REAL_CLI=1",
        program.display()
    );
    Some(program)
}

/// A home with nothing in it, and a CLI that has never seen another.
struct Real {
    folder: TempDir,
    claude: Claude,
}

impl Real {
    /// Without a login, and with nobody to talk to.
    fn logged_out() -> Option<Self> {
        Self::with(&[])
    }

    /// With a service that gives this answer to everything.
    fn served_by(answer: Answer) -> Option<Self> {
        let address = serve(answer);
        Self::with(&[("ANTHROPIC_BASE_URL", &address), ("ANTHROPIC_API_KEY", "sk-ant-none")])
    }

    fn with(more: &[(&str, &str)]) -> Option<Self> {
        let program = program()?;
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "project", "scratch"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let mut environment: Vec<(OsString, OsString)> = vec![
            ("PATH".into(), std::env::var_os("PATH").unwrap()),
            ("HOME".into(), folder.path().join("home").into()),
            ("TMPDIR".into(), folder.path().into()),
            ("DISABLE_AUTOUPDATER".into(), "1".into()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC".into(), "1".into()),
            ("CLAUDE_CODE_MAX_RETRIES".into(), "1".into()),
            ("CLAUDECODE".into(), "1".into()),
        ];
        environment.extend(more.iter().map(|(name, value)| ((*name).into(), (*value).into())));
        let claude = Claude::with_environment(program, environment).settings(ClaudeSettings {
            grace: Duration::from_secs(3),
            linger: Duration::from_secs(10),
            ..ClaudeSettings::default()
        });
        Some(Self { folder, claude })
    }

    fn turn(&self, prompt: &str) -> Turn {
        let mut turn = sandbox::turn(self.folder.path());
        prompt.clone_into(&mut turn.prompt);
        turn.limits.duration = Duration::from_mins(2);
        turn.limits.silence = Duration::from_mins(1);
        turn
    }

    async fn take(&self, turn: &Turn) -> Result<Reply, Failure> {
        let result = self.claude.turn(turn.clone(), Watcher::new().link).await;
        assert_eq!(alive(turn.attempt), [0; 0]);
        result
    }
}

/// What the service answers.
#[derive(Clone, Copy)]
enum Answer {
    Words(&'static str),
    /// Whether the question contains this.
    Whether(&'static str),
    Error(u16, &'static str, &'static str),
    /// Nothing, ever.
    Silence,
}

/// Serves one answer to all requests, for as long as the tests run.
fn serve(answer: Answer) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || respond(stream, answer));
        }
    });
    address
}

fn respond(stream: TcpStream, answer: Answer) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut length, mut line) = (0, String::new());
    while reader.read_line(&mut line)? > 2 {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        line.clear();
    }
    let mut question = vec![0; length];
    reader.read_exact(&mut question)?;
    let (status, kind, body) = match answer {
        Answer::Words(words) => (200, "text/event-stream", events(words)),
        Answer::Whether(words) => {
            let told = question.windows(words.len()).any(|part| part == words.as_bytes());
            (200, "text/event-stream", events(if told { "I was told." } else { "I was not told." }))
        }
        Answer::Error(status, kind, words) => {
            let error = json!({ "type": "error", "error": { "type": kind, "message": words } });
            (status, "application/json", error.to_string())
        }
        Answer::Silence => {
            std::thread::sleep(Duration::from_mins(10));
            return Ok(());
        }
    };
    let head = format!("HTTP/1.1 {status} x\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n", body.len());
    let mut stream = stream;
    stream.write_all(format!("{head}connection: close\r\n\r\n{body}").as_bytes())
}

/// A message, in the pieces that the service sends it in.
fn events(words: &str) -> String {
    let message = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-4-1", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": { "input_tokens": 5, "output_tokens": 1 },
    });
    let pieces = [
        json!({ "type": "message_start", "message": message }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": words } }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn", "stop_sequence": null },
            "usage": { "output_tokens": 9 } }),
        json!({ "type": "message_stop" }),
    ];
    pieces
        .iter()
        .map(|piece| format!("event: {}\ndata: {piece}\n\n", piece["type"].as_str().unwrap()))
        .collect()
}

#[tokio::test]
async fn without_a_login_it_says_so_whatever_the_prompt_is() {
    for prompt in ["Hello", "--version", "--help\n", &"x".repeat(1 << 20)] {
        let Some(real) = Real::logged_out() else { return };
        let failure = real.take(&real.turn(prompt)).await.unwrap_err();
        assert!(matches!(&failure, Failure::NotLoggedIn { words } if words.contains("/login")), "{failure}");
    }
}

#[tokio::test]
async fn a_reply_and_a_second_one_in_the_same_conversation() {
    let Some(real) = Real::served_by(Answer::Words("Done.\n{\"outcome\": \"complete\"}")) else { return };
    let first = real.turn("Do it.");
    let watcher = Watcher::new();
    let reply = real.claude.turn(first.clone(), watcher.link.clone()).await.unwrap();
    assert_eq!(reply.text, "Done.\n{\"outcome\": \"complete\"}");
    assert_eq!((reply.version.as_deref(), reply.rounds), (Some(pinned().as_str()), Some(1)));
    assert!(reply.cost_usd.is_some());
    watcher.hears("said Done.\n{\"outcome\": \"complete\"}").await;

    // Nobody remembers that the conversation was opened, and it goes on from another directory.
    let mut second = real.turn("And now?");
    second.session = first.session;
    second.directory = real.folder.path().to_owned();
    assert_eq!(real.take(&second).await.unwrap().text, reply.text);
}

#[tokio::test]
async fn a_system_prompt_reaches_the_service_with_every_turn() {
    let Some(real) = Real::served_by(Answer::Whether("Answer in one line, and say why.")) else { return };
    let mut turn = real.turn("Do it.");
    assert_eq!(real.take(&turn).await.unwrap().text, "I was not told.");
    turn = Turn { system_prompt: Some("Answer in one line, and say why.".into()), ..real.turn("Do it.") };
    for opened in [false, true] {
        turn.opened = opened;
        assert_eq!(real.take(&turn).await.unwrap().text, "I was told.");
    }
}

#[tokio::test]
async fn a_lost_conversation_is_not_replaced() {
    let Some(real) = Real::served_by(Answer::Words("Done.")) else { return };
    let mut turn = real.turn("Do it.");
    real.take(&turn).await.unwrap();
    turn.opened = true;
    real.take(&turn).await.expect("it can be resumed");
    let projects = real.folder.path().join("home/.claude/projects");
    let folder = std::fs::read_dir(projects).unwrap().next().unwrap().unwrap().path();
    std::fs::remove_file(folder.join(format!("{}.jsonl", turn.session))).expect("this is where it was kept");
    let failure = real.take(&turn).await.unwrap_err();
    assert!(failure.to_string().contains("the conversation is lost"), "{failure}");
}

#[tokio::test]
async fn errors_of_the_service_are_told_apart() {
    type Expected = fn(&Failure) -> bool;
    let table: [(Answer, Expected); 6] = [
        (Answer::Error(401, "authentication_error", "invalid x-api-key"), |failure| {
            matches!(failure, Failure::NotLoggedIn { .. })
        }),
        (Answer::Error(403, "permission_error", "OAuth token does not meet scope requirement"), |failure| {
            matches!(failure, Failure::NotLoggedIn { .. })
        }),
        (Answer::Error(529, "overloaded_error", "Overloaded"), |failure| {
            matches!(failure, Failure::Overloaded { .. })
        }),
        (
            Answer::Error(400, "invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum"),
            |failure| matches!(failure, Failure::ContextFull { .. }),
        ),
        (Answer::Error(429, "rate_limit_error", "This request would exceed your rate limit"), |failure| {
            matches!(failure, Failure::UsageLimit { .. })
        }),
        (
            Answer::Error(400, "invalid_request_error", "Your credit balance is too low to access the API"),
            |failure| matches!(failure, Failure::Refused { words } if words.contains("Credit balance")),
        ),
    ];
    for (answer, expected) in table {
        let Some(real) = Real::served_by(answer) else { return };
        let failure = real.take(&real.turn("Do it.")).await.unwrap_err();
        assert!(expected(&failure), "{failure:?}");
    }
}

#[tokio::test]
async fn it_can_be_stopped_while_it_waits_for_the_service() {
    let Some(real) = Real::served_by(Answer::Silence) else { return };
    let (turn, watcher) = (real.turn("Do it."), Watcher::new());
    let doing = tokio::spawn(real.claude.turn(turn.clone(), watcher.link.clone()));
    let output = turn.scratch.join("stdout.jsonl");
    eventually("it has begun", || std::fs::metadata(&output).is_ok_and(|metadata| metadata.len() > 0)).await;
    watcher.link.stop.cancel();
    assert_eq!(doing.await.unwrap(), Err(Failure::Stopped));
    assert_eq!(alive(turn.attempt), [0; 0]);
    assert!(is_collected(&watcher.process().unwrap()));
}

/// It waits 3 s for the first byte of its prompt, and then ends without having done anything.
#[tokio::test]
async fn a_prompt_that_comes_too_late_is_given_to_another_process() {
    let Some(real) = Real::served_by(Answer::Words("Done.")) else { return };
    let (link, mut signs) = link(4);
    let turn = real.turn("Do it.");
    let doing = tokio::spawn(real.claude.turn(turn.clone(), link));
    let Some(Sign::Spawned { process, go }) = signs.recv().await else { panic!() };
    ends(&process).await;
    go.send(()).unwrap();
    let Some(Sign::Spawned { go, .. }) = signs.recv().await else { panic!() };
    go.send(()).unwrap();
    assert_eq!(doing.await.unwrap().unwrap().text, "Done.");
}

/// What a crash between starting a process and writing it down comes to: an empty prompt is none.
#[tokio::test]
async fn a_process_that_nobody_speaks_to_ends_by_itself() {
    let Some(real) = Real::logged_out() else { return };
    let (status, stderr) = by_hand(&real, Uuid::new_v4(), Stdio::null());
    assert_eq!(status, (Some(1), true));
    assert!(stderr.contains("Input must be provided"), "{stderr}");
}

/// The words by which the driver knows that nothing was done and that it may try again with `--resume`.
#[tokio::test]
async fn an_id_that_is_in_use_is_refused_with_these_words() {
    let Some(real) = Real::logged_out() else { return };
    let turn = real.turn("Do it.");
    real.take(&turn).await.expect_err("nobody is logged in, and yet the conversation exists now");
    let (reader, mut writer) = std::io::pipe().unwrap();
    writer.write_all(b"Do it.").unwrap();
    drop(writer);
    let (status, stderr) = by_hand(&real, turn.session, reader.into());
    assert_eq!(status, (Some(1), true));
    assert!(stderr.contains(&format!("Session ID {} is already in use", turn.session)), "{stderr}");
}

/// Runs the CLI without the driver: its exit status, whether its standard output is empty, and its standard error.
fn by_hand(real: &Real, session: Uuid, stdin: Stdio) -> ((Option<i32>, bool), String) {
    let mut command = Command::new(real.claude.path());
    command.args(["-p", "--output-format", "stream-json", "--verbose", "--session-id", &session.to_string()]);
    command
        .env_clear()
        .env("HOME", real.folder.path().join("home"))
        .env("PATH", std::env::var_os("PATH").unwrap());
    let output = command.current_dir(real.folder.path().join("project")).stdin(stdin).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    ((output.status.code(), output.stdout.is_empty()), stderr)
}

fn pinned() -> String {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real-cli/package.json");
    let manifest: serde_json::Value = serde_json::from_slice(&std::fs::read(manifest).unwrap()).unwrap();
    manifest["dependencies"]["@anthropic-ai/claude-code"].as_str().unwrap().to_owned()
}
