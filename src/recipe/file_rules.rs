//! Which files a run may change, and which rule a forbidden change breaks.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::file_pattern;

/// Which files may be changed, as `.gitignore` patterns.
///
/// If `allow` is empty, every file is allowed; `deny` wins over `allow`.
///
/// ```
/// use surefire::FileScope;
///
/// let scope = FileScope::EVERYTHING.denying([".github/**"]);
/// assert!(scope.allow.is_empty());
/// assert_eq!(scope.deny[..], [".github/**"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FileScope {
    /// The files that may be changed; empty means all.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub allow: Cow<'static, [Cow<'static, str>]>,
    /// The files that may not be changed.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub deny: Cow<'static, [Cow<'static, str>]>,
}

#[expect(clippy::ptr_arg, reason = "serde passes the field by reference")]
fn is_empty(patterns: &Cow<'static, [Cow<'static, str>]>) -> bool {
    patterns.is_empty()
}

impl FileScope {
    /// Every file may be changed.
    pub const EVERYTHING: Self = Self { allow: Cow::Borrowed(&[]), deny: Cow::Borrowed(&[]) };

    /// The same, but only these files may be changed.
    #[must_use]
    pub fn allowing<P: Into<Cow<'static, str>>>(
        mut self,
        patterns: impl IntoIterator<Item = P>,
    ) -> Self {
        self.allow = patterns.into_iter().map(Into::into).collect();
        self
    }

    /// The same, but these files may not be changed.
    #[must_use]
    pub fn denying<P: Into<Cow<'static, str>>>(
        mut self,
        patterns: impl IntoIterator<Item = P>,
    ) -> Self {
        self.deny = patterns.into_iter().map(Into::into).collect();
        self
    }

    /// Whether it restricts nothing.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.allow.is_empty() && self.deny.is_empty()
    }

    /// The first pattern that can match no file, and why. A recipe with one does not compile.
    ///
    /// ```
    /// use surefire::FileScope;
    ///
    /// let scope = FileScope::EVERYTHING.denying(["docs/**", "**.rs"]);
    /// let (pattern, why) = scope.flaw().unwrap();
    /// assert_eq!(pattern, "**.rs");
    /// assert_eq!(why, "`**` stands alone between slashes: `src/**` or `**/name`");
    /// ```
    #[must_use]
    pub fn flaw(&self) -> Option<(&str, &'static str)> {
        let mut patterns = self.allow.iter().chain(self.deny.iter());
        patterns.find_map(|pattern| Some((pattern.as_ref(), file_pattern::flaw(pattern)?)))
    }
}

impl Default for FileScope {
    fn default() -> Self {
        Self::EVERYTHING
    }
}

/// What a recipe needs before a run of it may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Needs {
    /// That no tracked file has uncommitted changes.
    pub clean_tree: bool,
    /// That a new session has a task to work on: a text that the run is started with, or a tracker
    /// (`bd`) that the agent can take one from.
    pub task: bool,
}

/// All rules for the files that one turn of a run may change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileRules {
    /// The scopes in force: each of them must allow a file.
    pub scopes: Vec<FileScope>,
    /// Whether lockfiles of package managers may be changed.
    pub allow_lockfiles: bool,
    /// Whether the step may edit files. If not, only files that the agent's own tools were seen
    /// writing break the rules.
    pub may_edit: bool,
}

/// A file that a run changed against the rules.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Violation {
    /// Its path from the top of the work tree. Bytes that are not UTF-8 are replaced.
    pub path: String,
    /// The rule that it breaks.
    #[serde(flatten)]
    pub rule: BrokenRule,
}

impl Violation {
    /// A file, by its path from the top of the work tree, and the rule that its change breaks.
    #[must_use]
    pub fn new(path: impl Into<String>, rule: BrokenRule) -> Self {
        Self { path: path.into(), rule }
    }
}

/// Why a file may not be changed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "snake_case")]
#[non_exhaustive]
pub enum BrokenRule {
    /// A pattern in `deny` matches it.
    Denied {
        /// The pattern.
        pattern: String,
    },
    /// No pattern in `allow` matches it.
    NotAllowed,
    /// It is a lockfile, and the run may not change dependencies.
    Lockfile,
    /// It is one of the files that trust in a repository depends on.
    TrustedFile,
    /// The agent's own tools wrote it in a step that may not edit files.
    ReadOnlyStep,
}

/// The file, and why it may not be changed.
impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, rule } = self;
        match rule {
            BrokenRule::Denied { pattern } => write!(f, "`{path}` (denied by `{pattern}`)"),
            BrokenRule::NotAllowed => write!(f, "`{path}` (not in the allowed scope)"),
            BrokenRule::Lockfile => write!(f, "`{path}` (a lockfile)"),
            BrokenRule::TrustedFile => write!(f, "`{path}` (trust in the repository rests on it)"),
            BrokenRule::ReadOnlyStep => write!(f, "`{path}` (written in a step that may not edit)"),
        }
    }
}
