//! `surefire serve`: what it says once it is ready, and what it says when it cannot be.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::command::{Place, Said};

/// How many lines a server says to a pipe.
const LINES: usize = 5;

/// A server that is ready. It is killed when this is dropped.
pub(crate) struct Serving {
    pub(crate) child: Child,
    /// What it said.
    pub(crate) lines: Vec<String>,
}

impl Serving {
    /// Starts a server at a free port, with an agent that rehearses.
    pub(crate) fn begin(place: &Place, words: &[&str]) -> Self {
        Self::by(place.surefire(&["serve", "--agent", "rehearsal"]), words)
    }

    /// The same by a command that begins so.
    fn by(mut command: Command, words: &[&str]) -> Self {
        if !words.contains(&"--listen") {
            command.args(["--listen", "127.0.0.1:0"]);
        }
        let count = if words.contains(&"--json") { 1 } else { LINES };
        let mut child = command.args(words).spawn().expect("the command can be run");
        let out = BufReader::new(child.stdout.take().expect("it is piped"));
        let lines: Vec<_> = out.lines().take(count).map(|line| line.expect("it is text")).collect();
        assert_eq!(lines.len(), count, "it comes up");
        Self { child, lines }
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> &str {
        self.lines[0].strip_prefix("Surefire listens at http://").expect("it says so first")
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
fn a_pipe_learns_everything_but_the_key() {
    let place = Place::new();
    let server = Serving::begin(&place, &[]);
    let (address, data) = (server.address(), place.data().display().to_string());
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    let expected = [
        format!("Surefire listens at http://{address}"),
        format!("Open that in a browser, or connect the app to ws://{address}"),
        format!("The key is in {data}/api-key"),
        "The agent is the built-in rehearsal (as asked for): it only pretends, and changes nothing"
            .to_owned(),
        format!("Everything is kept in {data}"),
    ];
    assert_eq!(server.lines, expected);
    let key = std::fs::read_to_string(place.data().join("api-key")).unwrap();
    assert!(!server.lines.concat().contains(key.trim()));
}

#[test]
fn a_program_learns_where_this_machine_reaches_a_server_that_listens_everywhere() {
    let place = Place::new();
    let server = Serving::begin(&place, &["--json", "--lan", "--listen", "0.0.0.0:0"]);
    let ready: Value = serde_json::from_str(&server.lines[0]).unwrap();
    let keys: Vec<_> = ready.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["agent", "data_dir", "key_file", "url", "version", "ws_url"]);
    let url = ready["url"].as_str().unwrap();
    let port = url.strip_prefix("http://127.0.0.1:").expect("an address that can be used");
    assert_eq!(ready["ws_url"], format!("ws://127.0.0.1:{port}"));
    assert!(std::net::TcpStream::connect(("127.0.0.1", port.parse().unwrap())).is_ok());
}

#[test]
fn a_second_server_is_told_who_has_the_directory() {
    let place = Place::new();
    let server = Serving::begin(&place, &[]);
    let holder = format!("is in use by the server with pid {} at {}", server.child.id(), server.address());
    // Also where the first thing in its way is the address: that is not what is wrong.
    for address in ["127.0.0.1:0", server.address()] {
        let complaint = place.run(&["--agent", "rehearsal", "--listen", address]).complaint(1);
        assert!(complaint.lines().count() == 3 && complaint.contains(&holder), "{complaint}");
    }
    let other = Place::new();
    let complaint = other.run(&["--agent", "rehearsal", "--listen", server.address()]).complaint(1);
    assert!(complaint.contains(&format!("cannot listen at {}", server.address())), "{complaint}");
}

#[test]
fn an_agent_that_is_not_there_is_said_in_three_lines() {
    let place = Place::new();
    for words in [&["--agent", "claude"][..], &["--agent-path", "/nowhere/claude"]] {
        let complaint = place.run(&[&["serve", "--listen", "127.0.0.1:0"], words].concat()).complaint(1);
        let lines: Vec<_> = complaint.lines().collect();
        assert_eq!((lines.len(), lines[0]), (3, "error: the server cannot be started"), "{complaint}");
        assert!(lines[2].contains("install Claude Code"), "{complaint}");
        assert!(!place.data().exists(), "nothing was begun");
    }
}

#[test]
fn a_rehearsal_by_a_real_agent_is_wrong_unless_one_of_the_two_counts_more() {
    let place = Place::new();
    let complaint = place.run(&["--agent", "claude", "--rehearse", "happy"]).complaint(64);
    assert!(complaint.contains("leave out `--agent` or `--rehearse`"), "{complaint}");

    let file = place.path().join("config.toml");
    std::fs::write(&file, "rehearse = 'happy'").unwrap();
    let file = ["--config", file.to_str().unwrap()];
    let real = place.run(&[&["--agent", "claude"][..], &file].concat()).complaint(1);
    assert!(real.contains("install Claude Code"), "the command line wants a real one: {real}");
    std::fs::write(file[1], "agent = 'claude'").unwrap();
    let mut doctor = place.surefire(&["doctor", "--rehearse", "happy", "--listen", "127.0.0.1:0"]);
    let said = Said::of(doctor.args(file), &place).ok();
    assert!(said.contains("the built-in rehearsal, as asked for"), "{said}");
}

#[test]
fn whoever_lets_others_in_where_none_can_come_is_told() {
    let place = Place::new();
    let told = |words: &[&str]| {
        let mut server = Serving::begin(&place, words);
        server.signal(Signal::TERM);
        let mut said = String::new();
        server.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        server.child.wait().unwrap();
        said
    };
    assert!(told(&["--lan"]).starts_with("No other machine can connect, in spite of --lan"));
    assert!(told(&["--lan", "--listen", "0.0.0.0:0"]).starts_with("Other machines can connect."));
    assert!(!told(&[]).contains("machine"));
}

#[test]
fn what_is_logged_is_for_the_environment_to_say_if_that_can_be_understood() {
    let place = Place::new();
    let logged = |wish: &str| {
        let mut command = place.surefire(&["serve", "--agent", "rehearsal", "--log-format", "json"]);
        command.env("RUST_LOG", wish);
        let mut server = Serving::by(command, &[]);
        server.signal(Signal::TERM);
        let lines = BufReader::new(server.child.stderr.take().unwrap()).lines();
        let lines = lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).expect("it is JSON"));
        let said = lines.map(|line| line["fields"]["message"].as_str().unwrap_or_default().to_owned());
        said.collect::<Vec<_>>()
    };
    assert_eq!(logged("off"), [""; 0]);
    assert_eq!(logged(""), ["the server stops"], "an empty one is none");
    let said = logged("surefire=loud");
    assert!(said[0].starts_with("`RUST_LOG` counts for nothing: ") && said.len() == 2, "{said:?}");
}

