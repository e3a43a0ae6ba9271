//! A running command.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, ExitStatus};
use std::sync::mpsc::{self, Sender};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::command::{CommandOutput, Place};

/// The time limit of every wait. A test that reaches it fails.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A running command. It is killed if it does not end.
pub(crate) struct Running {
    child: Child,
    out: BufReader<ChildStdout>,
    printed: String,
    /// Dropping it stops the watchdog.
    _over: Sender<()>,
}

impl Place {
    pub(crate) fn begin(&self, words: &[&str]) -> Running {
        begin(&mut self.surefire(words))
    }

    /// A server that is ready, and its ready line.
    pub(crate) fn serve(&self, options: &[&str]) -> (Running, Value) {
        let usual = [
            "serve",
            "--json",
            "--listen",
            "127.0.0.1:0",
            "--agent",
            "rehearsal",
            "--pace-ms",
            "0",
            "--root",
        ];
        let folder = self.path().to_str().expect("it is text");
        let mut server = self.begin(&[&usual[..], &[folder], options].concat());
        let ready = serde_json::from_str(&server.line()).expect("it says that it is ready");
        (server, ready)
    }
}

/// Starts a command.
pub(crate) fn begin(command: &mut Command) -> Running {
    let mut child = command.spawn().expect("the command can be run");
    let out = BufReader::new(child.stdout.take().expect("it is piped"));
    Running { _over: watch(&child), child, out, printed: String::new() }
}

impl Running {
    /// The next line that it prints.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).expect("it is text");
        self.printed += &line;
        line
    }

    /// Reads until it prints a message of this type, and returns that message.
    pub(crate) fn until(&mut self, kind: &str) -> Value {
        loop {
            let line = self.line();
            assert!(!line.is_empty(), "it ended before `{kind}`:\n{}", self.printed);
            let message: Value = serde_json::from_str(&line).expect("it prints messages");
            if message["type"] == kind {
                return message;
            }
        }
    }

    /// Reads until it prints a line with these words.
    pub(crate) fn until_line(&mut self, words: &str) {
        loop {
            let line = self.line();
            assert!(!line.is_empty(), "it ended before `{words}`:\n{}", self.printed);
            if line.contains(words) {
                return;
            }
        }
    }

    /// Reads until it prints these words on standard error.
    pub(crate) fn until_note(&mut self, words: &str) {
        let err = self.child.stderr.as_mut().expect("it is piped");
        let mut output = String::new();
        while !output.contains(words) {
            // One byte at a time: whatever follows these words is for the next read.
            let mut byte = [0];
            assert_eq!(
                err.read(&mut byte).expect("it can be read"),
                1,
                "it ended before `{words}`:\n{output}"
            );
            output.push(char::from(byte[0]));
        }
    }

    /// Waits until it catches this signal, so that the signal does not kill it.
    pub(crate) fn until_it_catches(&self, signal: Signal) {
        let status = format!("/proc/{}/status", self.child.id());
        eventually(|| {
            let status = std::fs::read_to_string(&status).ok()?;
            let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"))?;
            let caught = u64::from_str_radix(caught.trim(), 16).ok()?;
            (caught >> (signal.as_raw() - 1) & 1 == 1).then_some(())
        });
    }

    pub(crate) fn pid(&self) -> Pid {
        pid(&self.child)
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("it has not ended");
    }

    /// Waits for its end.
    pub(crate) fn ended(mut self) -> CommandOutput {
        let status = self.ended_somehow();
        let mut stderr = String::new();
        let pipe = self.child.stderr.take().expect("it is piped");
        BufReader::new(pipe).read_to_string(&mut stderr).expect("it is text");
        CommandOutput {
            status: status.code().expect("it ends by itself"),
            stdout: std::mem::take(&mut self.printed),
            stderr,
        }
    }

    /// Waits for its end, even if a signal ends it.
    pub(crate) fn ended_somehow(&mut self) -> ExitStatus {
        self.out.read_to_string(&mut self.printed).expect("it is text");
        self.child.wait().expect("it is our child")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Kills the process after `TIMEOUT`, unless the returned sender is dropped first.
pub(crate) fn watch(child: &Child) -> Sender<()> {
    let (over, watched) = mpsc::channel();
    let pid = pid(child);
    std::thread::spawn(move || {
        if watched.recv_timeout(TIMEOUT) == Err(mpsc::RecvTimeoutError::Timeout) {
            let _ = kill_process(pid, Signal::KILL);
        }
    });
    over
}

fn pid(child: &Child) -> Pid {
    let id = i32::try_from(child.id()).expect("pids are small");
    Pid::from_raw(id).expect("pids are not zero")
}

/// Polls until there is something.
pub(crate) fn eventually<T>(look: impl Fn() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < TIMEOUT, "the condition never held");
        std::thread::sleep(Duration::from_millis(10));
    }
}
