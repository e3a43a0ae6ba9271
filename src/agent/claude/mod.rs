//! Claude Code, driven through its command line.
//!
//! A turn is one process: the prompt goes to its standard input, and its output goes to files, so
//! that it can be adopted after a crash. `process` supervises it; this module knows the CLI's
//! arguments and output. Start with `take.rs`, which reads like a turn from top to bottom.

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

use std::path::{Path, PathBuf};

use super::{
    Agent, AgentInfo, BoxFuture, Failure, Fate, ProcessIdentity, Reply, Turn, TurnContext,
    UnknownModel, find_on_path,
};

pub use cli::Claude;
pub use options::{ClaudeSettings, PermissionMode};

impl Agent for Claude {
    fn about(&self) -> AgentInfo {
        AgentInfo { name: "claude", version: self.version(), rehearsal: false }
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

    fn find_program(&self, name: &str) -> Option<PathBuf> {
        find_on_path(name, self.environment.get("PATH")?)
    }

    fn turn(&self, turn: Turn, context: TurnContext) -> BoxFuture<Result<Reply, Failure>> {
        let claude = self.clone();
        Box::pin(async move { take::take(&claude, &turn, &context).await })
    }

    fn recover(
        &self,
        turn: Turn,
        process: Option<ProcessIdentity>,
        context: TurnContext,
    ) -> BoxFuture<Fate> {
        let claude = self.clone();
        Box::pin(async move { recover::recover(&claude, &turn, process, &context).await })
    }
}