#[test]
fn an_address_that_is_not_ours_is_not_taken_by_anybody() {
    let place = Place::new();
    let words = ["--agent", "rehearsal", "--lan", "--listen", "192.0.2.1:0"];
    let complaint = place.run(&words).complaint(1);
    assert!(complaint.contains("fix: choose an address of this machine with --listen"), "{complaint}");
}

#[test]
fn a_terminal_that_is_closed_asks_for_an_end() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if ignores_hang_ups(&status) {
        // Under `nohup` the server is to outlive its terminal, which the next test is about.
        return;
    }
    let place = Place::new();
    let mut server = Serving::begin(&place, &[]);
    server.signal(Signal::HUP);
    assert!(server.child.wait().unwrap().success());
}

#[test]
fn a_server_that_is_to_outlive_its_terminal_does() {
    let place = Place::new();
    let words =
        ["-c", "trap '' HUP; exec \"$0\" serve --agent rehearsal \"$@\"", env!("CARGO_BIN_EXE_surefire")];
    let mut server = Serving::by(place.program(Path::new("/bin/sh"), &words), &[]);
    if cfg!(target_os = "linux") {
        server.signal(Signal::HUP);
        let status = std::fs::read_to_string(format!("/proc/{}/status", server.child.id())).unwrap();
        assert!(ignores_hang_ups(&status));
    }
    server.signal(Signal::TERM);
    assert!(server.child.wait().unwrap().success());
}

/// Whether a process ignores SIGHUP, the first signal, as Linux tells it.
fn ignores_hang_ups(status: &str) -> bool {
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() & 1 == 1)
}
