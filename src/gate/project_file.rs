//! A project's own file: checks, a setup command and exceptions that a repository brings along.
//! Never a recipe.
//!
//! This reads its text. Where the text comes from, and whether its commands are trusted, is for the
//! engine.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::files::Pattern;
use crate::recipe::closest;
use crate::{CommandLine, FileScope};

/// What the file is called, at the top of the repository.
pub const PROJECT_FILE: &str = "surefire.toml";

/// The largest file that is read.
pub const MAX_PROJECT_FILE_BYTES: usize = 64 << 10;

/// The longest time that the verify commands of one visit may be given, as in a recipe.
const MAX_VERIFY_TIME: Duration = Duration::from_secs(720 * 60 * 60);

/// How many mistakes are reported.
const MAX_MISTAKES: usize = 10;

/// The keys that the file may have.
const KEYS: [&str; 5] =
    ["verify", "setup", "scope", "allow_lockfiles", "max_verify_time_per_milestone"];

/// The keys that `[scope]` may have.
const SCOPE_KEYS: [&str; 2] = ["allow", "deny"];

/// What a project's own file says.
///
/// ```
/// use surefire::gate::ProjectFile;
///
/// let file = ProjectFile::parse(
///     br#"
///     verify = ["cargo test", ["make", "check"]]
///     max_verify_time_per_milestone = "10m"
///
///     [scope]
///     deny = [".github/**"]
///     "#,
/// )?;
/// assert_eq!(file.verify[1].to_string(), "make check");
/// assert_eq!(*file.scope.deny, [".github/**"]);
/// # Ok::<(), surefire::gate::ProjectFileError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProjectFile {
    /// The commands that have to succeed after a step.
    pub verify: Vec<CommandLine>,
    /// The commands that run once in a new worktree.
    pub setup: Vec<CommandLine>,
    /// Which files may be changed.
    pub scope: FileScope,
    /// Whether the lockfiles of package managers may be changed.
    pub allow_lockfiles: bool,
    /// How long the verify commands of one visit of a step may take together.
    pub max_verify_time: Option<Duration>,
}

/// Why a project's own file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProjectFileError {
    /// It is too large.
    #[error("`{PROJECT_FILE}` has more than {} KiB; leave in it what a project needs", MAX_PROJECT_FILE_BYTES >> 10)]
    TooLarge,
    /// It is not text.
    #[error("line {line} of `{PROJECT_FILE}` is not UTF-8; save the file as UTF-8")]
    NotText {
        /// The first line that is not.
        line: usize,
    },
    /// It has mistakes.
    #[error("`{PROJECT_FILE}` {}", listed(mistakes))]
    Mistakes {
        /// All of them in the order of their lines, up to ten.
        mistakes: Vec<Mistake>,
    },
}

/// A mistake in a project's own file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The line, from 1.
    pub line: usize,
    /// The character in that line, from 1.
    pub column: usize,
    /// What is wrong, and what to write instead.
    pub what: String,
}

/// Where it is, and what is wrong there.
impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.what)
    }
}

fn listed(mistakes: &[Mistake]) -> String {
    mistakes.iter().map(Mistake::to_string).collect::<Vec<_>>().join("; ")
}

impl ProjectFile {
    /// Reads it.
    ///
    /// # Errors
    /// It is too large, is not text, or has mistakes: all of them are named, with their lines.
    pub fn parse(text: &[u8]) -> Result<Self, ProjectFileError> {
        if text.len() > MAX_PROJECT_FILE_BYTES {
            return Err(ProjectFileError::TooLarge);
        }
        let text = str::from_utf8(text).map_err(|error| {
            let before = text.get(..error.valid_up_to()).unwrap_or_default();
            ProjectFileError::NotText { line: before.split(|byte| *byte == b'\n').count() }
        })?;
        let mut reader = Reader { text, mistakes: Vec::new() };
        let file = reader.file();
        let Reader { mut mistakes, .. } = reader;
        if mistakes.is_empty() {
            return Ok(file);
        }
        mistakes.sort_by_key(|mistake| (mistake.line, mistake.column));
        mistakes.truncate(MAX_MISTAKES);
        Err(ProjectFileError::Mistakes { mistakes })
    }
}

type Key<'i> = Spanned<DeString<'i>>;
type Value<'i> = Spanned<DeValue<'i>>;

/// Reads on after a mistake, so that all of them are known at once.
struct Reader<'t> {
    text: &'t str,
    mistakes: Vec<Mistake>,
}

