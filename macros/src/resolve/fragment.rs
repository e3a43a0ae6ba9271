//! Shared steps with examined prompts; where their outcomes lead is known only in the recipes that
//! include them.

use super::Prompt;
use crate::syntax::{Fragment, Step};

/// Shared steps whose prompts were examined.
pub(crate) struct ResolvedFragment {
    pub(crate) written: Fragment,
    /// One for each step, in order.
    prompts: Vec<Prompt>,
}

impl ResolvedFragment {
    pub(crate) fn new(written: Fragment) -> Self {
        let prompts = written.steps.iter().map(Prompt::new).collect();
        Self { written, prompts }
    }

    /// The steps, each with its prompt.
    pub(crate) fn steps(&self) -> impl Iterator<Item = (&Step, &Prompt)> {
        self.written.steps.iter().zip(&self.prompts)
    }
}
