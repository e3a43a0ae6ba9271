//! `surefire untrust`: withdraws the trust in a repository.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::render::format::one_line;
use crate::cli::settings::data;
use crate::cli::usage::cli_error::CliError;
use crate::cli::usage::options::DataOption;
use crate::cli::usage::program::program_name;
use crate::cli::wait::wait;
use crate::engine::TrustRecords;

const EXAMPLES: &str = "\
Examples:
  surefire untrust             this repository
  surefire untrust /gone/shop  a deleted one, by its recorded path";

/// The first line of every error of this command.
const WHAT: &str = "the trust cannot be withdrawn";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Untrust {
    /// Directory of the repository, or one below it; the recorded path if it no longer exists
    /// [default: .]
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
    #[command(flatten)]
    data: DataOption,
}

impl Untrust {
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let records = TrustRecords::new(data::directory(self.data.data.as_deref())?);
        let asked = self.dir.unwrap_or_else(|| PathBuf::from("."));
        let as_written = std::path::absolute(&asked)
            .map_err(|error| CliError::usage(WHAT, error.to_string(), "give an absolute path"))?;
        wait(async {
            let top = records.subject(&asked).await.ok().map(|subject| subject.top);
            // The recorded directory may no longer be the top of a work tree.
            let candidates = [real(&as_written), as_written.clone()];
            for top in candidates.into_iter().chain(top) {
                let was_trusted =
                    records.untrust(&top).map_err(|error| CliError::about(WHAT, &error))?;
                if was_trusted {
                    let words = format!("`{}` is no longer trusted.", top.display());
                    context.console.say(one_line(&words));
                    return Ok(ExitCode::SUCCESS);
                }
            }
            let why = format!("`{}` is not trusted", as_written.display());
            let fix = format!("`{} trust --list` lists the trusted repositories", program_name());
            Err(CliError::new("nothing was changed", why, fix))
        })
    }
}

/// The path with symbolic links resolved as far as it exists.
fn real(path: &Path) -> PathBuf {
    let found = path.ancestors().find_map(|there| Some((there, there.canonicalize().ok()?)));
    match found {
        Some((there, real)) if there == path => real,
        Some((there, real)) => {
            path.strip_prefix(there).map_or_else(|_| path.to_owned(), |gone| real.join(gone))
        }
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_existing_part_of_a_deleted_path_is_resolved() {
        let place = tempfile::tempdir().unwrap();
        let base = place.path().canonicalize().unwrap();
        std::fs::create_dir(base.join("there")).unwrap();
        std::os::unix::fs::symlink(base.join("there"), base.join("link")).unwrap();
        for (path, expected) in [
            ("there", "there"),
            ("link", "there"),
            ("link/gone/deep", "there/gone/deep"),
            ("there/../gone/", "gone"),
        ] {
            assert_eq!(real(&base.join(path)), base.join(expected), "{path}");
        }
    }
}
