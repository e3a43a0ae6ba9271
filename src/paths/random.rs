//! Random paths.

use super::run_path::RunPath;
use super::walker::Walker;
use crate::AnyRecipe;

impl RunPath {
    /// The path that takes one outcome for each of these numbers, until the run ends. A number is
    /// the index of an outcome at its step; one that is too large starts over at the first.
    ///
    /// Every list of numbers is a path, and a shorter list of smaller numbers is a simpler one. So
    /// a library for property tests can generate paths and shrink them; with
    /// [proptest](https://docs.rs/proptest):
    ///
    /// ```
    /// use proptest::collection::vec;
    /// use proptest::prelude::*;
    /// use surefire::paths::RunPath;
    /// use surefire::recipes::ImplementAndReview;
    ///
    /// fn path() -> impl Strategy<Value = RunPath> {
    ///     vec(0..4_usize, 0..30).prop_map(|numbers| RunPath::chosen(&ImplementAndReview, numbers))
    /// }
    ///
    /// proptest!(|(path in path())| {
    ///     let reviewed = path.outcomes().any(|outcome| outcome == "no-issues");
    ///     prop_assert!(reviewed || path.outcomes().all(|outcome| outcome != "committed"));
    /// });
    /// ```
    #[must_use]
    pub fn chosen(
        recipe: &'static dyn AnyRecipe,
        numbers: impl IntoIterator<Item = usize>,
    ) -> Self {
        let mut walker = Walker::new(recipe);
        for number in numbers {
            if walker.path.is_over() {
                break;
            }
            let Some(step) = walker.enter() else { break };
            let outcome = number.checked_rem(step.outcomes.len());
            let taken = outcome.map(|outcome| walker.take(step.outcomes[outcome].name));
            if !matches!(taken, Some(Ok(()))) {
                break;
            }
        }
        walker.path
    }

    /// A random path to an end. The same number always gives the same path.
    ///
    /// ```
    /// use surefire::paths::RunPath;
    /// use surefire::recipes::RefineDesign;
    ///
    /// for seed in 0..100 {
    ///     let path = RunPath::random(&RefineDesign, seed);
    ///     assert!(path.is_over(), "{path}");
    ///     assert!(path.moves().len() <= RefineDesign::MAX_STEPS as usize, "{path}");
    /// }
    /// ```
    #[must_use]
    pub fn random(recipe: &'static dyn AnyRecipe, seed: u64) -> Self {
        let mut state = seed;
        // The upper bits are the better ones; as many as fit into every `usize`.
        let number = || usize::try_from(split_mix(&mut state) >> 48).unwrap_or_default();
        // Guardrails end every run, so this ends.
        Self::chosen(recipe, std::iter::repeat_with(number))
    }
}

/// The generator `SplitMix64`: a few lines instead of a dependency, and good with any seed.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
