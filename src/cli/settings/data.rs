//! Where things are kept.

use std::path::{Path, PathBuf};

use super::Rank;
use crate::cli::context::Context;
use crate::cli::usage::complaint::Complaint;

/// The data directory that was asked for, or the usual one.
pub(in crate::cli) fn directory(asked: Option<&Path>) -> Result<PathBuf, Complaint> {
    let asked = asked.map(Path::to_owned).or_else(usual_directory);
    let missing =
        || Complaint::usage("there is nowhere to keep data", "there is no home", "name a folder with --data");
    let asked = asked.ok_or_else(missing)?;
    std::path::absolute(&asked).map_err(|error| {
        let what = format!("`{}` cannot be the data directory", asked.display());
        Complaint::usage(what, error.to_string(), "name another folder with --data")
    })
}

/// The data directory where the next command would have to name it as well: what is settled elsewhere stays.
pub(in crate::cli) fn named<'d>(context: &Context, data: &'d Path) -> Option<&'d Path> {
    (context.rank("data") == Rank::CommandLine).then_some(data)
}

/// The data directory where a command that is run anywhere else has to name it.
pub(in crate::cli) fn unusual(data: &Path) -> Option<PathBuf> {
    (usual_directory().as_deref() != Some(data)).then(|| data.to_owned())
}

/// The platform's directory for a program's data.
pub(in crate::cli) fn usual_directory() -> Option<PathBuf> {
    let home = std::env::home_dir()?;
    if cfg!(target_os = "macos") {
        return Some(home.join("Library/Application Support/surefire"));
    }
    let named = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    Some(named.unwrap_or_else(|| home.join(".local/share")).join("surefire"))
}
