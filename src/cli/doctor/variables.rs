//! Whether every variable that looks like ours means something.

use super::finding::Finding;
use crate::cli::settings;

const NAME: &str = "environment";

pub(super) fn check() -> Vec<Finding> {
    let finding = |(name, meant): (String, Option<String>)| {
        let fix = meant.map_or_else(|| format!("unset `{name}`"), |meant| format!("did you mean `{meant}`?"));
        Finding::doubtful(NAME, format!("`{name}` means nothing here"), fix)
    };
    settings::unknown_variables().into_iter().map(finding).collect()
}
