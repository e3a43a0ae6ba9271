//! Where the data and the key are.

use std::path::PathBuf;

use clap::Args;

use super::data;
use crate::cli::usage::complaint::Complaint;
use crate::cli::usage::options::DataOption;

/// The key file's name in the data directory.
const KEY_FILE: &str = "api-key";

#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct Places {
    #[command(flatten)]
    data: DataOption,
    /// The file with the key, which is made if it is not there; `api-key` where everything is kept, unless told otherwise
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    key_file: Option<PathBuf>,
}

impl Places {
    /// Where everything is kept.
    pub(in crate::cli) fn data(&self) -> Result<PathBuf, Complaint> {
        data::directory(self.data.data.as_deref())
    }

    /// The file with the key.
    pub(in crate::cli) fn key_file(&self) -> Result<PathBuf, Complaint> {
        match &self.key_file {
            Some(path) => std::path::absolute(path).map_err(|error| {
                let what = format!("the key cannot be in `{}`", path.display());
                Complaint::usage(what, error.to_string(), "give its path from `/` on")
            }),
            None => Ok(self.data()?.join(KEY_FILE)),
        }
    }
}
