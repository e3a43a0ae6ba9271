//! One call: its flags and its prompt.

use std::io::Read;
use std::sync::mpsc;
use std::time::Duration;

use fake_claude::Version;

/// The flags of a call.
#[derive(Debug, Default)]
pub(crate) struct Call {
    pub(crate) arguments: Vec<String>,
    pub(crate) session: String,
    pub(crate) resume: bool,
    pub(crate) stream: bool,
    pub(crate) model: Option<String>,
    pub(crate) permission_mode: Option<String>,
    pub(crate) allowed_tools: Vec<String>,
    pub(crate) disallowed_tools: Vec<String>,
    pub(crate) added_directories: Vec<String>,
    /// The sources of settings; `None` means all of them.
    pub(crate) setting_sources: Option<String>,
    pub(crate) strict_mcp_config: bool,
    pub(crate) version: Version,
    /// The text; the flag names its file.
    pub(crate) system_prompt: Option<String>,
}

impl Call {
    /// Reads the flags of the real CLI that Surefire uses; like there, an unknown flag is an error.
    pub(crate) fn parse(arguments: &[String], version: Version) -> Result<Self, String> {
        let mut call = Self { arguments: arguments.to_vec(), version, ..Self::default() };
        let (mut print, mut verbose) = (false, false);
        let mut rest = arguments.iter().peekable();
        while let Some(flag) = rest.next() {
            let list = match flag.as_str() {
                "--allowedTools" => Some(&mut call.allowed_tools),
                "--disallowedTools" => Some(&mut call.disallowed_tools),
                "--add-dir" => Some(&mut call.added_directories),
                _ => None,
            };
            if let Some(list) = list {
                // A list includes everything up to the next flag.
                while let Some(word) = rest.next_if(|word| !word.starts_with('-')) {
                    list.push(word.clone());
                }
                if list.is_empty() {
                    return Err(format!("error: option '{flag} <...>' argument missing"));
                }
                continue;
            }
            let mut value = || {
                rest.next()
                    .cloned()
                    .ok_or_else(|| format!("error: option '{flag}' argument missing"))
            };
            match flag.as_str() {
                "-p" | "--print" => print = true,
                "--verbose" => verbose = true,
                "--strict-mcp-config" => call.strict_mcp_config = true,
                "--setting-sources" => call.setting_sources = Some(sources(value()?)?),
                "--output-format" => call.stream = value()? == "stream-json",
                "--session-id" => call.session = value()?,
                "--resume" => (call.session, call.resume) = (value()?, true),
                "--model" => call.model = Some(value()?),
                "--append-system-prompt-file" => {
                    let file = value()?;
                    let words = std::fs::read_to_string(&file);
                    let words = words.map_err(|_| {
                        format!("Error: Append system prompt file not found: {file}")
                    })?;
                    call.system_prompt = Some(words);
                }
                "--permission-mode" => call.permission_mode = Some(mode(value()?, version)?),
                "--max-turns" | "--max-budget-usd" => {
                    value()?
                        .parse::<f64>()
                        .map_err(|_| format!("error: option '{flag}' is not a number"))?;
                }
                other => return Err(format!("error: unknown option '{other}'")),
            }
        }
        if !print {
            return Err("error: the fake only works with --print".to_owned());
        }
        if call.stream && !verbose {
            let words = "Error: When using --print, --output-format=stream-json requires --verbose";
            return Err(words.to_owned());
        }
        if !is_uuid(&call.session) {
            return Err("Error: Invalid session ID. Must be a valid UUID.".to_owned());
        }
        Ok(call)
    }
}

/// The mode, if this version knows it.
fn mode(mode: String, version: Version) -> Result<String, String> {
    const MODES: [&str; 6] =
        ["acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"];
    let manual = mode == "manual" && version == Version::Newer;
    if manual || MODES.contains(&mode.as_str()) {
        return Ok(if manual { "default".to_owned() } else { mode });
    }
    Err(format!("error: option '--permission-mode <mode>' argument '{mode}' is invalid."))
}

/// The sources of settings, if both versions know them.
fn sources(sources: String) -> Result<String, String> {
    let known = |source: &str| ["user", "project", "local"].contains(&source);
    match sources.split(',').find(|source| !known(source)) {
        Some(unknown) => {
            Err(format!("Error processing --setting-sources: Invalid setting source: {unknown}"))
        }
        None => Ok(sources),
    }
}

fn is_uuid(text: &str) -> bool {
    let lengths: Vec<_> = text.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && text.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
}

/// Reads the prompt. Like the real CLI, the fake exits if not even the first byte arrives in time.
pub(crate) fn prompt(timeout_ms: u64) -> String {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut first = [0];
        let begun = std::io::stdin().read(&mut first).unwrap_or(0);
        let _ = sender.send(Vec::new());
        let mut prompt = first.get(..begun).unwrap_or_default().to_vec();
        let _ = std::io::stdin().read_to_end(&mut prompt);
        let _ = sender.send(prompt);
    });
    if receiver.recv_timeout(Duration::from_millis(timeout_ms)).is_err() {
        eprintln!("Warning: no stdin data received in 3s, proceeding without it.");
        return String::new();
    }
    String::from_utf8_lossy(&receiver.recv().unwrap_or_default()).into_owned()
}
