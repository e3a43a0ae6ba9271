//! `surefire runs`: lists current and past runs.

use std::cmp::Reverse;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use serde_json::json;

use super::{reasons, show};
use crate::cli::connection;
use crate::cli::connection::rehearsals;
use crate::cli::context::Context;
use crate::cli::render::format::visible;
use crate::cli::render::paint;
use crate::cli::render::table::{Cell, Table};
use crate::cli::settings::data;
use crate::cli::usage::cli_error::CliError;
use crate::cli::usage::options::{DataOption, duration};
use crate::cli::usage::program::program_name;
use crate::cli::wait::wait;
use crate::engine::Clock;
use crate::run::SessionId;
use crate::store::RunFilter;
use crate::view::{count, short_id, took};
use crate::wire::RunLine;

const EXAMPLES: &str = "\
Examples:
  surefire runs --recipe implement-and-review
  surefire runs --reason max-total-steps --json
  surefire runs --all                  list every run
  surefire runs --prune 30d            same as `surefire prune --runs 30d`";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Runs {
    /// Show only runs of this recipe
    #[arg(long, value_name = "RECIPE")]
    recipe: Option<String>,
    /// Show only runs that ended for this reason
    #[arg(long, value_name = "REASON")]
    reason: Option<String>,
    /// Show only runs in this session
    #[arg(long, value_name = "UUID")]
    session: Option<SessionId>,
    /// Show at most this many, the newest
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Show all runs
    #[arg(long, conflicts_with = "limit")]
    all: bool,
    /// Delete the runs that ended longer ago than this, such as 30d
    #[arg(long, value_name = "AGE", value_parser = duration)]
    #[arg(conflicts_with_all = ["recipe", "reason", "session", "limit", "all"])]
    prune: Option<Duration>,
    /// Print JSON: the answer of `GET /api/runs`
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: DataOption,
}

impl Runs {
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let data = data::directory(self.data.data.as_deref())?;
        wait(async {
            let history = connection::history(context.catalog, &data).await?;
            if let Some(age) = self.prune {
                let count = history.prune(&data, age).await?;
                self.say_pruned(context, count);
                return Ok(ExitCode::SUCCESS);
            }
            let filter = RunFilter {
                recipe: self.recipe.clone(),
                reason: self.reason.clone(),
                session: self.session,
                limit: (!self.all).then_some(self.limit),
                ..RunFilter::default()
            };
            let aside = rehearsals::directory(&data);
            let aside = connection::history(context.catalog, &aside).await?;
            let mut rows: Vec<_> = Vec::new();
            for history in [&history, &aside] {
                let runs = history.runs(filter.clone()).await?;
                let at_server = history.is_remote();
                rows.extend(runs.into_iter().map(|run| (run, at_server)));
            }
            // Both lists are merged, newest first.
            rows.sort_by_key(|(run, _)| Reverse(run.started_at.0));
            rows.truncate(filter.limit.unwrap_or(usize::MAX));
            let (runs, at_server): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
            if runs.is_empty() {
                self.check_names(context)?;
            }
            if self.json {
                context.console.json(&json!({ "runs": runs }));
            } else if runs.is_empty() {
                context.console.say(format!("No runs. `{} run` runs a recipe.", program_name()));
            } else {
                context.console.say(table(&runs, &at_server).text(context.console.width()));
            }
            Ok(ExitCode::SUCCESS)
        })
    }

    /// Checks the names only if no run was found: the recipe of an old run may be gone.
    fn check_names(&self, context: &Context) -> Result<(), CliError> {
        if let Some(recipe) = &self.recipe {
            show::find(context.catalog, recipe)?;
        }
        match &self.reason {
            Some(reason) => reasons::find(&reasons::known(context.catalog), reason).map(|_| ()),
            None => Ok(()),
        }
    }

    fn say_pruned(&self, context: &Context, pruned: u64) {
        if self.json {
            return context.console.json(&json!({ "pruned": pruned }));
        }
        let runs = count(usize::try_from(pruned).unwrap_or(usize::MAX), "run");
        context.console.say(format!("Deleted {runs}."));
    }
}

/// The runs, each with whether a server runs it.
fn table(runs: &[RunLine], at_server: &[bool]) -> Table<6> {
    let mut table = Table::new(["RUN", "STARTED", "RECIPE", "STEPS", "END", "DIRECTORY"]);
    let now = Clock::system().now();
    for (run, at_server) in runs.iter().zip(at_server) {
        table.row([
            Cell::new(short_id(&run.run_id)),
            Cell::new(ago(Duration::from_millis(now.saturating_sub(run.started_at.0)))),
            Cell::new(visible(&run.recipe_id)),
            Cell::new(run.step_count.to_string()),
            end(run, *at_server),
            Cell::new(visible(&run.working_directory)),
        ]);
    }
    table
}

fn end(run: &RunLine, at_server: bool) -> Cell {
    let rehearsal = if run.rehearsal { " (rehearsal)" } else { "" };
    let Some(ending) = &run.ending else {
        let words = if at_server { "running" } else { "interrupted" };
        return Cell::new(format!("… {words} at {}{rehearsal}", visible(&run.step)));
    };
    let status = run.status;
    let words = format!("{} {}{rehearsal}", paint::status_sign(status), visible(&ending.reason));
    Cell::painted(words, move |text| paint::status(status, text))
}

/// The age in one unit.
fn ago(age: Duration) -> String {
    let minutes = age.as_secs() / 60;
    match minutes {
        0 => "just now".to_owned(),
        1..60 => format!("{} ago", took(Duration::from_secs(minutes * 60))),
        60..1440 => format!("{} h ago", minutes / 60),
        _ => format!("{} d ago", minutes / 1440),
    }
}
