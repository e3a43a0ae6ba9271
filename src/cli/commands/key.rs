//! `surefire key`: the key that clients have to know.

use std::process::ExitCode;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::render::qr::Picture;
use crate::cli::settings::paths::Places;
use crate::cli::usage::complaint::Complaint;
use crate::server::ApiKey;
use crate::store::Sqlite;

const EXAMPLES: &str = "\
Examples:
  surefire key                 the key itself, for a script
  surefire key --qr            to scan it with the app
  surefire key --rotate        a new one, if somebody else has seen it";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Key {
    #[command(flatten)]
    places: Places,
    /// As a QR code, for the app to scan
    #[arg(long)]
    qr: bool,
    /// Makes a new key first; every client has to pair again
    #[arg(long)]
    rotate: bool,
}

impl Key {
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, Complaint> {
        let path = self.places.key_file()?;
        let (key, what) = if self.rotate {
            (ApiKey::rotate(&path), "there is no new key")
        } else {
            (ApiKey::in_file(&path), "there is no key to show")
        };
        let key = key.map_err(|error| Complaint::about(what, &error))?;
        match Picture::of(&key).filter(|_| self.qr) {
            Some(picture) => {
                let (needed, size) = (picture.width(), context.console.size());
                if size.is_some_and(|(columns, _)| columns < needed) {
                    let words = "cannot be scanned like this: make the terminal wider";
                    context.console.warn(format!("The picture needs {needed} columns, and {words}"));
                }
                context.console.say(picture.text());
            }
            None => context.console.say(key.reveal()),
        }
        if self.rotate {
            // Beside the key, so that a script that reads the key reads nothing else.
            context.console.warn("This is a new key: every client has to pair again");
            let holder = self.places.data().ok().and_then(|data| Sqlite::holder(&data).ok()?);
            if let Some(holder) = holder {
                context.console.warn(format!("Restart {holder}: it keeps the old key until then"));
            } else {
                context.console.warn("A server that runs keeps the old key until it is restarted");
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
