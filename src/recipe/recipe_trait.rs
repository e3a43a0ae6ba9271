//! What every recipe is: the trait that `recipe!` implements.

use super::erased::AnyRecipe;
use super::ledger::Visits;
use super::names::Names;
use super::outline::Outline;
use super::position::Position;

/// A recipe: steps, outcomes, and where they lead, checked when it was compiled.
///
/// [`recipe!`](crate::recipe!) implements it; there is no need to do that by hand. Use it as a bound where code is
/// about any recipe:
///
/// ```
/// use surefire::{Recipe, recipes::RebaseOnMain};
///
/// fn headline<R: Recipe>() -> String {
///     format!("{}, at most {} steps", R::OUTLINE.label, R::OUTLINE.max_steps)
/// }
///
/// assert_eq!(headline::<RebaseOnMain>(), "Rebase, at most 8 steps");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a recipe",
    label = "not defined with `recipe!`",
    note = "a recipe is defined with `surefire::recipe! {{ pub recipe {Self} {{ … }} }}`"
)]
pub trait Recipe: Copy + Send + Sync + 'static {
    /// The enum of its steps.
    type Step: Names;

    /// The typed run at its first step: `At<FirstStep>`.
    type Start;

    /// The typed run at any step, as an enum.
    type Anywhere;

    #[doc(hidden)]
    type Visits: Visits;

    /// The name on the wire and on the command line.
    const ID: &'static str;

    /// The recipe as static data.
    const OUTLINE: &'static Outline;

    /// The recipe behind `dyn`.
    const ANY: &'static dyn AnyRecipe;

    /// Begins a run in a chain of runs that has restarted so many times.
    fn begin_after(restarts: u32) -> Self::Start;

    #[doc(hidden)]
    fn anywhere(position: Position<Self>) -> Self::Anywhere;
}