impl<'t> Reader<'t> {
    fn file(&mut self) -> ProjectFile {
        let mut file = ProjectFile::default();
        let table = match DeTable::parse(self.text) {
            Ok(table) => table,
            Err(error) => {
                self.mistake(error.span().unwrap_or_default(), error.message().replace('\n', ", "));
                return file;
            }
        };
        for (key, value) in table.get_ref() {
            let name = key.get_ref().as_ref();
            match name {
                "verify" => file.verify = self.commands(name, value),
                "setup" => file.setup = self.commands(name, value),
                "scope" => file.scope = self.scope(value),
                "allow_lockfiles" => file.allow_lockfiles = self.switch(name, value),
                "max_verify_time_per_milestone" => file.max_verify_time = self.time(name, value),
                _ => self.unknown(key, "", &KEYS),
            }
        }
        file
    }

    fn mistake(&mut self, span: Range<usize>, what: impl Into<String>) {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line = before.rsplit('\n').next().unwrap_or(before);
        let (line, column) = (before.matches('\n').count() + 1, line.chars().count() + 1);
        self.mistakes.push(Mistake { line, column, what: what.into() });
    }

    fn wrong_kind(&mut self, value: &Value<'t>, name: &str, wanted: &str) {
        let kind = value.get_ref().type_str();
        self.mistake(value.span(), format!("`{name}` cannot hold `{kind}`: write {wanted}"));
    }

    fn unknown(&mut self, key: &Key<'t>, of: &str, known: &[&str]) {
        let name = key.get_ref().as_ref();
        let meant =
            closest(name, known.iter().copied()).map(|close| format!("did you mean `{close}`? "));
        let known = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let what = format!(
            "there is no `{}`{of}: {}known are {known}",
            name.escape_debug(),
            meant.unwrap_or_default()
        );
        self.mistake(key.span(), what);
    }

    fn switch(&mut self, name: &str, value: &Value<'t>) -> bool {
        value.get_ref().as_bool().unwrap_or_else(|| {
            self.wrong_kind(value, name, "`true` or `false`");
            false
        })
    }

    fn time(&mut self, name: &str, value: &Value<'t>) -> Option<Duration> {
        const WANTED: &str = "a time in quotes, such as `\"10m\"`";
        let Some(text) = value.get_ref().as_str() else {
            self.wrong_kind(value, name, WANTED);
            return None;
        };
        let flaw = match humantime::parse_duration(text) {
            Ok(time) if time.is_zero() => "has to be longer than nothing".to_owned(),
            Ok(time) if time > MAX_VERIFY_TIME => {
                format!("is at most `{}h`", MAX_VERIFY_TIME.as_secs() / 3600)
            }
            Ok(time) => return Some(time),
            Err(error) => format!("is not a time ({error}): write {WANTED}"),
        };
        self.mistake(value.span(), format!("`{name}` {flaw}"));
        None
    }

    /// A command, or a list of commands.
    fn commands(&mut self, name: &str, value: &Value<'t>) -> Vec<CommandLine> {
        const WANTED: &str =
            "a command, or a list of commands: `[\"cargo test\", [\"make\", \"check\"]]`";
        match value.get_ref() {
            DeValue::String(_) => self.command(name, value).into_iter().collect(),
            DeValue::Array(values) if values.is_empty() => {
                self.mistake(
                    value.span(),
                    format!("`{name}` is empty: list a command, or take it out"),
                );
                Vec::new()
            }
            DeValue::Array(values) => {
                values.iter().filter_map(|value| self.command(name, value)).collect()
            }
            _ => {
                self.wrong_kind(value, name, WANTED);
                Vec::new()
            }
        }
    }

    /// A line for the shell, or a list of a program and its arguments.
    fn command(&mut self, name: &str, value: &Value<'t>) -> Option<CommandLine> {
        match value.get_ref() {
            DeValue::String(line) => {
                let line = line.as_ref();
                if line.trim().is_empty() {
                    self.mistake(
                        value.span(),
                        format!("a command of `{name}` is empty: write it, or take it out"),
                    );
                    return None;
                }
                self.without_nul(name, value, line).map(CommandLine::Shell)
            }
            DeValue::Array(words) => self.program(name, value, words),
            _ => {
                self.wrong_kind(
                    value,
                    name,
                    "commands: `\"cargo test\"`, or `[\"cargo\", \"test\"]` without a shell",
                );
                None
            }
        }
    }

