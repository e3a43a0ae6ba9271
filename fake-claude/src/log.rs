//! The log of calls.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::call::Call;

/// An optional file with one line per event, shared by all calls.
pub(crate) struct Log(Option<PathBuf>);

impl Log {
    pub(crate) fn at(path: Option<PathBuf>) -> Self {
        let named =
            ["FAKE_CLAUDE_LOG", "CLAUDE_CODE_FAKE_LOG"].into_iter().find_map(std::env::var_os);
        Self(named.map(PathBuf::from).or(path))
    }

    /// How many calls have begun so far.
    pub(crate) fn calls(&self) -> usize {
        self.open().map_or(0, |mut file| begun(&mut file))
    }

    /// Logs the start of a call, and returns the number of earlier calls. The file is locked
    /// meanwhile, so that no two calls get the same number.
    pub(crate) fn began(&self, call: &Call, prompt: &str) -> usize {
        let Some(mut file) = self.open() else { return 0 };
        let number = begun(&mut file);
        let head: String = prompt.chars().take(200).collect();
        let mut event = event("began", call);
        event["prompt"] = json!(head);
        event["prompt_bytes"] = json!(prompt.len());
        event["number"] = json!(number);
        write(&mut file, &event);
        number
    }

    pub(crate) fn answered(&self, call: &Call) {
        if let Some(mut file) = self.open() {
            write(&mut file, &event("answered", call));
        }
    }

    /// A tool that was tried: whether it was used, and if not, why.
    pub(crate) fn tried(&self, call: &Call, tool: &str, input: &Value, verdict: &str) {
        if let Some(mut file) = self.open() {
            let mut event = event("tried", call);
            event["tool"] = json!(tool);
            event["input"] = input.clone();
            event["verdict"] = json!(verdict);
            write(&mut file, &event);
        }
    }

    pub(crate) fn refused(&self, call: &Call, why: &str) {
        if let Some(mut file) = self.open() {
            let mut event = event("refused", call);
            event["why"] = json!(why);
            write(&mut file, &event);
        }
    }

    /// The file, locked until it is closed.
    fn open(&self) -> Option<File> {
        let file =
            OpenOptions::new().create(true).read(true).append(true).open(self.0.as_ref()?).ok()?;
        file.lock().ok()?;
        Some(file)
    }
}

fn event(phase: &str, call: &Call) -> Value {
    let mark = std::env::var("SUREFIRE_ATTEMPT").ok();
    let mut names: Vec<_> =
        std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
    names.sort();
    // The agent's own switches are not secret, so their values are logged.
    let switches: BTreeMap<_, _> =
        std::env::vars().filter(|(name, _)| name.starts_with("CLAUDE_CODE_")).collect();
    json!({
        "phase": phase, "pid": std::process::id(), "arguments": call.arguments, "session": call.session,
        "resume": call.resume, "system_prompt": call.system_prompt, "attempt": mark, "environment": names,
        "permission_mode": call.permission_mode, "allowed_tools": call.allowed_tools,
        "disallowed_tools": call.disallowed_tools, "setting_sources": call.setting_sources,
        "strict_mcp_config": call.strict_mcp_config, "added_directories": call.added_directories,
        "switches": switches,
        "directory": std::env::current_dir().unwrap_or_default(),
    })
}

fn begun(file: &mut File) -> usize {
    let mut text = String::new();
    let _ = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_string(&mut text));
    let events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    events.filter(|event| event["phase"] == "began").count()
}

fn write(file: &mut File, event: &Value) {
    let _ = file.write_all(format!("{event}\n").as_bytes());
}
