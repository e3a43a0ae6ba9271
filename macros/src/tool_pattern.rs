//! Which texts can stand for a command that an agent may run.
//!
//! This file is in the library and in the macro crate, word for word, because the macro cannot
//! import the library: a pattern means the same in a recipe, in a constant and on the command line.
//! A test in `tests/architecture/` compares the two.

/// Characters that are special to a shell. A line with one of them is several commands, or does
/// more than run one.
const SHELL_SIGNS: &[u8] = b"();&|<>`$";

/// Why this pattern would match nothing, or everything.
pub(crate) const fn flaw(pattern: &str) -> Option<&'static str> {
    let bytes = pattern.as_bytes();
    if bytes.trim_ascii().is_empty() {
        return Some("it is empty");
    }
    if bytes[0] == b'*' {
        return Some("it would allow every command; name the command before `*`");
    }
    let mut index = 0;
    while index < bytes.len() {
        let (byte, is_last) = (bytes[index], index + 1 == bytes.len());
        if byte.is_ascii_control() {
            return Some("it has a line break or another control character");
        }
        if byte == b' ' && (index == 0 || is_last || bytes[index + 1] == b' ') {
            return Some("its words are not separated by single spaces");
        }
        if byte == b'*' && !(is_last && bytes[index - 1] == b' ') {
            return Some("`*` stands for arguments, at the end and after a space: `cargo test *`");
        }
        let mut sign = 0;
        while sign < SHELL_SIGNS.len() {
            if byte == SHELL_SIGNS[sign] {
                return Some(
                    "it has a sign that a shell acts upon; each command is allowed by itself",
                );
            }
            sign += 1;
        }
        index += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::flaw;

    #[test]
    fn a_pattern_that_nothing_can_match_has_a_flaw() {
        let table = [
            ("", "empty"),
            (" ", "empty"),
            ("\n\t", "empty"),
            ("*", "every command"),
            ("* test", "every command"),
            ("cargo*", "at the end and after a space"),
            ("cargo test:*", "at the end and after a space"),
            ("cargo * --all", "at the end and after a space"),
            ("cargo **", "at the end and after a space"),
            ("cargo  test", "single spaces"),
            (" cargo", "single spaces"),
            ("cargo ", "single spaces"),
            ("cargo\ntest", "control character"),
            ("cargo\u{7f}", "control character"),
            ("Bash(cargo *)", "a shell acts upon"),
            ("cargo test && git push", "a shell acts upon"),
            ("make | tee log", "a shell acts upon"),
            ("make > log", "a shell acts upon"),
            ("echo $HOME", "a shell acts upon"),
            ("echo `date`", "a shell acts upon"),
        ];
        for (pattern, why) in table {
            let found = flaw(pattern).unwrap_or_else(|| panic!("{pattern:?} has no flaw"));
            assert!(found.contains(why), "{pattern:?}: {found}");
        }
    }

    #[test]
    fn a_command_and_its_arguments_have_none() {
        let commands = [
            "make",
            "cargo *",
            "git commit *",
            "./gradlew test *",
            "CI=1 npm test *",
            "cargo +nightly fmt *",
            "grün *",
            "x",
        ];
        for pattern in commands {
            assert_eq!(flaw(pattern), None, "{pattern:?}");
        }
    }
}
