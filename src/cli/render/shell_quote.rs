//! Paths in commands that are shown.

use std::path::Path;

use super::format::turns;

/// A path as a shell reads it back.
pub(in crate::cli) fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%:,=".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text
    } else if text.chars().any(|c| c.is_control() || turns(c)) {
        // What would move the cursor is written as shells can read it all the same.
        let escaped = |c: char| match c {
            '\\' | '\'' => format!("\\{c}"),
            c if c.is_control() || turns(c) => {
                c.to_string().bytes().map(|byte| format!("\\x{byte:02x}")).collect()
            }
            c => c.to_string(),
        };
        format!("$'{}'", text.chars().map(escaped).collect::<String>())
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_written_so_that_a_shell_reads_it_back_and_a_terminal_shows_it() {
        for (path, written) in [
            ("/a/b-c", "/a/b-c"),
            ("/my data", "'/my data'"),
            ("/it's", r"'/it'\''s'"),
            ("/a\nb\u{1b}[2J'\\", r"$'/a\x0ab\x1b[2J\'\\'"),
            ("/\u{202e}x", r"$'/\xe2\x80\xaex'"),
        ] {
            assert_eq!(quoted(Path::new(path)), written);
        }
    }
}
