//! The sources of settings: the environment variables and the home directory.

use std::ffi::OsString;
use std::path::PathBuf;

/// The environment of the process.
pub(in crate::cli) struct Surroundings {
    pub(in crate::cli) variables: Vec<(OsString, OsString)>,
    pub(in crate::cli) home: Option<PathBuf>,
}

impl Surroundings {
    pub(in crate::cli) fn of_process() -> Self {
        Self { variables: std::env::vars_os().collect(), home: std::env::home_dir() }
    }

    /// A variable's value. An empty variable counts as unset.
    pub(in crate::cli) fn get(&self, name: &str) -> Option<&OsString> {
        let found = self.variables.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value).filter(|value| !value.is_empty())
    }
}
