//! The paths of the data directory and the key file.

use std::path::PathBuf;

use clap::Args;

use super::data;
use crate::cli::usage::cli_error::CliError;
use crate::cli::usage::options::DataOption;

/// The key file's name in the data directory.
const KEY_FILE: &str = "api-key";

#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct Paths {
    #[command(flatten)]
    data: DataOption,
    /// File with the key, created if it is missing [default: `api-key` in the data directory]
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    key_file: Option<PathBuf>,
}

impl Paths {
    /// The same paths, in this data directory.
    pub(in crate::cli) fn in_directory(self, data: PathBuf) -> Self {
        Self { data: DataOption { data: Some(data) }, ..self }
    }

    /// The data directory.
    pub(in crate::cli) fn data(&self) -> Result<PathBuf, CliError> {
        data::directory(self.data.data.as_deref())
    }

    /// The key file.
    pub(in crate::cli) fn key_file(&self) -> Result<PathBuf, CliError> {
        match &self.key_file {
            Some(path) => std::path::absolute(path).map_err(|error| {
                let what = format!("`{}` cannot be the key file", path.display());
                CliError::usage(what, error.to_string(), "give an absolute path")
            }),
            None => Ok(self.data()?.join(KEY_FILE)),
        }
    }
}
