//! The requests of clients and the answers to them, outside of the store: an append-only file.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use surefire::run::{RunId, SessionId};

/// One line.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Line {
    /// Milliseconds since 1970, by the clock that the store uses as well.
    pub(super) at: u64,
    pub(super) entry: Entry,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Entry {
    /// A client is about to send a request.
    Asked {
        id: String,
        session: SessionId,
        request: Request,
    },
    /// The client got the answer.
    Answered {
        id: String,
        answer: Answer,
    },
    /// Clients were notified that a run stopped because it could not be persisted.
    NotPersisted {
        run: RunId,
        reason: String,
    },
    /// The campaign is about to kill an agent. `may_have_prompt` is false if there is evidence that
    /// the agent got no prompt.
    AgentKilled {
        attempt: String,
        may_have_prompt: bool,
    },
    ServerKilled,
    /// After the last kill, something that should be possible was not.
    Stuck(String),
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Request {
    Prompt(String),
    Start { recipe: String },
    Resume { run: RunId },
    Exit,
    Kill,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Answer {
    Done,
    /// Refused for a valid reason: the session is busy, for example.
    Refused(String),
    /// An error that nothing in the campaign explains.
    Failed(String),
}

/// The file, open for appending.
#[derive(Clone)]
pub(super) struct Journal(Arc<Mutex<File>>);

impl Journal {
    pub(super) fn open(path: &Path) -> Self {
        let file = OpenOptions::new().create(true).append(true).open(path).expect("there is room");
        Self(Arc::new(Mutex::new(file)))
    }

    /// Adds a line. When this returns, the line outlives the process.
    pub(super) fn write(&self, entry: &Entry) {
        let line = Line { at: now(), entry: entry.clone() };
        let text = serde_json::to_string(&line).expect("a line is plain data") + "\n";
        let mut file = self.0.lock().expect("nothing panics in here");
        // One call to the system, so that no kill leaves half a line.
        file.write_all(text.as_bytes()).and_then(|()| file.sync_data()).expect("there is room");
    }
}

pub(super) fn read(path: &Path) -> Vec<Line> {
    let text = std::fs::read_to_string(path).expect("the campaign has written it");
    text.lines().map(|line| serde_json::from_str(line).expect("lines are whole")).collect()
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("it is after 1970");
    u64::try_from(since.as_millis()).expect("it is before the year 500,000,000")
}
