//! `surefire serve`: what it prints once it is ready, and its errors when it cannot start.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::command::{CommandOutput, Place};

/// How many lines a server prints to a pipe when it is ready.
const READY_LINES: usize = 6;

/// A server that is ready. It is killed when this is dropped.
pub(crate) struct Serving {
    pub(crate) child: Child,
    /// What it printed when it was ready.
    pub(crate) lines: Vec<String>,
}

impl Serving {
    /// Starts a server at a free port, with an agent that rehearses.
    pub(crate) fn begin(place: &Place, words: &[&str]) -> Self {
        Self::by(place.surefire(&["serve", "--agent", "rehearsal"]), words)
    }

    /// Starts a server with this command and these further words.
    fn by(mut command: Command, words: &[&str]) -> Self {
        if !words.contains(&"--listen") {
            command.args(["--listen", "127.0.0.1:0"]);
        }
        let count = if words.contains(&"--json") { 1 } else { READY_LINES };
        let mut child = command.args(words).spawn().expect("the command can be run");
        let out = BufReader::new(child.stdout.take().expect("it is piped"));
        let lines: Vec<_> = out.lines().take(count).map(|line| line.expect("it is text")).collect();
        assert_eq!(lines.len(), count, "the server starts");
        Self { child, lines }
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> &str {
        self.lines[0].strip_prefix("Surefire is listening on http://").expect("it says so first")
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("it is our child");
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_pipe_gets_everything_but_the_key() {
    let place = Place::new();
    let server = Serving::begin(&place, &[]);
    let (address, data) = (server.address(), place.data().display().to_string());
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    let expected = [
        format!("Surefire is listening on http://{address}"),
        format!("Open that in a browser, or connect the app to ws://{address}"),
        format!("The key is in {data}/api-key"),
        "The agent is the built-in rehearsal (as configured): it only pretends and changes nothing"
            .to_owned(),
        format!("The data directory is {data}"),
        format!("The log is in {data}/logs/surefire.log"),
    ];
    assert_eq!(server.lines, expected);
    let key = std::fs::read_to_string(place.data().join("api-key")).unwrap();
    assert!(!server.lines.concat().contains(key.trim()));
}

#[test]
fn json_output_has_a_usable_address_of_a_server_that_listens_everywhere() {
    let place = Place::new();
    let server = Serving::begin(&place, &["--json", "--lan", "--listen", "0.0.0.0:0"]);
    let ready: Value = serde_json::from_str(&server.lines[0]).unwrap();
    let keys: Vec<_> = ready.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["agent", "data_dir", "key_file", "log_file", "url", "version", "ws_url"]);
    let url = ready["url"].as_str().unwrap();
    let port = url.strip_prefix("http://127.0.0.1:").expect("an address that can be used");
    assert_eq!(ready["ws_url"], format!("ws://127.0.0.1:{port}"));
    assert!(std::net::TcpStream::connect(("127.0.0.1", port.parse().unwrap())).is_ok());
}

#[test]
fn a_second_server_names_the_server_that_uses_the_directory() {
    let place = Place::new();
    let server = Serving::begin(&place, &[]);
    let holder =
        format!("is in use by the server with pid {} at {}", server.child.id(), server.address());
    // Even if the address is in use too: another address would not help.
    for address in ["127.0.0.1:0", server.address()] {
        let error = place.run(&["--agent", "rehearsal", "--listen", address]).failure(1);
        assert!(error.lines().count() == 3 && error.contains(&holder), "{error}");
    }
    let other = Place::new();
    let error = other.run(&["--agent", "rehearsal", "--listen", server.address()]).failure(1);
    assert!(error.contains(&format!("cannot listen at {}", server.address())), "{error}");
}

#[test]
fn a_missing_agent_is_reported_in_three_lines() {
    let place = Place::new();
    for words in [&["--agent", "claude"][..], &["--agent-path", "/nowhere/claude"]] {
        let error = place.run(&[&["serve", "--listen", "127.0.0.1:0"], words].concat()).failure(1);
        let lines: Vec<_> = error.lines().collect();
        assert_eq!((lines.len(), lines[0]), (3, "error: the server cannot be started"), "{error}");
        assert!(lines[2].contains("install Claude Code"), "{error}");
        assert!(!place.data().exists(), "nothing was created");
    }
}

#[test]
fn a_rehearsal_by_a_real_agent_is_refused_unless_one_setting_takes_precedence() {
    let place = Place::new();
    let error = place.run(&["--agent", "claude", "--rehearse", "happy"]).failure(64);
    assert!(error.contains("remove `--agent` or `--rehearse`"), "{error}");

    let file = place.path().join("config.toml");
    std::fs::write(&file, "rehearse = 'happy'").unwrap();
    let file = ["--config", file.to_str().unwrap()];
    let real = place.run(&[&["--agent", "claude"][..], &file].concat()).failure(1);
    assert!(real.contains("install Claude Code"), "the command line takes precedence: {real}");
    std::fs::write(file[1], "agent = 'claude'").unwrap();
    let mut doctor = place.surefire(&["doctor", "--rehearse", "happy", "--listen", "127.0.0.1:0"]);
    let output = CommandOutput::of(doctor.args(file), &place).ok();
    assert!(output.contains("the built-in rehearsal, as configured"), "{output}");
}

#[test]
fn lan_at_a_loopback_address_is_reported() {
    let place = Place::new();
    let warning = |words: &[&str]| {
        let mut server = Serving::begin(&place, words);
        server.signal(Signal::TERM);
        let mut output = String::new();
        server.child.stderr.take().unwrap().read_to_string(&mut output).unwrap();
        server.child.wait().unwrap();
        output
    };
    assert!(warning(&["--lan"]).starts_with("No other machine can connect, despite --lan"));
    assert!(
        warning(&["--lan", "--listen", "0.0.0.0:0"]).starts_with("Other machines can connect.")
    );
    assert!(!warning(&[]).contains("machine"));
}

#[test]
fn rust_log_selects_what_is_logged_and_is_reported_if_invalid() {
    let place = Place::new();
    let logged = |filter: &str| {
        let mut command =
            place.surefire(&["serve", "--agent", "rehearsal", "--log-format", "json"]);
        command.env("RUST_LOG", filter);
        let mut server = Serving::by(command, &[]);
        server.signal(Signal::TERM);
        let lines = BufReader::new(server.child.stderr.take().unwrap()).lines();
        let lines =
            lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).expect("it is JSON"));
        let output =
            lines.map(|line| line["fields"]["message"].as_str().unwrap_or_default().to_owned());
        output.collect::<Vec<_>>()
    };
    assert_eq!(logged("off"), [""; 0]);
    assert_eq!(logged(""), ["stopping the server"], "an empty value counts as unset");
    let output = logged("surefire=loud");
    assert!(output[0].starts_with("ignored `RUST_LOG`: ") && output.len() == 2, "{output:?}");
}

