//! One thing that a review found.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::recipe::is_hidden;

/// How much of a finding's text, of its file's path and of its severity is kept, in characters.
const MAX_TEXT_CHARS: usize = 500;
const MAX_FILE_CHARS: usize = 300;
const MAX_SEVERITY_CHARS: usize = 40;

/// One thing that a review found, on one line.
///
/// ```
/// use surefire::outcome::Finding;
///
/// let finding = Finding {
///     text: "rounding is wrong".to_owned(),
///     file: Some("src/cart.rs".to_owned()),
///     line: Some(12),
///     severity: Some("high".to_owned()),
/// };
/// assert_eq!(finding.to_string(), "src/cart.rs:12: rounding is wrong (high)");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What was found, in the agent's words.
    pub text: String,
    /// The file that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in that file, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Its severity, in the agent's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<String>,
}

impl Finding {
    /// What the agent wrote, truncated and escaped; `None` if it has no text.
    pub(super) fn new(
        text: &str,
        file: Option<&str>,
        line: Option<u32>,
        severity: Option<&str>,
    ) -> Option<Self> {
        Some(Self {
            text: kept(text, MAX_TEXT_CHARS)?,
            file: file.and_then(|file| kept(file, MAX_FILE_CHARS)),
            line: line.filter(|line| *line > 0),
            severity: severity.and_then(|severity| kept(severity, MAX_SEVERITY_CHARS)),
        })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, "{file}:{line}: ")?,
            (Some(file), None) => write!(f, "{file}: ")?,
            (None, Some(line)) => write!(f, "line {line}: ")?,
            (None, None) => {}
        }
        f.write_str(&self.text)?;
        match &self.severity {
            Some(severity) => write!(f, " ({severity})"),
            None => Ok(()),
        }
    }
}

/// The text on one line, truncated; `None` if it is blank.
///
/// Backslashes stay as they are, so that a finding which an agent copies from a prompt compares
/// equal.
fn kept(text: &str, max_chars: usize) -> Option<String> {
    let text = text.trim();
    let mut kept = String::new();
    let mut chars = 0;
    // The end of the last character after which there is room for the ellipsis.
    let mut cut = 0;
    for letter in text.chars() {
        let before = kept.len();
        // It could move the cursor, break the line, or hide or reverse the text around it.
        let is_unsafe = letter.is_control() || is_hidden(letter);
        if is_unsafe && letter.is_whitespace() {
            // A line break counts as a space between words.
            kept.push_str(if kept.ends_with(' ') { "" } else { " " });
        } else if is_unsafe {
            kept.extend(letter.escape_debug());
        } else {
            kept.push(letter);
        }
        chars += kept[before..].chars().count();
        if chars > max_chars {
            kept.truncate(cut);
            kept.push('…');
            break;
        }
        if chars < max_chars {
            cut = kept.len();
        }
    }
    (!kept.is_empty()).then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_shown_on_one_line() {
        let table = [
            (None, None, None, "totals differ"),
            (Some("a.rs"), None, None, "a.rs: totals differ"),
            (Some("a.rs"), Some(3), Some("low"), "a.rs:3: totals differ (low)"),
            (None, Some(3), None, "line 3: totals differ"),
            (Some(" "), Some(0), Some("\n"), "totals differ"),
        ];
        for (file, line, severity, words) in table {
            let finding = Finding::new(" totals differ\n", file, line, severity).unwrap();
            assert_eq!(finding.to_string(), words);
            let stored = serde_json::to_string(&finding).unwrap();
            assert_eq!(serde_json::from_str::<Finding>(&stored).unwrap(), finding);
        }
        assert_eq!(Finding::new(" \n\t", Some("a.rs"), Some(1), None), None);
    }

    #[test]
    fn long_text_is_truncated_and_hidden_characters_are_escaped() {
        let table = [
            ("a\u{1b}[2J\nb\u{202e}c", r"a\u{1b}[2J b\u{202e}c".to_owned()),
            ("one\n\n\ttwo\r\nthree", "one two three".to_owned()),
            ("a\u{200d}b\u{2060}c\u{2028}d", r"a\u{200d}b\u{2060}c d".to_owned()),
            (r#"say "it's" \d+ ⚠️"#, r#"say "it's" \d+ ⚠️"#.to_owned()),
            (&"é".repeat(500), "é".repeat(500)),
            (&"é".repeat(501), "é".repeat(499) + "…"),
            (&("é".repeat(498) + "\u{1b}x"), "é".repeat(498) + "…"),
        ];
        for (text, expected) in table {
            let finding = Finding::new(text, None, None, None).unwrap();
            assert_eq!(finding.text, expected);
            let again = Finding::new(&finding.text, None, None, None).unwrap();
            assert_eq!(again, finding, "truncating and escaping again changes nothing");
        }
    }
}
