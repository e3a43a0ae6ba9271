//! Colours. What is painted is plain again wherever colours are not wanted: see [`Console`](super::console::Console).

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

use crate::Category;

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

/// The colour of an end: green where the goal was met, yellow where a limit was hit or somebody has to look, red for a failure.
pub(in crate::cli) fn end(category: Category, goal_met: bool, text: impl Display) -> String {
    match (category, goal_met) {
        (Category::Completed, true) => green(text),
        (Category::Completed, false) => cyan(text),
        (Category::Guardrail, _) => yellow(text),
        (Category::Error, _) => red(text),
    }
}

/// The sign of an end.
pub(in crate::cli) const fn sign(category: Category, goal_met: bool) -> &'static str {
    match (category, goal_met) {
        (Category::Completed, true) => "✓",
        (Category::Completed, false) => "●",
        (Category::Guardrail, _) => "⚠",
        (Category::Error, _) => "✗",
    }
}

fn painted(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}