#[test]
fn the_log_file_has_the_log_of_each_server_and_never_the_key() {
    let place = Place::new();
    let (usual, chosen) = (place.data().join("logs/surefire.log"), place.path().join("own.log"));
    let stop = |server: &mut Serving| {
        server.signal(Signal::TERM);
        server.child.wait().unwrap();
    };
    for _ in 0..2 {
        stop(&mut Serving::begin(&place, &["-vv"]));
    }
    stop(&mut Serving::begin(&place, &["--log-file", chosen.to_str().unwrap()]));
    let key = std::fs::read_to_string(place.data().join("api-key")).unwrap();
    for (file, stops) in [(usual, 2), (chosen, 1)] {
        let log = std::fs::read_to_string(&file).unwrap();
        assert_eq!(log.matches("stopping the server").count(), stops, "{log}");
        assert!(!log.contains(key.trim()), "{log}");
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "only its owner can read it");
    }
}

#[test]
fn a_log_file_that_cannot_be_opened_does_not_stop_the_server() {
    let place = Place::new();
    let directory = place.path().display().to_string();
    let mut server = Serving::begin(&place, &["--log-file", &directory]);
    server.signal(Signal::TERM);
    let mut logged = String::new();
    server.child.stderr.take().unwrap().read_to_string(&mut logged).unwrap();
    assert!(logged.contains("failed to open log file"), "{logged}");
    assert!(server.child.wait().unwrap().success());
}

#[test]
fn an_address_of_another_machine_is_reported() {
    let place = Place::new();
    let words = ["--agent", "rehearsal", "--lan", "--listen", "192.0.2.1:0"];
    let error = place.run(&words).failure(1);
    assert!(error.contains("fix: choose an address of this machine with --listen"), "{error}");
}

#[test]
fn closing_the_terminal_stops_the_server() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if ignores_hang_ups(&status) {
        // Under `nohup` the server outlives its terminal; the next test covers that.
        return;
    }
    let place = Place::new();
    let mut server = Serving::begin(&place, &[]);
    server.signal(Signal::HUP);
    assert!(server.child.wait().unwrap().success());
}

#[test]
fn a_server_that_ignores_hang_ups_outlives_its_terminal() {
    let place = Place::new();
    let words = [
        "-c",
        "trap '' HUP; exec \"$0\" serve --agent rehearsal \"$@\"",
        env!("CARGO_BIN_EXE_surefire"),
    ];
    let mut server = Serving::by(place.program(Path::new("/bin/sh"), &words), &[]);
    if cfg!(target_os = "linux") {
        server.signal(Signal::HUP);
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", server.child.id())).unwrap();
        assert!(ignores_hang_ups(&status));
    }
    server.signal(Signal::TERM);
    assert!(server.child.wait().unwrap().success());
}

/// Whether a process ignores SIGHUP, signal 1, according to its `/proc/<pid>/status`.
fn ignores_hang_ups(status: &str) -> bool {
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() & 1 == 1)
}
