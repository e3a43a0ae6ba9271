//! A value that an option rejects.

use std::error::Error;

/// Why an option rejects a value, and what to write instead.
///
/// A parser returns it, and clap appends it to its own message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{why}{}", fix.map(|fix| format!("; {fix}")).unwrap_or_default())]
pub(in crate::cli) struct BadValue {
    why: &'static str,
    fix: Option<&'static str>,
}

impl BadValue {
    pub(in crate::cli) const fn new(why: &'static str) -> Self {
        Self { why, fix: None }
    }

    /// What to write instead.
    pub(in crate::cli) const fn fix(self, fix: &'static str) -> Self {
        Self { fix: Some(fix), ..self }
    }

    /// Why a parser rejected a value, and what to write instead where the parser knows. `None` if
    /// the error is not a parser's.
    pub(in crate::cli) fn from_clap(error: &clap::Error) -> Option<(String, Option<&'static str>)> {
        let source = error.source()?;
        match source.downcast_ref::<Self>() {
            Some(Self { why, fix }) => Some(((*why).to_owned(), *fix)),
            None => Some((source.to_string(), None)),
        }
    }
}
