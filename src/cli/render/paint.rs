//! Colours. [`Console`](super::console::Console) strips them where they are not wanted.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

use crate::Verdict;
use crate::view::Status;

pub(in crate::cli) fn bold(text: impl Display) -> String {
    painted(Style::new().bold(), text)
}

pub(in crate::cli) fn dim(text: impl Display) -> String {
    painted(Style::new().dimmed(), text)
}

pub(in crate::cli) fn red(text: impl Display) -> String {
    painted(AnsiColor::Red.on_default().bold(), text)
}

pub(in crate::cli) fn green(text: impl Display) -> String {
    painted(AnsiColor::Green.on_default(), text)
}

pub(in crate::cli) fn yellow(text: impl Display) -> String {
    painted(AnsiColor::Yellow.on_default(), text)
}

pub(in crate::cli) fn cyan(text: impl Display) -> String {
    painted(AnsiColor::Cyan.on_default(), text)
}

/// The colour of a verdict: green if the goal was met, cyan if a person has to look, yellow if a
/// limit was hit, red for a failure.
pub(in crate::cli) fn verdict(verdict: Verdict, text: impl Display) -> String {
    match verdict {
        Verdict::Completed => green(text),
        Verdict::Waiting | Verdict::Stopped => cyan(text),
        Verdict::Limited => yellow(text),
        Verdict::Failed => red(text),
    }
}

/// The symbol of a verdict.
pub(in crate::cli) const fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Completed => "✓",
        Verdict::Waiting => "●",
        Verdict::Limited => "⚠",
        Verdict::Failed => "✗",
        Verdict::Stopped => "■",
    }
}

/// The colour of a run's status.
pub(in crate::cli) fn status(status: Status, text: impl Display) -> String {
    match status {
        Status::Running => cyan(text),
        Status::Paused => yellow(text),
        Status::Ended(it) => verdict(it, text),
    }
}

/// The symbol of a run's status.
pub(in crate::cli) const fn status_sign(status: Status) -> &'static str {
    match status {
        Status::Running => "…",
        Status::Paused => "‖",
        Status::Ended(verdict) => sign(verdict),
    }
}

fn painted(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}
