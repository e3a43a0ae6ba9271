//! A tool that the agent wanted to use and was refused.

mod allowing;
mod shell;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Tool;
use crate::recipe::is_hidden;

/// How much of an input is kept: enough to recognise a command, too little to flood a log.
const MAX_INPUT_CHARS: usize = 200;

/// How long a tool's name may be. Agents can name tools that do not exist.
const MAX_NAME_CHARS: usize = 100;

/// A tool use that the agent's program refused: the tool was not allowed, or does not exist.
///
/// ```
/// use surefire::agent::RefusedTool;
///
/// let refused = RefusedTool::new("Bash", Some("git push origin"));
/// assert_eq!(refused.to_string(), "Bash: git push origin");
/// assert_eq!(refused.allowed_by(), ["git push *".parse()?]);
/// # Ok::<_, surefire::InvalidTool>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Stored")]
#[non_exhaustive]
pub struct RefusedTool {
    /// The tool, as the agent calls it.
    pub tool: String,
    /// Its input, if known: the command, the file, the address. At most 200 characters, with
    /// control characters and hidden characters escaped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
}

impl RefusedTool {
    /// A refused use of this tool. Long inputs are cut; control characters and hidden
    /// characters are escaped.
    #[must_use]
    pub fn new(tool: &str, input: Option<&str>) -> Self {
        Self {
            tool: shown(tool, MAX_NAME_CHARS),
            input: input.map(|input| shown(input.trim(), MAX_INPUT_CHARS)),
        }
    }

    /// The minimal `--allow-tool` options that would allow this use; empty if none would help.
    ///
    /// A compound command needs one per part. Parts that are always allowed are left out, and so
    /// are those that could run anything: a shell, `eval`, `sudo`. The result may include tools
    /// that the turn was allowed already; then the way the command was written caused the refusal.
    #[must_use]
    pub fn allowed_by(&self) -> Vec<Tool> {
        allowing::tools(&self.tool, self.input.as_deref())
    }
}

impl fmt::Display for RefusedTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.input {
            Some(input) => write!(f, "{}: {input}", self.tool),
            None => f.write_str(&self.tool),
        }
    }
}

/// The stored form. Earlier versions stored only the names of tools.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Name(String),
    Use {
        tool: String,
        #[serde(default)]
        input: Option<String>,
    },
}

impl From<Stored> for RefusedTool {
    fn from(stored: Stored) -> Self {
        match stored {
            Stored::Name(tool) => Self { tool, input: None },
            Stored::Use { tool, input } => Self { tool, input },
        }
    }
}

/// The text on one line, with at most `max_chars` characters; a cut text ends in `…`.
fn shown(text: &str, max_chars: usize) -> String {
    let mut shown = String::new();
    let mut room = max_chars;
    for c in text.chars() {
        let escaped = (c.is_control() || is_hidden(c)).then(|| c.escape_default().to_string());
        let cost = escaped.as_ref().map_or(1, String::len);
        if cost > room {
            shown.push('…');
            break;
        }
        room -= cost;
        match escaped {
            Some(escaped) => shown.push_str(&escaped),
            None => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_bounded_and_on_one_line() {
        let input = |text: &str| RefusedTool::new("Bash", Some(text)).input.unwrap();
        assert_eq!(
            input(" git commit -F -\n\u{1b}[2J\u{202e}x "),
            "git commit -F -\\n\\u{1b}[2J\\u{202e}x"
        );
        assert_eq!(input("ls a\u{200b}b\u{2028}c\u{feff}d"), r"ls a\u{200b}b\u{2028}c\u{feff}d");
        assert_eq!(input(&"ä".repeat(200)), "ä".repeat(200));
        let cut = input(&"ä".repeat(201));
        assert_eq!((cut.chars().count(), cut.ends_with("ä…")), (201, true));
        let cut = input(&format!("{}\n", "x".repeat(199)).repeat(2));
        assert!(cut.ends_with("x…") && cut.len() < 210, "an escape sequence is never cut: {cut}");
        assert_eq!(
            RefusedTool::new(&"x".repeat(5000), None).tool.chars().count(),
            MAX_NAME_CHARS + 1
        );
    }

    #[test]
    fn it_round_trips_through_the_store_and_names_of_earlier_versions_are_read() {
        for refused in [RefusedTool::new("Bash", Some("git push")), RefusedTool::new("Edit", None)]
        {
            let stored = serde_json::to_string(&refused).unwrap();
            assert_eq!(serde_json::from_str::<RefusedTool>(&stored).unwrap(), refused);
        }
        let stored = serde_json::to_string(&RefusedTool::new("Edit", None)).unwrap();
        assert_eq!(stored, r#"{"tool":"Edit"}"#);
        assert_eq!(
            serde_json::from_str::<RefusedTool>("\"Edit\"").unwrap(),
            RefusedTool::new("Edit", None)
        );
    }
}
