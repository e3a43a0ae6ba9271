//! Checks for environment variables with our prefix that have no effect.

use super::finding::Finding;
use crate::cli::settings;

const CHECK: &str = "environment";

pub(super) fn check() -> Vec<Finding> {
    let finding = |(name, meant): (String, Option<String>)| {
        let fix = meant
            .map_or_else(|| format!("unset `{name}`"), |meant| format!("did you mean `{meant}`?"));
        Finding::doubtful(CHECK, format!("`{name}` has no effect"), fix)
    };
    settings::unknown_variables().into_iter().map(finding).collect()
}
