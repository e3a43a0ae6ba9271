//! `surefire doctor`: checks what a server or a run needs, and shows where each setting comes from.
//!
//! It changes nothing: the operator fixes what it reports. Each check has its own file.

mod agent;
mod bd;
mod clock;
mod configuration;
mod data;
mod finding;
mod git;
mod key;
mod local_socket;
mod login;
mod port;
pub(super) mod program;
mod prompts;
mod report;
mod roots;
mod settings;
mod store;
mod tools;
mod trust;
mod variables;
mod worktrees;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::commands::serve::ServeOptions;
use super::context::Context;
use super::settings::{Layers, configuration_file, two_way};
use super::usage::cli_error::CliError;
use super::wait::wait;
use crate::store::Sqlite;
use finding::{Finding, Status};

const EXAMPLES: &str = "\
Examples:
  surefire doctor                          check what a server would use
  surefire doctor --listen 0.0.0.0:8080 --lan
                                           check with these options
  surefire doctor --json                   for programs";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Doctor {
    #[command(flatten)]
    options: ServeOptions,
    /// Print one JSON object
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl Doctor {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let command = two_way(context.commands.clone());
        let config = context.options().get_one::<PathBuf>("config");
        let (_, complaints) = Layers::read(&command, config.map(PathBuf::as_path));
        let findings = wait(async { Ok(self.examine(context, &complaints).await) })?;
        let settings = settings::all(context, &command, &self.options);
        let worst = findings.iter().any(|finding| finding.status == Status::Bad);
        if self.json {
            context.console.say(report::json(&findings, &settings));
        } else {
            context.console.say(report::text(&findings, &settings, context.console.width()));
        }
        Ok(if worst { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }

    async fn examine(&self, context: &Context, complaints: &[CliError]) -> Vec<Finding> {
        let config = context.options().get_one::<PathBuf>("config");
        let file = configuration_file(config.map(PathBuf::as_path));
        let paths = &self.options.paths;
        let data = paths.data();
        let holder = data.as_ref().ok().and_then(|data| Sqlite::holder(data).ok()?);
        let mut findings = configuration::check(file.as_deref(), complaints);
        let chosen = self.options.agent.clone().resolved(context);
        let (found, cli) = agent::check(chosen.and_then(|agent| agent.check_list(None))).await;
        findings.push(found);
        findings.push(tools::check(&self.options.agent.allow_tool, cli.is_some()));
        if let Some(cli) = cli {
            findings.push(login::check(&cli).await);
        }
        findings.push(git::check().await);
        findings.push(bd::check().await);
        findings.push(data::check(data.as_deref(), holder.as_ref()));
        findings.extend(store::check(data.as_deref().ok()));
        findings.extend(worktrees::check(context.catalog, data.as_deref().ok()).await);
        findings.extend(trust::check(data.as_deref().ok()).await);
        findings.extend(prompts::check(context.catalog, &context.prompts()));
        findings.push(key::check(paths.key_file()));
        findings.push(port::check(&self.options.listening, holder.as_ref()));
        findings.extend(local_socket::check(data.as_deref().ok(), holder.as_ref()).await);
        findings.extend(roots::check(&self.options.root));
        findings.push(clock::check(data.as_deref().ok()));
        findings.extend(variables::check());
        findings
    }
}
