//! Checks whether everything in the store can be read.

use std::path::Path;

use super::finding::Finding;
use crate::cli::usage::program::program_name;
use crate::store::{Quarantined, Sqlite};

const CHECK: &str = "store";

/// How many are named; the others are counted.
const MAX_NAMED: usize = 5;

/// Reads the store from disk, even while a server has it open. Reports nothing if there is no
/// store.
pub(super) fn check(data: Option<&Path>) -> Option<Finding> {
    let data = data.filter(|data| Sqlite::is_in(data))?;
    Some(match Sqlite::inspect(data) {
        Ok(None) => Finding::good(
            CHECK,
            "written by an earlier version, not checked: the next server migrates it",
        ),
        Ok(Some(found)) if found.is_empty() => Finding::good(CHECK, "all entries can be read"),
        Ok(Some(found)) => Finding::doubtful(CHECK, words(&found), fix()),
        Err(error) => Finding::failed(CHECK, &error),
    })
}

fn words(found: &[Quarantined]) -> String {
    let named = found.iter().take(MAX_NAMED).map(|it| match it.run {
        Some(run) => format!("run {run} (row {}): {}", it.row, it.why),
        None => format!("row {}: {}", it.row, it.why),
    });
    let mut named: Vec<_> = named.collect();
    if found.len() > MAX_NAMED {
        named.push(format!("and {} more", found.len() - MAX_NAMED));
    }
    let counted = match found.len() {
        1 => "1 entry cannot be read and is left out".to_owned(),
        entries => format!("{entries} entries cannot be read and are left out"),
    };
    format!("{counted}: {}", named.join(", "))
}

fn fix() -> String {
    format!(
        "everything else works; inspect the rows with `sqlite3 -readonly`, restore a backup if you \
         need them, or delete them and other runs of that age with `{} prune`",
        program_name()
    )
}
