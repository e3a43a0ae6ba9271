//! Quoting the words of commands that are shown to people.

use crate::recipe::is_hidden;

/// Quotes a word for a shell.
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
    } else if word.chars().any(|c| c.is_control() || is_hidden(c)) {
        // Characters that would move the cursor, or hide or reverse text, are escaped in a form
        // that shells understand.
        let escaped = |c: char| match c {
            '\\' | '\'' => format!("\\{c}"),
            c if c.is_control() || is_hidden(c) => {
                c.to_string().bytes().map(|byte| format!("\\x{byte:02x}")).collect()
            }
            c => c.to_string(),
        };
        format!("$'{}'", word.chars().map(escaped).collect::<String>())
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
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
            ("/\u{200b}x", r"$'/\xe2\x80\x8bx'"),
            ("/\u{2028}x\u{feff}", r"$'/\xe2\x80\xa8x\xef\xbb\xbf'"),
        ] {
            assert_eq!(shell_quoted(word), written);
        }
    }
}
