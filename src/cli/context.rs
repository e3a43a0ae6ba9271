//! What a command is given beside its options, and whose word each of those has.

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};

use super::render::console::Console;
use super::settings::{Layers, Rank};
use crate::Catalog;

/// What a command is given beside its options.
pub(super) struct Context {
    pub(super) catalog: Catalog,
    pub(super) console: Console,
    /// Every command with its options, as they are declared.
    pub(super) commands: Command,
    /// What is settled outside of the command line.
    pub(super) layers: Layers,
    /// What the options are, and where each came from.
    pub(super) matches: ArgMatches,
}

impl Context {
    /// The options of the command that was asked for.
    pub(super) fn options(&self) -> &ArgMatches {
        self.matches.subcommand().map_or(&self.matches, |(_, inner)| inner)
    }

    /// Whose word an option of this command has.
    pub(super) fn rank(&self, long: &str) -> Rank {
        let matches = self.options();
        let id = long.replace('-', "_");
        let known = matches.try_contains_id(&id).is_ok();
        if known && matches.value_source(&id) == Some(ValueSource::CommandLine) {
            return Rank::CommandLine;
        }
        self.layers.rank(long)
    }

    /// The same in words.
    pub(super) fn source(&self, long: &str) -> String {
        match self.rank(long) {
            Rank::CommandLine => "command line".to_owned(),
            Rank::Environment | Rank::File | Rank::Default => {
                self.layers.origin(long).unwrap_or_else(|| "default".to_owned())
            }
        }
    }
}