    fn program(
        &mut self,
        name: &str,
        list: &Value<'t>,
        words: &[Value<'t>],
    ) -> Option<CommandLine> {
        let program = words.first().and_then(|word| word.get_ref().as_str());
        if words.is_empty() || program.is_some_and(|program| program.trim().is_empty()) {
            let what =
                format!("a command of `{name}` names no program: write `[\"make\", \"check\"]`");
            self.mistake(list.span(), what);
            return None;
        }
        let mut arguments = Vec::new();
        for word in words {
            let Some(text) = word.get_ref().as_str() else {
                self.wrong_kind(
                    word,
                    name,
                    "a program and its arguments as texts: `[\"make\", \"check\"]`",
                );
                continue;
            };
            arguments.extend(self.without_nul(name, word, text));
        }
        (arguments.len() == words.len()).then(|| CommandLine::Program(arguments.into()))
    }

    /// No program can be given a NUL byte.
    fn without_nul(
        &mut self,
        name: &str,
        value: &Value<'t>,
        text: &str,
    ) -> Option<Cow<'static, str>> {
        if text.contains('\0') {
            self.mistake(
                value.span(),
                format!("a command of `{name}` holds a NUL byte: take it out"),
            );
            return None;
        }
        Some(text.to_owned().into())
    }

