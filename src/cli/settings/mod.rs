//! What is settled outside of the command line: in the environment, and in the operator's configuration file.
//!
//! A setting has the name of an option, and becomes that option's default; so an option is read in one way, wherever it was given.
//! Nothing is ever read from the working directory: a repository has no say in how its agent is run.

mod acceptable;
pub(super) mod data;
mod entry;
mod environment;
mod file;
pub(super) mod paths;
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
pub(in crate::cli) use setting::SETTINGS;
pub(in crate::cli) use source::{Origin, Rank};
pub(in crate::cli) use switch::two_way;

use super::usage::complaint::Complaint;
use entry::Entry;
use surroundings::Surroundings;

/// Settings by name, with where each came from.
#[derive(Debug, Clone, Default)]
pub(super) struct Layers {
    settled: BTreeMap<&'static str, Entry>,
}

impl Layers {
    /// Reads the environment and the configuration file.
    pub(super) fn gather(command: &clap::Command, config: Option<&Path>) -> Result<Self, Complaint> {
        let (layers, complaints) = Self::read(command, config);
        complaints.into_iter().next().map_or(Ok(layers), Err)
    }

    /// The same for whoever can do without what is wrong.
    pub(super) fn read(command: &clap::Command, config: Option<&Path>) -> (Self, Vec<Complaint>) {
        Self::within(&Surroundings::ours(), command, config)
    }

    fn within(
        surroundings: &Surroundings,
        command: &clap::Command,
        config: Option<&Path>,
    ) -> (Self, Vec<Complaint>) {
        let (mut layers, mut complaints) = (Self::default(), Vec::new());
        // The file comes first, since the environment stands above it.
        let found = file::entries(surroundings, config).into_iter().chain(environment::entries(surroundings));
        for entry in found {
            match entry.and_then(|entry| acceptable::check(command, &entry).map(|()| entry)) {
                Ok(entry) => drop(layers.settled.insert(entry.setting.name, entry)),
                Err(complaint) => complaints.push(complaint),
            }
        }
        (layers, complaints)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.settled.is_empty()
    }

    /// The same command, with these settings wherever the command line has none.
    pub(super) fn under(&self, command: clap::Command) -> clap::Command {
        let command = command.mut_args(|arg| {
            let settled = arg.get_long().and_then(|long| self.settled.get(long));
            match settled {
                Some(entry) => arg.default_values(entry.values.clone()),
                None => arg,
            }
        });
        command.mut_subcommands(|command| self.under(command))
    }

    /// Where a setting came from, in words; `None` where it is not settled here.
    pub(super) fn origin(&self, long: &str) -> Option<String> {
        self.settled.get(long).map(|entry| entry.origin.to_string())
    }

    /// Whose word a setting has where the command line says nothing about it.
    pub(super) fn rank(&self, long: &str) -> Rank {
        match self.settled.get(long).map(|entry| &entry.origin) {
            Some(Origin::Variable(_)) => Rank::Environment,
            Some(Origin::Line { .. }) => Rank::File,
            None => Rank::Default,
        }
    }

    /// The words of a setting.
    pub(super) fn values(&self, long: &str) -> Option<&[OsString]> {
        self.settled.get(long).map(|entry| entry.values.as_slice())
    }
}

/// The configuration file, whether it is there or not; `None` where there is no home to look for it in.
pub(super) fn configuration_file(config: Option<&Path>) -> Option<PathBuf> {
    file::place(&Surroundings::ours(), config).map(|place| place.path)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::usage::arguments::Arguments;

    #[test]
    fn the_environment_stands_above_the_file_and_what_is_wrong_is_left_out() {
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
        assert_eq!((layers.origin("agent"), layers.origin("pace-ms"), complaints.len()), (None, None, 2));
    }
}
