//! One pattern as in `.gitignore`, and which paths it matches.
//!
//! `recipe/file_pattern.rs` says which texts are patterns. The `glob` crate matches only the parts
//! between two slashes: on whole paths it backtracks from each `*` to all earlier ones, so a
//! pattern from an untrusted repository could keep it busy for years.

use crate::recipe::file_pattern::flaw;

/// How a part of a pattern is matched: case-sensitive, and a leading dot is an ordinary character.
const OPTIONS: glob::MatchOptions = glob::MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: false,
};

/// Why a text is not a valid file pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a pattern of files: {why}", pattern.escape_debug())]
#[non_exhaustive]
pub struct PatternError {
    /// The text.
    pub pattern: String,
    /// What is wrong with it.
    pub why: String,
}

/// A pattern, ready to be matched.
#[derive(Debug, Clone)]
pub(in crate::gate) struct Pattern {
    text: String,
    parts: Vec<Part>,
    directories_only: bool,
}

/// A part of a pattern, between two slashes.
#[derive(Debug, Clone)]
enum Part {
    /// `**`: any number of directories.
    Directories,
    Literal(String),
    Glob(glob::Pattern),
}

/// What is at a path, as far as patterns distinguish it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::gate) enum PathKind {
    /// A file.
    File,
    /// A symbolic link: git treats it as a file, and a path below it leads elsewhere.
    Link,
    /// A repository in the work tree: a directory whose files git does not list.
    Repository,
}

impl Pattern {
    /// Reads a pattern.
    pub(in crate::gate) fn parse(text: &str) -> Result<Self, PatternError> {
        let error = |why: &str| PatternError { pattern: text.to_owned(), why: why.to_owned() };
        if let Some(why) = flaw(text) {
            return Err(error(why));
        }
        let directories_only = text.ends_with('/');
        let path = text.strip_suffix('/').unwrap_or(text);
        let mut parts = Vec::new();
        // Without a slash at its start or in its middle, it matches in every directory.
        if !path.contains('/') {
            parts.push(Part::Directories);
        }
        for part in path.strip_prefix('/').unwrap_or(path).split('/') {
            parts.push(if part == "**" {
                Part::Directories
            } else if part.contains(['*', '?', '[']) {
                Part::Glob(glob::Pattern::new(part).map_err(|flaw| error(flaw.msg))?)
            } else {
                Part::Literal(part.to_owned())
            });
        }
        Ok(Self { text: text.to_owned(), parts, directories_only })
    }

    /// The text as the author wrote it.
    pub(in crate::gate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether it matches this path, or a directory that the path is below.
    pub(in crate::gate) fn matches(&self, path: &str, kind: PathKind) -> bool {
        self.matches_parts(path.split('/'), kind == PathKind::Repository)
    }

    /// Whether it matches this path, or could match one below it: git does not list what is below a
    /// link or a repository.
    pub(in crate::gate) fn may_match_below(&self, path: &str, kind: PathKind) -> bool {
        // A name that no author writes, and that every wildcard matches.
        const ANY_NAME: &str = "\u{fffd}";
        let hidden = match kind {
            PathKind::File => None,
            PathKind::Link | PathKind::Repository => Some(ANY_NAME),
        };
        self.matches_parts(path.split('/').chain(hidden), false)
    }

    /// Whether its last part is literally the name of the file, which means that its author had
    /// this file in mind.
    pub(in crate::gate) fn names(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let literal = matches!(self.parts.last(), Some(Part::Literal(last)) if last == name);
        literal && !self.directories_only && self.matches(path, PathKind::File)
    }

    /// Walks along the path with the set of all possible positions in the pattern, so that each
    /// part of the path is compared with each part of the pattern at most once.
    fn matches_parts<'p>(&self, path: impl Iterator<Item = &'p str>, is_directory: bool) -> bool {
        let end = self.parts.len();
        let mut at = vec![false; end + 1];
        at[0] = true;
        self.skip_directories(&mut at);
        let mut path = path.peekable();
        while let Some(name) = path.next() {
            let mut next = vec![false; end + 1];
            for (index, part) in self.parts.iter().enumerate().filter(|(index, _)| at[*index]) {
                match part {
                    Part::Directories => next[index] = true,
                    Part::Literal(literal) => next[index + 1] |= literal == name,
                    Part::Glob(glob) => next[index + 1] |= glob.matches_with(name, OPTIONS),
                }
            }
            // `a/**` matches everything below `a`, so the last part must match something.
            let all_below = matches!(self.parts.last(), Some(Part::Directories)) && at[end - 1];
            let below = path.peek().is_some();
            if (next[end] || all_below) && (below || is_directory || !self.directories_only) {
                return true;
            }
            self.skip_directories(&mut next);
            at = next;
        }
        false
    }