    fn scope(&mut self, value: &Value<'t>) -> FileScope {
        let mut scope = FileScope::EVERYTHING;
        let Some(table) = value.get_ref().as_table() else {
            self.wrong_kind(
                value,
                "scope",
                "a section: `[scope]`, and below it `deny = [\"docs/**\"]`",
            );
            return scope;
        };
        if table.is_empty() {
            self.mistake(
                value.span(),
                "`scope` is empty: write `allow` or `deny` below it, or take it out",
            );
        }
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "allow" => scope.allow = self.patterns("scope.allow", value).into(),
                "deny" => scope.deny = self.patterns("scope.deny", value).into(),
                _ => self.unknown(key, " in `scope`", &SCOPE_KEYS),
            }
        }
        scope
    }

    fn patterns(&mut self, name: &str, value: &Value<'t>) -> Vec<Cow<'static, str>> {
        const WANTED: &str = "a list of patterns: `[\"src/**\"]`";
        let Some(values) = value.get_ref().as_array() else {
            self.wrong_kind(value, name, WANTED);
            return Vec::new();
        };
        if values.is_empty() {
            self.mistake(
                value.span(),
                format!("`{name}` is empty: list a pattern, or take it out"),
            );
        }
        let mut patterns = Vec::new();
        for value in values {
            let Some(text) = value.get_ref().as_str() else {
                self.wrong_kind(value, name, WANTED);
                continue;
            };
            match Pattern::parse(text) {
                Ok(_) => patterns.push(text.to_owned().into()),
                Err(error) => self.mistake(value.span(), error.to_string()),
            }
        }
        patterns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistakes(text: &str) -> Vec<Mistake> {
        match ProjectFile::parse(text.as_bytes()) {
            Err(ProjectFileError::Mistakes { mistakes }) => mistakes,
            other => panic!("{text:?} gives {other:?}"),
        }
    }

    #[test]
    fn everything_that_can_be_written() {
        let text = r#"
            verify = ["cargo test", ["make", "check", ""]]
            setup = "npm ci"
            allow_lockfiles = true
            max_verify_time_per_milestone = "1h 30m"
            [scope]
            allow = ["src/**", "surefire.toml"]
            deny = ["**/.env*"]
        "#;
        let file = ProjectFile {
            verify: vec![
                CommandLine::Shell("cargo test".into()),
                CommandLine::Program(vec!["make".into(), "check".into(), "".into()].into()),
            ],
            setup: vec![CommandLine::Shell("npm ci".into())],
            scope: FileScope {
                allow: vec!["src/**".into(), "surefire.toml".into()].into(),
                deny: vec!["**/.env*".into()].into(),
            },
            allow_lockfiles: true,
            max_verify_time: Some(Duration::from_secs(90 * 60)),
        };
        assert_eq!(ProjectFile::parse(text.as_bytes()), Ok(file));
        assert_eq!(ProjectFile::parse(b""), Ok(ProjectFile::default()));
        assert_eq!(*ProjectFile::parse(b"scope.deny = ['a']").unwrap().scope.deny, ["a"]);
        assert_eq!(
            ProjectFile::parse("\u{feff}allow_lockfiles = true".as_bytes())
                .map(|it| it.allow_lockfiles),
            Ok(true)
        );
    }

    #[test]
    fn each_mistake_has_its_place_and_its_words() {
        let table = [
            ("verify = [", (1, 11), "unclosed array"),
            ("verify = 'a'\nverify = 'b'", (2, 1), "duplicate key"),
            (
                "\nverfiy = 'a'",
                (2, 1),
                "there is no `verfiy`: did you mean `verify`? known are `verify`, `setup`",
            ),
            ("recipe = 'a'", (1, 1), "there is no `recipe`: known are"),
            ("[recipes.x]", (1, 2), "there is no `recipes`"),
            ("verify = []", (1, 10), "`verify` is empty"),
            ("setup = ''", (1, 9), "a command of `setup` is empty"),
            ("verify = ['ok', ' ']", (1, 17), "a command of `verify` is empty"),
            ("verify = [[]]", (1, 11), "names no program"),
            ("verify = [['', 'a']]", (1, 11), "names no program"),
            ("verify = [['a', 3]]", (1, 17), "`verify` cannot hold `integer`"),
            ("verify = [[['a']]]", (1, 12), "cannot hold `array`"),
            ("verify = [true]", (1, 11), "cannot hold `boolean`"),
            ("verify = 3", (1, 10), "a command, or a list of commands"),
            ("verify = \"a\\u0000b\"", (1, 10), "NUL byte"),
            ("verify = [[\"a\", \"\\u0000\"]]", (1, 17), "NUL byte"),
            ("allow_lockfiles = 1", (1, 19), "write `true` or `false`"),
            ("max_verify_time_per_milestone = 10", (1, 33), "a time in quotes"),
            ("max_verify_time_per_milestone = 'soon'", (1, 33), "is not a time"),
            ("max_verify_time_per_milestone = '0s'", (1, 33), "longer than nothing"),
            ("max_verify_time_per_milestone = '721h'", (1, 33), "at most `720h`"),
            ("scope = ['a']", (1, 9), "a section"),
            ("[scope]", (1, 1), "`scope` is empty"),
            (
                "[scope]\nallwo = ['a']",
                (2, 1),
                "there is no `allwo` in `scope`: did you mean `allow`?",
            ),
            ("[scope]\nallow = 'a'", (2, 9), "a list of patterns"),
            ("[scope]\ndeny = []", (2, 8), "`scope.deny` is empty"),
            ("[scope]\ndeny = [3]", (2, 9), "cannot hold `integer`"),
            ("[scope]\ndeny = ['ü', '[a']", (2, 14), "`[a` is not a pattern of files"),
            ("[scope]\ndeny = ['!a']", (2, 9), "`!a` is not a pattern of files"),
        ];
        for (text, place, words) in table {
            let found = mistakes(text);
            assert_eq!(found.len(), 1, "{text:?}: {found:?}");
            assert_eq!((found[0].line, found[0].column), place, "{text:?}: {}", found[0]);
            assert!(found[0].what.contains(words), "{text:?}: {}", found[0]);
        }
    }

    #[test]
    fn all_mistakes_are_named_in_the_order_of_their_lines() {
        let found =
            mistakes("verify = []\nsetup = 3\nallow_lockfiles = 'yes'\n[scope]\ndeny = ['/']");
        assert_eq!(found.iter().map(|it| it.line).collect::<Vec<_>>(), [1, 2, 3, 5]);
        let error = ProjectFileError::Mistakes { mistakes: found }.to_string();
        assert!(
            error.starts_with("`surefire.toml` line 1, column 10: `verify` is empty"),
            "{error}"
        );
        assert!(error.contains("; line 2, column 9: "), "{error}");
        let many: String = (0..50).map(|number| format!("key{number} = 1\n")).collect();
        assert_eq!(mistakes(&many).len(), MAX_MISTAKES);
    }

    #[test]
    fn what_is_not_text_or_too_large_is_not_read() {
        assert_eq!(
            ProjectFile::parse(b"# a\n# b\n# \xff"),
            Err(ProjectFileError::NotText { line: 3 })
        );
        let long = vec![b'\n'; MAX_PROJECT_FILE_BYTES];
        assert!(ProjectFile::parse(&long).is_ok());
        assert_eq!(
            ProjectFile::parse(&[long.as_slice(), b"\n"].concat()),
            Err(ProjectFileError::TooLarge)
        );
    }

    #[test]
    fn a_deeply_nested_file_is_a_mistake() {
        let deep = format!("verify = {}", "[".repeat(30_000));
        assert!(!mistakes(&deep).is_empty());
        let closed = format!("verify = {}{}", "[".repeat(30_000), "]".repeat(30_000));
        assert!(!mistakes(&closed).is_empty());
    }
}
