//! The data directory.

use std::path::{Path, PathBuf};

use super::Rank;
use crate::cli::context::Context;
use crate::cli::usage::cli_error::CliError;

/// The chosen data directory, or the default.
pub(in crate::cli) fn directory(asked: Option<&Path>) -> Result<PathBuf, CliError> {
    let asked = asked.map(Path::to_owned).or_else(usual_directory);
    let missing = || {
        CliError::usage(
            "there is no data directory",
            "the home directory is unknown",
            "choose a directory with --data",
        )
    };
    let asked = asked.ok_or_else(missing)?;
    std::path::absolute(&asked).map_err(|error| {
        let what = format!("`{}` cannot be the data directory", asked.display());
        CliError::usage(what, error.to_string(), "choose another directory with --data")
    })
}

/// The data directory if the next command has to name it too, because it comes from the command
/// line.
pub(in crate::cli) fn named<'d>(context: &Context, data: &'d Path) -> Option<&'d Path> {
    (context.rank("data") == Rank::CommandLine).then_some(data)
}

/// The data directory if it is not the default, so that a command run elsewhere has to name it.
pub(in crate::cli) fn unusual(data: &Path) -> Option<PathBuf> {
    (usual_directory().as_deref() != Some(data)).then(|| data.to_owned())
}

/// The platform's default data directory.
pub(in crate::cli) fn usual_directory() -> Option<PathBuf> {
    let home = std::env::home_dir()?;
    if cfg!(target_os = "macos") {
        return Some(home.join("Library/Application Support/surefire"));
    }
    let named =
        std::env::var_os("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    Some(named.unwrap_or_else(|| home.join(".local/share")).join("surefire"))
}
