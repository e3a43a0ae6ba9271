//! `surefire key`: prints or replaces the key that clients connect with.

use std::process::ExitCode;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::render::qr::Picture;
use crate::cli::settings::paths::Paths;
use crate::cli::usage::cli_error::CliError;
use crate::server::ApiKey;
use crate::store::Sqlite;

const EXAMPLES: &str = "\
Examples:
  surefire key                 print the key, for a script
  surefire key --qr            show it for the app to scan
  surefire key --rotate        replace a leaked key";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Key {
    #[command(flatten)]
    paths: Paths,
    /// Show the key as a QR code, for the app to scan
    #[arg(long)]
    qr: bool,
    /// Replace the key first; every client has to pair again
    #[arg(long)]
    rotate: bool,
}

impl Key {
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let path = self.paths.key_file()?;
        let (key, what) = if self.rotate {
            (ApiKey::rotate(&path), "the key was not replaced")
        } else {
            (ApiKey::in_file(&path), "the key cannot be shown")
        };
        let key = key.map_err(|error| CliError::about(what, &error))?;
        match Picture::of(&key).filter(|_| self.qr) {
            Some(picture) => {
                let (needed, size) = (picture.width(), context.console.size());
                if size.is_some_and(|(columns, _)| columns < needed) {
                    context.console.warn(format!(
                        "The QR code needs {needed} columns; make the terminal wider to scan it"
                    ));
                }
                context.console.say(picture.text());
            }
            None => context.console.say(key.reveal()),
        }
        if self.rotate {
            // On standard error, so that a script reads only the key from standard output.
            context.console.warn("This is a new key: every client has to pair again");
            let holder = self.paths.data().ok().and_then(|data| Sqlite::holder(&data).ok()?);
            if let Some(holder) = holder {
                context.console.warn(format!("Restart {holder}: it keeps the old key until then"));
            } else {
                context.console.warn("A running server keeps the old key until it is restarted");
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
