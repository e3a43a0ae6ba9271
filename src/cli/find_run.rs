//! Which run is meant.

use super::connection::Books;
use super::usage::complaint::Complaint;
use super::usage::program::program_name;
use crate::store::RunFilter;
use crate::wire::RunLine;

/// The fewest characters of an id that are enough.
const SHORTEST: usize = 4;

/// How many runs are named when several are meant.
const NAMED: usize = 5;

/// The run with this id, or whose id begins so; the last one that began where nobody says.
pub(super) async fn run(books: &Books, asked: Option<&str>) -> Result<RunLine, Complaint> {
    let Some(asked) = asked else {
        let last = books.runs(RunFilter { limit: Some(1), ..RunFilter::default() }).await?;
        return last.into_iter().next().ok_or_else(none_yet);
    };
    let id_prefix = asked.to_ascii_lowercase();
    let is_letter = |letter: char| letter.is_ascii_hexdigit() || letter == '-';
    if id_prefix.len() < SHORTEST || !id_prefix.chars().all(is_letter) {
        let why = format!("an id begins with at least {SHORTEST} digits, such as 3f2a8c1e");
        return Err(Complaint::usage(format!("`{asked}` is not a run's id"), why, list()));
    }
    let filter = RunFilter { id_prefix: Some(id_prefix), limit: Some(NAMED), ..RunFilter::default() };
    let mut found = books.runs(filter).await?;
    match (found.pop(), found.as_slice()) {
        (None, _) => {
            let why = "it may have been forgotten, or be kept in another data directory";
            Err(Complaint::usage(format!("there is no run `{asked}`"), why, list()))
        }
        (Some(run), []) => Ok(run),
        (Some(last), others) => {
            let ids: Vec<_> = others.iter().chain([&last]).map(|run| run.run_id.to_string()).collect();
            let what = format!("`{asked}` could be several runs");
            Err(Complaint::usage(what, ids.join(", "), "write more of the id"))
        }
    }
}

fn none_yet() -> Complaint {
    let fix = format!("`{} run` runs a recipe", program_name());
    Complaint::new("there are no runs yet", "nothing was ever run here", fix)
}

fn list() -> String {
    format!("`{} runs` lists them", program_name())
}
