//! Settings from the environment and from the operator's configuration file.
//!
//! A setting has the name of an option and becomes its default, so that every value is parsed in
//! the same way, wherever it is set. No setting is read from the working directory: a repository
//! cannot configure how its agent is run.

mod acceptable;
pub(super) mod data;
mod entry;
mod environment;
mod file;
pub(super) mod paths;
mod prompt_directory;
pub(super) mod server_limits;
mod setting;
mod source;
mod surroundings;
mod switch;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub(in crate::cli) use acceptable::option;
pub(in crate::cli) use environment::unknown as unknown_variables;
pub(in crate::cli) use prompt_directory::{PromptDirectory, prompt_directory};
pub(in crate::cli) use setting::SETTINGS;
pub(in crate::cli) use source::{Origin, Rank};
pub(in crate::cli) use switch::two_way;

use super::usage::cli_error::CliError;
use entry::Entry;
use surroundings::Surroundings;

/// Settings by name, each with its origin.
#[derive(Debug, Clone, Default)]
pub(super) struct Layers {
    set: BTreeMap<&'static str, Entry>,
}

impl Layers {
    /// Reads the environment and the configuration file.
    pub(super) fn gather(command: &clap::Command, config: Option<&Path>) -> Result<Self, CliError> {
        let (layers, complaints) = Self::read(command, config);
        complaints.into_iter().next().map_or(Ok(layers), Err)
    }

    /// The same, but returns the valid settings together with all errors.
    pub(super) fn read(command: &clap::Command, config: Option<&Path>) -> (Self, Vec<CliError>) {
        Self::within(&Surroundings::of_process(), command, config)
    }

    fn within(
        surroundings: &Surroundings,
        command: &clap::Command,
        config: Option<&Path>,
    ) -> (Self, Vec<CliError>) {
        let (mut layers, mut complaints) = (Self::default(), Vec::new());
        // The file comes first, because the environment overrides it.
        let found = file::entries(surroundings, config)
            .into_iter()
            .chain(environment::entries(surroundings));
        for entry in found {
            match entry.and_then(|entry| acceptable::check(command, &entry).map(|()| entry)) {
                Ok(entry) => drop(layers.set.insert(entry.setting.name, entry)),
                Err(problem) => complaints.push(problem),
            }
        }
        (layers, complaints)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// The command with these settings as its options' defaults.
    pub(super) fn under(&self, command: clap::Command) -> clap::Command {
        let command = command.mut_args(|arg| {
            let set = arg.get_long().and_then(|long| self.set.get(long));
            match set {
                Some(entry) => arg.default_values(entry.values.clone()),
                None => arg,
            }
        });
        command.mut_subcommands(|command| self.under(command))
    }

    /// Where a setting is set, as text; `None` if it is not set.
    pub(super) fn origin(&self, long: &str) -> Option<String> {
        self.set.get(long).map(|entry| entry.origin.to_string())
    }

    /// The rank of a setting that is not on the command line.
    pub(super) fn rank(&self, long: &str) -> Rank {
        match self.set.get(long).map(|entry| &entry.origin) {
            Some(Origin::Variable(_)) => Rank::Environment,
            Some(Origin::Line { .. }) => Rank::File,
            None => Rank::Default,
        }
    }

    /// The values of a setting.
    pub(super) fn values(&self, long: &str) -> Option<&[OsString]> {
        self.set.get(long).map(|entry| entry.values.as_slice())
    }
}

/// The path of the configuration file, whether it exists or not; `None` without a home directory.
pub(super) fn configuration_file(config: Option<&Path>) -> Option<PathBuf> {
    file::place(&Surroundings::of_process(), config).map(|place| place.path)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::usage::arguments::Arguments;

    #[test]
    fn the_environment_overrides_the_file_and_invalid_settings_are_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.toml");
        std::fs::write(&file, "listen = '127.0.0.1:1'\nparallel = 3\nagent = 'none'\n").unwrap();
        let pairs = [("SUREFIRE_LISTEN", "127.0.0.1:2"), ("SUREFIRE_PACE_MS", "soon")];
        let variables = pairs.map(|(name, value)| (name.into(), value.into())).to_vec();
        let surroundings = Surroundings { variables, home: None };
        let command = two_way(Arguments::command());
        let (layers, complaints) = Layers::within(&surroundings, &command, Some(&file));
        assert_eq!(layers.origin("listen").unwrap(), "`SUREFIRE_LISTEN`");
        assert_eq!(layers.origin("parallel").unwrap(), format!("line 2 of `{}`", file.display()));
        assert_eq!(
            (layers.origin("agent"), layers.origin("pace-ms"), complaints.len()),
            (None, None, 2)
        );
    }
}
