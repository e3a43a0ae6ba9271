//! What a command gets in addition to its options.

use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};

use super::log_file::LogFile;
use super::render::console::Console;
use super::settings::{Layers, PromptDirectory, Rank, prompt_directory};
use crate::Catalog;

/// What a command gets in addition to its options.
pub(super) struct Context {
    pub(super) catalog: Catalog,
    pub(super) console: Console,
    /// All commands with their options, as declared.
    pub(super) commands: Command,
    /// Settings from the environment and the configuration file.
    pub(super) layers: Layers,
    /// The parsed options, with their sources.
    pub(super) matches: ArgMatches,
    /// The log file of a server. Other commands do not open it.
    pub(super) log_file: LogFile,
}

impl Context {
    /// The options of the chosen command.
    pub(super) fn options(&self) -> &ArgMatches {
        self.matches.subcommand().map_or(&self.matches, |(_, inner)| inner)
    }

    /// Where the operator's own prompts are.
    pub(super) fn prompts(&self) -> PromptDirectory {
        prompt_directory(self.options().get_one::<PathBuf>("config").map(PathBuf::as_path))
    }

    /// The source of an option's value, by precedence.
    pub(super) fn rank(&self, long: &str) -> Rank {
        let matches = self.options();
        let id = long.replace('-', "_");
        let known = matches.try_contains_id(&id).is_ok();
        if known && matches.value_source(&id) == Some(ValueSource::CommandLine) {
            return Rank::CommandLine;
        }
        self.layers.rank(long)
    }

    /// The same as text.
    pub(super) fn source(&self, long: &str) -> String {
        match self.rank(long) {
            Rank::CommandLine => "command line".to_owned(),
            Rank::Environment | Rank::File | Rank::Default => {
                self.layers.origin(long).unwrap_or_else(|| "default".to_owned())
            }
        }
    }
}
