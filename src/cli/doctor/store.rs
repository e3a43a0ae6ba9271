//! Whether all that is stored can be read.

use std::path::Path;

use super::finding::Finding;
use crate::cli::usage::program::program_name;
use crate::store::{Quarantined, Sqlite};

const NAME: &str = "store";

/// How many are named; the others are counted.
const MAX_NAMED: usize = 5;

/// Reads the store as it is on the disk, also while a server has it open. There is nothing to say where there is none.
pub(super) fn check(data: Option<&Path>) -> Option<Finding> {
    let data = data.filter(|data| Sqlite::is_in(data))?;
    Some(match Sqlite::inspect(data) {
        Ok(None) => Finding::good(
            NAME,
            "written by an earlier version, and not looked over: the next server brings it up to date",
        ),
        Ok(Some(found)) if found.is_empty() => Finding::good(NAME, "everything in it can be read"),
        Ok(Some(found)) => Finding::doubtful(NAME, words(&found), fix()),
        Err(error) => Finding::failed(NAME, &error),
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
        "everything else works; look at the rows with `sqlite3 -readonly`, restore a backup if you need them, or delete \
         them with the other runs of their age with `{} prune`",
        program_name()
    )
}
