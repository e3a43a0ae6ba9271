//! A value that an option does not take.

use std::error::Error;

/// Why an option does not take a value, and what to write instead.
///
/// A parser that knows what to write returns it; clap keeps it as the source of its own error.
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

    /// Why a parser refused a value, and what to write instead where it says so; `None` where no parser was asked.
    pub(in crate::cli) fn told(error: &clap::Error) -> Option<(String, Option<&'static str>)> {
        let source = error.source()?;
        match source.downcast_ref::<Self>() {
            Some(Self { why, fix }) => Some(((*why).to_owned(), *fix)),
            None => Some((source.to_string(), None)),
        }
    }
}
