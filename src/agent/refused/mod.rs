//! A tool that the agent wanted to use and was refused.

mod allowing;
mod shell;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Tool;

/// How much of an input is kept: enough to recognise a command, too little to fill a log.
const MAX_INPUT_CHARS: usize = 200;

/// How long a tool's name may be. Agents can name tools that do not exist.
const MAX_NAME_CHARS: usize = 100;

/// One use of a tool that the agent's program refused: it was not allowed, or is not there.
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
pub struct RefusedTool {
    /// The tool, as the agent calls it.
    pub tool: String,
    /// What it was to be used on, where that is known: the command, the file, the address. At most 200 characters of it, and
    /// its control characters are escaped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
}

impl RefusedTool {
    /// A use of this tool. What is too long is cut, and control characters are escaped.
    #[must_use]
    pub fn new(tool: &str, input: Option<&str>) -> Self {
        Self {
            tool: shown(tool, MAX_NAME_CHARS),
            input: input.map(|input| shown(input.trim(), MAX_INPUT_CHARS)),
        }
    }

    /// What would have to be allowed with `--allow-tool` for this use, at least; nothing where no such option helps.
    ///
    /// Of a command that consists of several, each part needs its own. Parts that are allowed anyway are left out, and so are
    /// those that could run anything: a shell, `eval`, `sudo`. What a turn was allowed already may be among them; then it is
    /// the way in which the command was written that was refused.
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

/// As it is stored. Replies of earlier versions have the names of tools alone.
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

/// A text on one line, of at most so many characters; a cut one ends in `…`.
fn shown(text: &str, max_chars: usize) -> String {
    let mut shown = String::new();
    let mut room = max_chars;
    for c in text.chars() {
        let escaped = is_unprintable(c).then(|| c.escape_default().to_string());
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

/// Control characters, and those that change the direction of what follows.
fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_bounded_and_on_one_line() {
        let input = |text: &str| RefusedTool::new("Bash", Some(text)).input.unwrap();
        assert_eq!(input(" git commit -F -\n\u{1b}[2J\u{202e}x "), "git commit -F -\\n\\u{1b}[2J\\u{202e}x");
        assert_eq!(input(&"ä".repeat(200)), "ä".repeat(200));
        let cut = input(&"ä".repeat(201));
        assert_eq!((cut.chars().count(), cut.ends_with("ä…")), (201, true));
        let cut = input(&format!("{}\n", "x".repeat(199)).repeat(2));
        assert!(cut.ends_with("x…") && cut.len() < 210, "an escape is kept whole or not at all: {cut}");
        assert_eq!(RefusedTool::new(&"x".repeat(5000), None).tool.chars().count(), MAX_NAME_CHARS + 1);
    }

    #[test]
    fn it_survives_being_stored_and_names_of_earlier_versions_are_read() {
        for refused in [RefusedTool::new("Bash", Some("git push")), RefusedTool::new("Edit", None)] {
            let stored = serde_json::to_string(&refused).unwrap();
            assert_eq!(serde_json::from_str::<RefusedTool>(&stored).unwrap(), refused);
        }
        let stored = serde_json::to_string(&RefusedTool::new("Edit", None)).unwrap();
        assert_eq!(stored, r#"{"tool":"Edit"}"#);
        assert_eq!(serde_json::from_str::<RefusedTool>("\"Edit\"").unwrap(), RefusedTool::new("Edit", None));
    }
}
