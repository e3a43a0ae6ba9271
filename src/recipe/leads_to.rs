//! Where an outcome leads, as generated code answers it.

use super::erased::AnyRecipe;

/// Where an outcome of a step leads.
///
/// It says the same as [`NextOutline`](crate::NextOutline), but it is compiled into a `match` and
/// not looked up in the outline.
#[derive(Clone, Copy)]
pub enum LeadsTo {
    /// A step without a limit of its own, as an index into the recipe's steps.
    Step(usize),
    /// A step with one.
    LimitedStep(usize),
    /// The end of the run, as an index into [`Recipe::EXITS`](crate::Recipe::EXITS).
    Exit(usize),
    /// Another recipe, in a fresh session.
    Restart(&'static dyn AnyRecipe),
    /// Nowhere: the step has no such outcome.
    Nowhere,
}
