//! Checks for `bd` (beads), a task tracker that recipes can take their task from.
//!
//! It is optional: a task can also be given as an argument.

use super::finding::Finding;
use super::program;
use crate::agent::find_on_path;
use crate::cli::usage::program::program_name;

const PROGRAM: &str = "bd";

pub(super) async fn check() -> Finding {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let Some(path) = find_on_path(PROGRAM, &path) else {
        let words = format!(
            "optional, not on the `PATH`; without it, give the task as an argument: \
             `{} run implement-and-review \"…\"`",
            program_name()
        );
        return Finding::good(PROGRAM, words);
    };
    let shown = path.display();
    let words = match program::output_of(&path, &["--version"]).await {
        Ok(output) if output.success => format!("{}, `{shown}`", output.first_line()),
        Ok(_) => format!("`{shown}`, but `bd --version` failed"),
        Err(why) => format!("`{shown}`, but `bd --version` cannot be run: {why}"),
    };
    Finding::good(PROGRAM, words)
}
