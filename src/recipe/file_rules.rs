//! Which files a run may change, and what it broke where it changed others.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::file_pattern;

/// Which files may be changed, in patterns as `.gitignore` has them.
///
/// Where `allow` is empty every file is allowed; what `deny` names is denied even if `allow` names it too.
///
/// ```
/// use surefire::FileScope;
///
/// let scope = FileScope { deny: vec![".github/**".into()].into(), ..FileScope::EVERYTHING };
/// assert!(scope.allow.is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileScope {
    /// The files that may be changed, where there are any.
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

    /// Whether it says nothing.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.allow.is_empty() && self.deny.is_empty()
    }

    /// The first pattern that can name no file, and why. A recipe with one does not compile.
    ///
    /// ```
    /// use surefire::FileScope;
    ///
    /// let scope = FileScope { deny: vec!["docs/**".into(), "**.rs".into()].into(), ..FileScope::EVERYTHING };
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
pub struct Needs {
    /// That no tracked file has uncommitted changes.
    pub clean_tree: bool,
}

/// Everything that holds for the files that one turn of a run may change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileRules {
    /// The scopes that hold: a file has to be allowed by each of them.
    pub scopes: Vec<FileScope>,
    /// Whether lockfiles of package managers may be changed.
    pub allow_lockfiles: bool,
    /// Whether the step may edit files. Where it may not, only a file that the agent's own tools were seen to write breaks
    /// the rules.
    pub may_edit: bool,
}

/// A file that a run changed although it may not.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Violation {
    /// Its path from the top of the work tree. Bytes that are not UTF-8 are replaced.
    pub path: String,
    /// The rule that it breaks.
    #[serde(flatten)]
    pub rule: BrokenRule,
}

/// Why a file may not be changed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "snake_case")]
pub enum BrokenRule {
    /// A pattern of `deny` names it.
    Denied {
        /// The pattern.
        pattern: String,
    },
    /// No pattern of `allow` names it.
    NotAllowed,
    /// It is a lockfile, and the run may not change dependencies.
    Lockfile,
    /// It is one of the files that trust in a repository is about.
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
