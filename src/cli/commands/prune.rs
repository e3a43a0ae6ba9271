//! `surefire prune`: deletes old runs and sessions.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use serde_json::json;

use crate::cli::connection;
use crate::cli::connection::PrunedSessions;
use crate::cli::context::Context;
use crate::cli::settings::data;
use crate::cli::usage::cli_error::CliError;
use crate::cli::usage::options::{DataOption, duration};
use crate::cli::wait::wait;
use crate::view::count;

const EXAMPLES: &str = "\
Examples:
  surefire prune --sessions 90d        delete sessions idle for 90 days
  surefire prune --runs 30d            delete runs older than 30 days
  surefire prune --runs 30d --sessions 1y --json";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(true))]
pub(in crate::cli) struct Prune {
    /// Delete the runs that ended longer ago than this, such as 30d, and keep their sessions and
    /// messages
    #[arg(long, value_name = "AGE", value_parser = duration, group = "what")]
    runs: Option<Duration>,
    /// Delete the sessions without activity for this long, such as 90d, with their messages and
    /// runs. A session is kept if it has a queued prompt, or a run that has not ended or will
    /// resume automatically
    #[arg(long, value_name = "AGE", value_parser = duration, group = "what")]
    sessions: Option<Duration>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: DataOption,
}

impl Prune {
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let data = data::directory(self.data.data.as_deref())?;
        wait(async {
            let history = connection::history(context.catalog, &data).await?;
            let runs = match self.runs {
                Some(age) => Some(history.prune(&data, age).await?),
                None => None,
            };
            let sessions = match self.sessions {
                Some(age) => Some(history.prune_sessions(&data, age).await?),
                None => None,
            };
            self.report(context, runs, sessions.as_ref());
            Ok(ExitCode::SUCCESS)
        })
    }

    fn report(&self, context: &Context, runs: Option<u64>, sessions: Option<&PrunedSessions>) {
        let in_sessions = sessions.map_or(0, |pruned| pruned.runs);
        let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let problem = sessions.and_then(|pruned| pruned.problem.as_deref());
        if self.json {
            return context.console.json(&json!({
                "runs": runs.unwrap_or(0) + in_sessions,
                "sessions": sessions.map_or(0, |pruned| pruned.sessions),
                "freed_bytes": sessions.map_or(0, |pruned| pruned.freed_bytes),
                "problem": problem,
            }));
        }
        if let Some(runs) = runs {
            context.console.say(format!("Deleted {}.", count(number(runs), "run")));
        }
        if let Some(pruned) = sessions {
            let (sessions, runs) =
                (count(number(pruned.sessions), "session"), count(number(pruned.runs), "run"));
            let freed = match pruned.freed_bytes {
                0 => String::new(),
                bytes => format!(" The database is {} smaller.", size(bytes)),
            };
            context.console.say(format!("Deleted {sessions} with {runs}.{freed}"));
        }
        if let Some(problem) = problem {
            context.console.warn(format!("the database was not shrunk: {problem}"));
        }
    }
}

/// A size in the largest fitting unit.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}
