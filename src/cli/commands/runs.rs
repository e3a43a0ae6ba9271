//! `surefire runs`: past and present runs.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use serde_json::json;

use super::{reasons, show};
use crate::cli::connection;
use crate::cli::connection::Books;
use crate::cli::context::Context;
use crate::cli::render::format::visible;
use crate::cli::render::paint;
use crate::cli::render::table::{Cell, Table};
use crate::cli::settings::data;
use crate::cli::usage::complaint::Complaint;
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
  surefire runs --all                  every run there is
  surefire runs --prune 30d            the same as `surefire prune --runs 30d`";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Runs {
    /// Only runs of this recipe
    #[arg(long, value_name = "RECIPE")]
    recipe: Option<String>,
    /// Only runs that ended for this reason
    #[arg(long, value_name = "REASON")]
    reason: Option<String>,
    /// Only runs in this session
    #[arg(long, value_name = "UUID")]
    session: Option<SessionId>,
    /// At most so many, the last ones
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// All of them
    #[arg(long, conflicts_with = "limit")]
    all: bool,
    /// Forget the runs that ended longer ago than this, such as 30d
    #[arg(long, value_name = "AGE", value_parser = duration)]
    #[arg(conflicts_with_all = ["recipe", "reason", "session", "limit", "all"])]
    prune: Option<Duration>,
    /// Print what `GET /api/runs` answers
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: DataOption,
}

impl Runs {
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, Complaint> {
        let data = data::directory(self.data.data.as_deref())?;
        wait(async {
            let books = connection::books(context.catalog, &data).await?;
            if let Some(age) = self.prune {
                let count = books.prune(&data, age).await?;
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
            let runs = books.runs(filter).await?;
            if runs.is_empty() {
                self.check_names(context)?;
            }
            if self.json {
                context.console.json(&json!({ "runs": runs }));
            } else if runs.is_empty() {
                context.console.say(format!("No runs. `{} run` runs a recipe.", program_name()));
            } else {
                context.console.say(table(&runs, &books).text(context.console.width()));
            }
            Ok(ExitCode::SUCCESS)
        })
    }

    /// Where nothing is found, a name may be misspelt. What was run once need not be on offer any more.
    fn check_names(&self, context: &Context) -> Result<(), Complaint> {
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
        context.console.say(format!("Forgot {runs}."));
    }
}

fn table(runs: &[RunLine], books: &Books) -> Table<6> {
    let mut table = Table::new(["RUN", "BEGAN", "RECIPE", "STEPS", "END", "WHERE"]);
    let now = Clock::system().now();
    for run in runs {
        table.row([
            Cell::new(short_id(&run.run_id)),
            Cell::new(ago(Duration::from_millis(now.saturating_sub(run.started_at.0)))),
            Cell::new(visible(&run.recipe_id)),
            Cell::new(run.step_count.to_string()),
            end(run, books),
            Cell::new(visible(&run.working_directory)),
        ]);
    }
    table
}

fn end(run: &RunLine, books: &Books) -> Cell {
    let rehearsal = if run.rehearsal { " (rehearsal)" } else { "" };
    let Some(ending) = &run.ending else {
        let words = if books.are_at_a_server() { "goes on" } else { "left behind" };
        return Cell::new(format!("… {words} at {}{rehearsal}", visible(&run.step)));
    };
    let status = run.status;
    let words = format!("{} {}{rehearsal}", paint::status_sign(status), visible(&ending.reason));
    Cell::painted(words, move |text| paint::status(status, text))
}

/// How long ago, in one word and a unit.
fn ago(age: Duration) -> String {
    let minutes = age.as_secs() / 60;
    match minutes {
        0 => "just now".to_owned(),
        1..60 => format!("{} ago", took(Duration::from_secs(minutes * 60))),
        60..1440 => format!("{} h ago", minutes / 60),
        _ => format!("{} d ago", minutes / 1440),
    }
}