    /// `**` may match no directory at all, unless it is the last part.
    fn skip_directories(&self, at: &mut [bool]) {
        for (index, part) in self.parts.iter().enumerate() {
            let is_last = index + 1 == self.parts.len();
            if at[index] && matches!(part, Part::Directories) && !is_last {
                at[index + 1] = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn pattern(text: &str) -> Pattern {
        Pattern::parse(text).unwrap()
    }

    #[test]
    fn a_pattern_matches_as_in_gitignore() {
        // pattern, paths that it matches, paths that it does not
        let table: [(&str, &[&str], &[&str]); 25] = [
            (
                "a.txt",
                &["a.txt", "x/a.txt", "x/y/a.txt", "a.txt/below"],
                &["A.txt", "b-a.txt", "a.txt2"],
            ),
            ("/a.txt", &["a.txt", "a.txt/below"], &["x/a.txt"]),
            ("src", &["src", "src/x", "lib/src/x/y"], &["srcs/x", "xsrc"]),
            ("src/", &["src/x", "lib/src/x"], &["src", "lib/src"]),
            ("/src/", &["src/x"], &["src", "lib/src/x"]),
            ("lib/src", &["lib/src", "lib/src/x"], &["a/lib/src", "lib/x/src"]),
            ("lib/src/", &["lib/src/x"], &["lib/src", "a/lib/src/x"]),
            ("src/**", &["src/x", "src/x/y"], &["src", "lib/src/x"]),
            ("src/*", &["src/x", "src/x/y"], &["src", "lib/src/x"]),
            (
                "src/*.rs",
                &["src/a.rs", "src/.rs", "src/.hidden.rs"],
                &["src/x/a.rs", "src/a.rs.bak"],
            ),
            ("*.rs", &["a.rs", "x/y/a.rs", ".a.rs", "x.rs/readme"], &["a.rsx", "rs"]),
            ("**/.env*", &[".env", ".env.local", "a/b/.env"], &["env", "a.env"]),
            ("**/x", &["x", "a/x", "a/b/x/c"], &["ax"]),
            ("a/**/b", &["a/b", "a/x/b", "a/x/y/b/c"], &["a", "b", "x/a/b", "a/xb"]),
            ("**", &["a", "a/b", ".hidden"], &[]),
            ("/**", &["a", "a/b"], &[]),
            ("**/", &["a/b"], &["a"]),
            ("*", &["a", "a/b", ".hidden"], &[]),
            ("a/**/**/b", &["a/b", "a/x/y/b"], &["a/xb"]),
            ("**/a/**", &["a/b", "x/a/b/c"], &["a", "x/a"]),
            ("?.md", &["a.md", "ü.md", "x/a.md"], &["ab.md", ".md"]),
            ("[a-c]x", &["ax", "y/cx"], &["dx", "Ax", "x"]),
            ("[!a]x", &["bx"], &["ax"]),
            ("[*]", &["*"], &["a"]),
            ("a b/*", &["a b/c"], &["a/c", "b/c"]),
        ];
        for (text, matched, others) in table {
            for path in matched {
                assert!(
                    pattern(text).matches(path, PathKind::File),
                    "`{text}` should match `{path}`"
                );
            }
            for path in others {
                assert!(
                    !pattern(text).matches(path, PathKind::File),
                    "`{text}` should not match `{path}`"
                );
            }
        }
    }

    #[test]
    fn a_repository_is_a_directory_and_a_link_is_not() {
        for text in ["sub/", "/lib/sub/"] {
            assert!(pattern(text).matches("lib/sub", PathKind::Repository), "{text}");
            assert!(!pattern(text).matches("lib/sub", PathKind::Link), "{text}");
        }
    }

    #[test]
    fn paths_below_a_link_or_a_repository_may_match() {
        // pattern, file, link, repository
        let table = [
            ("lib/**", false, true, true),
            ("lib/*", false, true, true),
            ("lib/", false, true, true),
            ("lib", true, true, true),
            ("lib/x", false, false, false),
            ("*.rs", false, false, false),
            ("**/.env*", false, false, false),
        ];
        for (text, file, link, repository) in table {
            let below = |kind| pattern(text).may_match_below("lib", kind);
            let found = (below(PathKind::File), below(PathKind::Link), below(PathKind::Repository));
            assert_eq!(found, (file, link, repository), "{text}");
        }
    }

    #[test]
    fn a_pattern_names_a_file_with_its_last_part() {
        for text in ["Cargo.lock", "/Cargo.lock", "**/Cargo.lock", "**/**/Cargo.lock"] {
            assert!(pattern(text).names("Cargo.lock"), "{text}");
        }
        for text in ["*.lock", "**", "Cargo.loc[k]", "a/Cargo.lock", "Cargo.lock/", "cargo.lock"] {
            assert!(!pattern(text).names("Cargo.lock"), "{text}");
        }
        assert!(pattern("*/Cargo.lock").names("a/Cargo.lock"));
        assert!(!pattern("a").names("a/Cargo.lock"));
    }

    #[test]
    fn an_invalid_pattern_is_refused_with_the_reason() {
        for text in
            ["", " ", "!a", "a\\b", "./a", "a/..", "/", "//", "[a", "a**", "**b/c", "a//b", "[z-a]"]
        {
            let error = Pattern::parse(text).unwrap_err();
            assert!(
                !error.why.is_empty() && error.to_string().contains("is not a pattern of files: "),
                "{error}"
            );
        }
        let error = Pattern::parse("a\nb").unwrap_err().to_string();
        assert!(error.starts_with("`a\\nb` is not"), "{error}");
    }

    #[test]
    fn every_pattern_that_a_recipe_accepts_can_be_matched() {
        for text in [
            "[]]", "[!]]", "[]-a]", "[a-]", "[-a]", "[**]", "[[]", "[!^]", "*~", "{{a}}/**", "...",
            "[a-z]?",
        ] {
            assert!(Pattern::parse(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn a_pattern_with_many_wildcards_is_matched_quickly() {
        let begin = Instant::now();
        let name = "a".repeat(250);
        let path = [name.as_str(); 16].join("/");
        for text in [
            format!("{}b/x", "*a".repeat(60)),
            format!("{}b", "**/*a*/".repeat(30)),
            "**/*a*a*a*a*a*b".to_owned(),
        ] {
            assert!(!pattern(&text).matches(&path, PathKind::File), "{text}");
        }
        assert!(begin.elapsed() < Duration::from_secs(20), "it took {:?}", begin.elapsed());
    }
}
