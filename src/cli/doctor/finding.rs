//! The result of one check, and what to do about it.

use crate::Advise;
use crate::cli::usage::cli_error::CliError;

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) name: &'static str,
    pub(super) status: Status,
    pub(super) words: String,
    /// What to do about it; empty where nothing has to be done.
    pub(super) fix: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    /// The check passed.
    Good,
    /// A warning: it works, but perhaps not as intended.
    Doubtful,
    /// It does not work.
    Bad,
}

impl Finding {
    pub(super) fn good(name: &'static str, words: impl Into<String>) -> Self {
        Self { name, status: Status::Good, words: words.into(), fix: String::new() }
    }

    pub(super) fn doubtful(
        name: &'static str,
        words: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { name, status: Status::Doubtful, words: words.into(), fix: fix.into() }
    }

    pub(super) fn bad(
        name: &'static str,
        words: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { name, status: Status::Bad, words: words.into(), fix: fix.into() }
    }

    /// A failed check, from a library error.
    pub(super) fn failed(name: &'static str, error: &impl Advise) -> Self {
        Self::complained(name, &CliError::about("", error))
    }

    /// A failed check, from a command's error.
    pub(super) fn complained(name: &'static str, problem: &CliError) -> Self {
        let [what, why, fix] = problem.parts();
        let words: Vec<_> = [what, why].into_iter().filter(|words| !words.is_empty()).collect();
        Self::bad(name, words.join(": "), fix)
    }
}
