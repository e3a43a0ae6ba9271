//! Claude Code, driven through its command line.
//!
//! A turn is one process: the prompt goes in on standard input, and what it prints goes into files, so that it can be
//! found again after a crash. Holding that process is `process`'s; here is what the CLI is told and what it says. Start
//! with `take.rs`, which goes through a turn from top to bottom.

mod arguments;
mod blocks;
mod classify;
mod cli;
mod cost;
mod envelope;
mod environment;
mod event;
mod find;
mod line;
mod models;
mod open_tools;
mod options;
mod permissions;
mod recover;
mod repository;
mod sessions;
mod system_prompt;
mod take;
mod transcript;
mod trust;

use std::path::Path;

use super::{About, Agent, Doing, Failure, Fate, Link, Process, Reply, Turn, UnknownModel};

pub use cli::Claude;
pub use options::{ClaudeSettings, PermissionMode};

impl Agent for Claude {
    fn about(&self) -> About {
        About { name: "claude", version: self.version(), rehearsal: false }
    }

    fn ready(&self) -> Result<(), Failure> {
        find::usable(&self.path).map(|_| ())
    }

    fn knows_model(&self, model: &str) -> Result<(), UnknownModel> {
        models::check(model)
    }

    fn trusts_directory(&self, directory: &Path) -> bool {
        trust::trusted_in_dialog(directory, &self.environment)
    }

    fn finds_settings(&self, directory: &Path) -> bool {
        repository::brings_settings(directory)
    }

    fn turn(&self, turn: Turn, link: Link) -> Doing<Result<Reply, Failure>> {
        let claude = self.clone();
        Box::pin(async move { take::take(&claude, &turn, &link).await })
    }

    fn recover(&self, turn: Turn, process: Option<Process>, link: Link) -> Doing<Fate> {
        let claude = self.clone();
        Box::pin(async move { recover::recover(&claude, &turn, process, &link).await })
    }
}
