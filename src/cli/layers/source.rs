//! Where a setting came from.

use std::fmt;
use std::path::PathBuf;

use clap::ArgMatches;
use clap::parser::ValueSource;

use super::super::Context;

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

impl Context {
    /// The options of the command that was asked for.
    pub(in crate::cli) fn options(&self) -> &ArgMatches {
        self.matches.subcommand().map_or(&self.matches, |(_, inner)| inner)
    }

    /// Whose word an option of this command has.
    pub(in crate::cli) fn rank(&self, long: &str) -> Rank {
        let matches = self.options();
        let id = long.replace('-', "_");
        let known = matches.try_contains_id(&id).is_ok();
        if known && matches.value_source(&id) == Some(ValueSource::CommandLine) {
            return Rank::CommandLine;
        }
        match self.layers.settled.get(long).map(|entry| &entry.origin) {
            Some(Origin::Variable(_)) => Rank::Environment,
            Some(Origin::Line { .. }) => Rank::File,
            None => Rank::Default,
        }
    }

    /// The same in words.
    pub(in crate::cli) fn source(&self, long: &str) -> String {
        match self.rank(long) {
            Rank::CommandLine => "command line".to_owned(),
            Rank::Environment | Rank::File | Rank::Default => {
                self.layers.origin(long).unwrap_or_else(|| "default".to_owned())
            }
        }
    }
}
