//! Finding a run by its id.

use std::path::{Path, PathBuf};

use super::connection;
use super::connection::{RunHistory, rehearsals};
use super::usage::cli_error::CliError;
use super::usage::program::program_name;
use crate::Catalog;
use crate::store::RunFilter;
use crate::wire::RunLine;

/// The minimum length of a shortened id.
const MIN_ID_CHARS: usize = 4;

/// How many runs an error about an ambiguous id lists.
const MAX_NAMED: usize = 5;

/// A run and where it is stored.
pub(super) struct Found {
    pub(super) run: RunLine,
    pub(super) history: RunHistory,
    pub(super) data: PathBuf,
}

/// Like [`run`], but also searches the rehearsals beside a server.
pub(super) async fn anywhere(
    catalog: Catalog,
    data: &Path,
    asked: Option<&str>,
) -> Result<Found, CliError> {
    let aside = rehearsals::directory(data);
    let history = connection::history(catalog, data).await?;
    let found = run(&history, asked).await;
    let rehearsed = connection::history(catalog, &aside).await?;
    let other = run(&rehearsed, asked).await;
    match (found, other) {
        (Ok(run), Ok(other)) if other.started_at.0 <= run.started_at.0 => {
            Ok(Found { run, history, data: data.to_owned() })
        }
        (_, Ok(run)) => Ok(Found { run, history: rehearsed, data: aside }),
        (Ok(run), Err(_)) => Ok(Found { run, history, data: data.to_owned() }),
        (Err(problem), Err(_)) => Err(problem),
    }
}

/// The run with this id or id prefix; without an id, the run that started last.
pub(super) async fn run(history: &RunHistory, asked: Option<&str>) -> Result<RunLine, CliError> {
    let Some(asked) = asked else {
        let last = history.runs(RunFilter { limit: Some(1), ..RunFilter::default() }).await?;
        return last.into_iter().next().ok_or_else(none_yet);
    };
    let id_prefix = asked.to_ascii_lowercase();
    let is_letter = |letter: char| letter.is_ascii_hexdigit() || letter == '-';
    if id_prefix.len() < MIN_ID_CHARS || !id_prefix.chars().all(is_letter) {
        let why = format!("expected at least {MIN_ID_CHARS} characters of an id, such as 3f2a8c1e");
        return Err(CliError::usage(format!("`{asked}` is not a run's id"), why, list()));
    }
    let filter =
        RunFilter { id_prefix: Some(id_prefix), limit: Some(MAX_NAMED), ..RunFilter::default() };
    let mut found = history.runs(filter).await?;
    match (found.pop(), found.as_slice()) {
        (None, _) => {
            let why = "it may have been deleted, or be in another data directory";
            Err(CliError::usage(format!("there is no run `{asked}`"), why, list()))
        }
        (Some(run), []) => Ok(run),
        (Some(last), others) => {
            let ids: Vec<_> =
                others.iter().chain([&last]).map(|run| run.run_id.to_string()).collect();
            let what = format!("`{asked}` matches several runs");
            Err(CliError::usage(what, ids.join(", "), "give more characters of the id"))
        }
    }
}

fn none_yet() -> CliError {
    let fix = format!("`{} run` runs a recipe", program_name());
    CliError::new("there are no runs yet", "no recipe has been run here", fix)
}

fn list() -> String {
    format!("`{} runs` lists the runs", program_name())
}
