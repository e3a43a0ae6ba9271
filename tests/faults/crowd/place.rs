//! Where the campaign takes place, and the servers that are started there.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::journal::Journal;
use super::server;
use crate::server::{Place, Server};

/// How long the last server may take until everything has ended. Many kills leave many sessions.
const FINISH_TIMEOUT: Duration = Duration::from_secs(20 * 60);

pub(super) struct Crowd {
    pub(super) place: Place,
    rotated: AtomicUsize,
}

impl Crowd {
    pub(super) fn new() -> Self {
        let place = Place::new(&json!({
            "default": { "delay_ms": 120, "passages": ["Let me see."] },
            "when": [{ "contains": "take your time", "answer": { "delay_ms": 300 } }],
        }));
        Self { place, rotated: AtomicUsize::new(0) }
    }

    /// Starts a server, which is the program that is running now: a rebuild on disk does not affect
    /// a running campaign.
    pub(super) fn serve(&self, life: &str) -> Server {
        let mut command = Command::new("/proc/self/exe");
        command
            .args(["--exact", server::TEST, "--ignored", "--nocapture"])
            .env(server::PLACE_VARIABLE, self.place.folder(""))
            .env(server::LIFE_VARIABLE, life)
            .env(server::AGENT_VARIABLE, fake_claude::program())
            .env("HOME", self.place.folder("home"))
            .env("PATH", self.place.machine_path())
            .env(fake_claude::PLAN_VARIABLE, self.place.plan())
            .stdout(Stdio::null())
            .stderr(Stdio::inherit());
        Server::of(command.spawn().expect("the server starts"))
    }

    /// Starts a last server that brings everything to its end.
    pub(super) fn finish(&self) {
        let mut server = self.serve(server::FINISH);
        let began = Instant::now();
        while server.is_alive() {
            assert!(began.elapsed() < FINISH_TIMEOUT, "the last server does not end");
            std::thread::sleep(Duration::from_millis(200));
            self.rotate_calls();
        }
        assert!(server.wait().success(), "the last server ends well");
        self.rotate_calls();
    }

    pub(super) fn journal_path(&self) -> PathBuf {
        journal_path(&self.place.folder(""))
    }

    pub(super) fn journal(&self) -> Journal {
        Journal::open(&self.journal_path())
    }

    /// Rotates the log of calls: the fake CLI reads all of it at each call, and the campaign makes
    /// many.
    pub(super) fn rotate_calls(&self) {
        let number = self.rotated.fetch_add(1, Ordering::Relaxed);
        // There may have been no call since the last time.
        let _ = std::fs::rename(self.place.calls(), self.part(number));
    }

    /// All calls, in order.
    pub(super) fn calls(&self) -> Vec<Value> {
        (0..self.rotated.load(Ordering::Relaxed))
            .flat_map(|number| fake_claude::calls(&self.part(number)))
            .collect()
    }

    fn part(&self, number: usize) -> PathBuf {
        self.place.folder(&format!("calls-{number}.jsonl"))
    }

    /// Keeps everything on disk for an investigation.
    pub(super) fn keep_if(self, wanted: bool) {
        if wanted {
            println!("everything is kept in {}", self.place.keep().display());
        }
    }
}

pub(super) fn journal_path(folder: &Path) -> PathBuf {
    folder.join("journal.jsonl")
}
