//! Where a setting is set.

use std::fmt;
use std::path::PathBuf;

/// A place other than the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) enum Origin {
    /// An environment variable.
    Variable(String),
    /// A line of the configuration file.
    Line { file: PathBuf, line: usize },
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => write!(f, "`{name}`"),
            Self::Line { file, line } => write!(f, "line {line} of `{}`", file.display()),
        }
    }
}

/// The precedence of a value: a greater rank overrides a smaller one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::cli) enum Rank {
    Default,
    File,
    Environment,
    CommandLine,
}
