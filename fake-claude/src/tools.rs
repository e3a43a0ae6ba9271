//! Using tools: if the flags of the call allow what a plan tries, it is really done.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use fake_claude::{Try, Version};
use serde_json::{Value, json};

use crate::call::Call;
use crate::permissions::{Verdict, judge};
use crate::reply;
use crate::speaker::{Speaker, print};

/// Tries one tool, and prints what the real CLI prints.
pub(crate) fn use_tool(speaker: &Speaker<'_>, tried: &Try) {
    let call = speaker.call();
    let (tool, input) = described(tried);
    let id = speaker.next_id();
    print(&reply::used(call, &id, tool, &input));
    let verdict = judge(call, tool, tried);
    speaker.log().tried(call, tool, &input, verdict.words());
    let (content, is_error) = match verdict {
        Verdict::Allowed => match done(tried) {
            Ok(output) => (output, false),
            Err(output) => (output, true),
        },
        Verdict::Denied => {
            if call.version == Version::Newer {
                print(&json!({
                    "type": "system", "subtype": "permission_denied", "tool_name": tool, "tool_use_id": id,
                    "decision_reason": "This command requires approval", "session_id": call.session,
                }));
            }
            speaker.denied(json!({ "tool_name": tool, "tool_use_id": id, "tool_input": input }));
            ("This command requires approval".to_owned(), true)
        }
        Verdict::Missing => (missing(call, tool), true),
    };
    print(&reply::tool_result(call, &id, &content, is_error));
}

/// Commits all changes, even if there are none, if the working directory is a git work tree.
pub(crate) fn commit(speaker: &Speaker<'_>) {
    if Path::new(".git").exists() {
        for command in ["git add --all", "git commit --quiet --allow-empty --message Done"] {
            use_tool(speaker, &Try::Bash(command.to_owned()));
        }
    }
}

/// The tool and its input. Paths are absolute, as the real tools require.
fn described(tried: &Try) -> (&'static str, Value) {
    let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    match tried {
        Try::Bash(command) => ("Bash", json!({ "command": command, "description": "as planned" })),
        Try::Write { path, content } => {
            ("Write", json!({ "file_path": whole(path), "content": content }))
        }
        Try::Edit { path, old, new } => {
            ("Edit", json!({ "file_path": whole(path), "old_string": old, "new_string": new }))
        }
        Try::WebFetch(url) => ("WebFetch", json!({ "url": url, "prompt": "as planned" })),
    }
}

/// Uses the tool, and returns its output.
fn done(tried: &Try) -> Result<String, String> {
    let words = |error: io::Error| error.to_string();
    match tried {
        Try::Bash(command) => {
            let mut bash = Command::new("bash");
            // The machine may have no git configuration.
            let identity = ["GIT_AUTHOR", "GIT_COMMITTER"].into_iter().flat_map(|who| {
                [
                    (format!("{who}_NAME"), "A Person"),
                    (format!("{who}_EMAIL"), "person@example.com"),
                ]
            });
            let bash = bash.args(["-c", command]).envs(identity).stdin(Stdio::null());
            let output = bash.output().map_err(words)?;
            let text = [output.stdout, output.stderr].concat();
            let text = String::from_utf8_lossy(&text).into_owned();
            match output.status.code() {
                Some(0) => Ok(text),
                code => Err(format!("Exit code {}\n{text}", code.unwrap_or(-1))),
            }
        }
        Try::Write { path, content } => {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder).map_err(words)?;
            }
            std::fs::write(path, content).map_err(words)?;
            Ok(format!("File created successfully at: {}", path.display()))
        }
        Try::Edit { path, old, new } => {
            let text = std::fs::read_to_string(path).map_err(words)?;
            if !text.contains(old.as_str()) {
                return Err(
                    "<tool_use_error>String to replace not found in file.</tool_use_error>"
                        .to_owned(),
                );
            }
            std::fs::write(path, text.replacen(old.as_str(), new, 1)).map_err(words)?;
            Ok(format!("The file {} has been updated.", path.display()))
        }
        Try::WebFetch(url) => Ok(format!("Nothing is read at {url} in a test.")),
    }
}

fn missing(call: &Call, tool: &str) -> String {
    let why = match call.version {
        Version::Newer => {
            format!("{tool} is disabled for this session, in subagents as well as here.")
        }
        Version::Older => {
            format!(
                "{tool} exists but is not enabled in this context. Use one of the available tools instead."
            )
        }
    };
    format!("<tool_use_error>Error: No such tool available: {tool}. {why}</tool_use_error>")
}
