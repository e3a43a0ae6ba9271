//! What the engine must find in the working directory before an outcome counts.

use std::borrow::Cow;
use std::fmt;

use serde::{Serialize, Serializer};

use super::command_line::CommandLine;

/// What the engine must find before it follows an outcome. The engine checks this itself; the
/// agent's claim is not enough.
///
/// The typed form of a recipe does not check evidence; only the engine does.
///
/// ```
/// use surefire::Evidence;
///
/// assert_eq!(Evidence::NoCommit.to_string(), "no_commit");
/// assert_eq!(Evidence::Exists("docs/design.md".into()).to_string(), "exists \"docs/design.md\"");
/// ```
///
/// [`Evidence::all`] joins several, as their author wrote them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Evidence {
    /// A commit made in one of the run's turns is reachable from HEAD.
    Commit,
    /// HEAD is where it was when the run began.
    NoCommit,
    /// No file that the run changed is uncommitted.
    Clean,
    /// No file at all is uncommitted, untracked files included.
    CleanTree,
    /// The run changed a file.
    Changed,
    /// The main branch is an ancestor of HEAD.
    RebasedOnMain,
    /// A file or directory exists; the path is relative to the working directory.
    Exists(Cow<'static, str>),
    /// A command succeeds.
    Command(CommandLine),
}

impl Evidence {
    /// Whether it can only be checked in a git repository.
    #[must_use]
    pub const fn needs_git(&self) -> bool {
        match self {
            Self::Commit
            | Self::NoCommit
            | Self::Clean
            | Self::CleanTree
            | Self::Changed
            | Self::RebasedOnMain => true,
            Self::Exists(_) | Self::Command(_) => false,
        }
    }

    /// Several pieces of evidence in one line, as the author of a recipe writes them after `if`;
    /// empty if there are none.
    ///
    /// ```
    /// use surefire::Evidence;
    ///
    /// assert_eq!(Evidence::all(&[Evidence::NoCommit, Evidence::Clean]), "no_commit && clean");
    /// ```
    #[must_use]
    pub fn all(evidence: &[Self]) -> String {
        evidence.iter().map(ToString::to_string).collect::<Vec<_>>().join(" && ")
    }
}

/// As the author of a recipe writes it.
impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Commit => f.pad("commit"),
            Self::NoCommit => f.pad("no_commit"),
            Self::Clean => f.pad("clean"),
            Self::CleanTree => f.pad("clean_tree"),
            Self::Changed => f.pad("changed"),
            Self::RebasedOnMain => f.pad("rebased_on_main"),
            Self::Exists(path) => write!(f, "exists {path:?}"),
            Self::Command(CommandLine::Shell(line)) => write!(f, "{line:?}"),
            Self::Command(CommandLine::Program(arguments)) => write!(f, "{arguments:?}"),
        }
    }
}

impl Serialize for Evidence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_is_displayed_as_it_is_written_in_a_recipe() {
        let program = CommandLine::Program(vec!["test".into(), "-s".into(), "a b".into()].into());
        let table = [
            (Evidence::Commit, "commit"),
            (Evidence::CleanTree, "clean_tree"),
            (Evidence::RebasedOnMain, "rebased_on_main"),
            (Evidence::Exists("docs/a \"b\".md".into()), r#"exists "docs/a \"b\".md""#),
            (Evidence::Command(CommandLine::Shell("make check".into())), r#""make check""#),
            (Evidence::Command(program), r#"["test", "-s", "a b"]"#),
        ];
        for (evidence, written) in table {
            assert_eq!(evidence.to_string(), written);
            assert_eq!(serde_json::to_value(&evidence).unwrap(), written);
        }
    }
}
