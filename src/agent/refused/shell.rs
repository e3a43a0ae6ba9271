//! Taking a command line apart, as far as needed to see which commands it would run.
//!
//! It is for advice to people and decides nothing: what may run is decided by the agent's own program. What it cannot take
//! apart, it leaves out.

/// One command of a command line.
#[derive(Debug, PartialEq, Eq, Default)]
pub(super) struct Part {
    /// Its words, without quotes. What a substitution would yield stands as it is written.
    pub(super) words: Vec<String>,
    /// Whether its output goes into a file.
    pub(super) writes: bool,
}

/// The commands of a command line, in which line breaks are escaped and of which the end may be missing.
pub(super) fn parts(line: &str) -> Vec<Part> {
    let mut reader =
        Reader { rest: line, parts: Vec::new(), part: Part::default(), word: None, to: To::Words };
    reader.read();
    reader.parts
}

/// Where the next word belongs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum To {
    Words,
    /// It is a file that is written to.
    Output,
    /// It is where input comes from.
    Input,
}

struct Reader<'a> {
    rest: &'a str,
    parts: Vec<Part>,
    part: Part,
    word: Option<String>,
    to: To,
}

impl Reader<'_> {
    fn read(&mut self) {
        let mut heredoc = false;
        while let Some(c) = self.rest.chars().next() {
            // A cut command line: its last word may be half a word.
            if self.rest == "…" {
                self.word = None;
                break;
            }
            if self.takes(r"\\n") {
                self.end_word();
            } else if self.takes(r"\n") || self.takes("&&") || self.takes("||") || self.takes(";") {
                self.end_part();
                if heredoc {
                    // What follows is not run but read.
                    return;
                }
            } else if self.takes(r"\t") || self.takes(" ") {
                self.end_word();
            } else if self.takes("&>")
                || self.takes(">>")
                || self.takes(">&")
                || self.takes(">|")
                || self.takes(">")
            {
                self.redirect(To::Output);
            } else if self.takes("<<") {
                heredoc = true;
                self.redirect(To::Input);
            } else if self.takes("<") {
                self.redirect(To::Input);
            } else if self.takes("|") || self.takes("&") || self.takes("(") || self.takes(")") {
                self.end_part();
            } else if c == '#' && self.word.is_none() {
                self.rest = self.rest.find(r"\n").map_or("", |end| &self.rest[end..]);
            } else {
                self.take_piece(c);
            }
        }
        self.end_part();
    }

    /// Takes a quoted piece, a substitution, an escaped character or a plain one into the word.
    fn take_piece(&mut self, c: char) {
        let (piece, length) = match c {
            '\'' => quoted(self.rest, 1, "'"),
            '"' => double_quoted(self.rest),
            '`' => quoted(self.rest, 1, "`"),
            '$' if self.rest.starts_with("$(") => {
                let length = substitution(self.rest);
                (&self.rest[..length], length)
            }
            '\\' => {
                let length = 1 + self.rest[1..].chars().next().map_or(0, char::len_utf8);
                (&self.rest[1..length], length)
            }
            c => (&self.rest[..c.len_utf8()], c.len_utf8()),
        };
        self.word.get_or_insert_default().push_str(piece);
        self.rest = &self.rest[length..];
    }

    fn takes(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// A redirection begins. The number of a descriptor before it is not a word.
    fn redirect(&mut self, to: To) {
        if self.word.as_ref().is_some_and(|word| word.chars().all(|c| c.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        self.to = to;
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        match std::mem::replace(&mut self.to, To::Words) {
            To::Words => self.part.words.push(word),
            To::Output => {
                let descriptor = word.chars().all(|c| c.is_ascii_digit() || c == '-');
                self.part.writes |= !descriptor && word != "/dev/null";
            }
            To::Input => {}
        }
    }

    fn end_part(&mut self) {
        self.end_word();
        self.to = To::Words;
        let part = std::mem::take(&mut self.part);
        if part != Part::default() {
            self.parts.push(part);
        }
    }
}

/// What stands before the closing mark, and how long it is with its marks.
fn quoted<'a>(rest: &'a str, open: usize, close: &str) -> (&'a str, usize) {
    match rest[open..].find(close) {
        Some(end) => (&rest[open..open + end], open + end + close.len()),
        None => (&rest[open..], rest.len()),
    }
}

/// The same for double quotes, in which a quote may be escaped or stand in a substitution.
fn double_quoted(rest: &str) -> (&str, usize) {
    let mut at = 1;
    while let Some(c) = rest[at..].chars().next() {
        match c {
            '"' => return (&rest[1..at], at + 1),
            '$' if rest[at..].starts_with("$(") => at += substitution(&rest[at..]),
            '\\' => at += 1 + rest[at + 1..].chars().next().map_or(0, char::len_utf8),
            c => at += c.len_utf8(),
        }
    }
    (&rest[1..], rest.len())
}

/// How long the substitution is that begins here. One that is not closed goes to the end.
fn substitution(rest: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in rest.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth <= 1 => return at + 1,
            ')' => depth -= 1,
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Vec<String> {
        let shown = |part: Part| part.words.join("|") + if part.writes { " >" } else { "" };
        parts(line).into_iter().map(shown).collect()
    }

    #[test]
    fn command_lines_are_taken_apart() {
        let table: [(&str, &[&str]); 21] = [
            ("git push origin", &["git|push|origin"]),
            ("git add -A && git commit -m 'a && b'", &["git|add|-A", "git|commit|-m|a && b"]),
            (r"cargo build; cargo test\ncargo doc", &["cargo|build", "cargo|test", "cargo|doc"]),
            ("cargo test 2>&1 | tail -5", &["cargo|test", "tail|-5"]),
            ("cargo test > out.txt", &["cargo|test >"]),
            ("cargo test >> out.txt 2>/dev/null", &["cargo|test >"]),
            ("cargo test &> all.log", &["cargo|test >"]),
            ("cargo test > /dev/null 2>&1", &["cargo|test"]),
            ("wc -l < in.txt", &["wc|-l"]),
            (r"git commit -F - <<'EOF'\nrm -rf; x\nEOF", &["git|commit|-F|-"]),
            (
                r#"git commit -m "$(cat <<'EOF'\nFix; and "more" (see #3)\nEOF\n)""#,
                &[r#"git|commit|-m|$(cat <<'EOF'\nFix; and "more" (see #3)\nEOF\n)"#],
            ),
            (r#"echo "a \" && b" && x"#, &[r#"echo|a \" && b"#, "x"]),
            (r"cargo \\n test", &["cargo|test"]),
            ("(cd sub && make) &", &["cd|sub", "make"]),
            ("x `date` y", &["x|date|y"]),
            ("make # && rm", &["make"]),
            ("git push orig…", &["git|push"]),
            ("git add -A && git com…", &["git|add|-A", "git"]),
            ("echo 'unclosed && x", &["echo|unclosed && x"]),
            ("", &[]),
            ("&& ; | >", &[]),
        ];
        for (line, expected) in table {
            assert_eq!(read(line), expected, "{line}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_breaks_it(line in "[ab ä…\"'`$()<>&|;#\\\\n0-9]{0,40}") {
            for part in parts(&line) {
                proptest::prop_assert!(part.words.iter().map(String::len).sum::<usize>() <= line.len());
            }
        }
    }
}
