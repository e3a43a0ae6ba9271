//! Words in commands that are shown.

/// A word as a shell reads it back.
///
/// ```
/// use surefire::view::shell_quoted;
///
/// assert_eq!(shell_quoted("/my data"), "'/my data'");
/// ```
#[must_use]
pub fn shell_quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%:,=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else if word.chars().any(|c| c.is_control() || turns(c)) {
        // What would move the cursor is written as shells can read it all the same.
        let escaped = |c: char| match c {
            '\\' | '\'' => format!("\\{c}"),
            c if c.is_control() || turns(c) => {
                c.to_string().bytes().map(|byte| format!("\\x{byte:02x}")).collect()
            }
            c => c.to_string(),
        };
        format!("$'{}'", word.chars().map(escaped).collect::<String>())
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Whether a character is not seen itself, but changes the direction of what is.
pub(crate) const fn turns(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_written_so_that_a_shell_reads_it_back_and_a_terminal_shows_it() {
        for (word, written) in [
            ("/a/b-c", "/a/b-c"),
            ("", "''"),
            ("/my data", "'/my data'"),
            ("git commit *", "'git commit *'"),
            ("/it's", r"'/it'\''s'"),
            ("/a\nb\u{1b}[2J'\\", r"$'/a\x0ab\x1b[2J\'\\'"),
            ("/\u{202e}x", r"$'/\xe2\x80\xaex'"),
        ] {
            assert_eq!(shell_quoted(word), written);
        }
    }
}
