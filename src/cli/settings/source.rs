//! Where a setting came from.

use std::fmt;
use std::path::PathBuf;

/// A place outside of the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) enum Origin {
    /// A variable of the environment.
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

/// Whose word counts. The greater one stands above the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::cli) enum Rank {
    Default,
    File,
    Environment,
    CommandLine,
}
