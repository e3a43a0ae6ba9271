//! What one check found, and what to do about it.

use crate::Advise;
use crate::cli::usage::complaint::Complaint;

/// What one check found.
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
    /// All is well.
    Good,
    /// It works, but perhaps not as it was meant.
    Doubtful,
    /// It does not work.
    Bad,
}

impl Finding {
    pub(super) fn good(name: &'static str, words: impl Into<String>) -> Self {
        Self { name, status: Status::Good, words: words.into(), fix: String::new() }
    }

    pub(super) fn doubtful(name: &'static str, words: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name, status: Status::Doubtful, words: words.into(), fix: fix.into() }
    }

    pub(super) fn bad(name: &'static str, words: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name, status: Status::Bad, words: words.into(), fix: fix.into() }
    }

    /// An error of an inner room: what is wrong, and what to do.
    pub(super) fn failed(name: &'static str, error: &impl Advise) -> Self {
        Self::complained(name, &Complaint::about("", error))
    }

    /// The same of a command.
    pub(super) fn complained(name: &'static str, complaint: &Complaint) -> Self {
        let [what, why, fix] = complaint.parts();
        let words: Vec<_> = [what, why].into_iter().filter(|words| !words.is_empty()).collect();
        Self::bad(name, words.join(": "), fix)
    }
}
