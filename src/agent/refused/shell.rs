//! Splitting a command line, as far as needed to see which commands it would run.
//!
//! This is only used to advise people: the agent's own program decides what may run. Parts that
//! cannot be parsed are left out.

/// One command of a command line.
#[derive(Debug, PartialEq, Eq, Default)]
pub(super) struct Part {
    /// Its words, without quotes. Substitutions are kept verbatim.
    pub(super) words: Vec<String>,
    /// Whether its output goes into a file.
    pub(super) writes: bool,
}

/// The commands of a command line. Its line breaks are escaped, and its end may be cut off.
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
    /// The word is an output file.
    Output,
    /// The word is an input file.
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
            // The command line is cut, so its last word may be incomplete.
            if self.rest == "…" {
                self.word = None;
                break;
            }
            if self.takes(r"\\n") {
                self.end_word();
            } else if self.takes(r"\n") || self.takes("&&") || self.takes("||") || self.takes(";") {
                self.end_part();
                if heredoc {
                    // What follows is a here-document, which is not run.
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

/// The text before the closing mark, and the length including the marks.
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

/// The length of the substitution that begins here. An unclosed one extends to the end.
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
    fn command_lines_are_split_into_commands() {
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
        fn no_command_line_causes_a_panic(line in "[ab ä…\"'`$()<>&|;#\\\\n0-9]{0,40}") {
            for part in parts(&line) {
                proptest::prop_assert!(part.words.iter().map(String::len).sum::<usize>() <= line.len());
            }
        }
    }
}
