//! `surefire man`: man pages, generated from the same declarations as `--help`.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::settings::two_way;
use crate::cli::usage::cli_error::CliError;
use crate::cli::usage::program::named;

/// Examples below its help.
const EXAMPLES: &str = "\
Examples:
  surefire man | man -l -                    read the page of `surefire`
  surefire man ~/.local/share/man/man1       install the pages of all commands";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Man {
    /// Directory to write the pages of all commands to [default: print the main page]
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Man {
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let command = named(two_way(context.commands.clone()));
        match self.dir {
            Some(dir) => {
                let shown = format!("the man pages were not written to `{}`", dir.display());
                fs::create_dir_all(&dir)
                    .and_then(|()| clap_mangen::generate_to(command, &dir))
                    .map_err(|error| {
                        CliError::new(shown, error.to_string(), "choose a writable directory")
                    })?;
            }
            None => {
                let mut page = Vec::new();
                clap_mangen::Man::new(command.disable_help_subcommand(true))
                    .render(&mut page)
                    .map_err(|error| {
                        CliError::new("the man page cannot be generated", error.to_string(), "")
                    })?;
                context.console.plain(String::from_utf8_lossy(&page).trim_end());
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
