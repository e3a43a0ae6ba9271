//! The prompts that the operator changed for a run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Outline, StepOutline};

/// The prompts that the operator changed, by recipe and step. They replace the compiled ones.
///
/// They are read when the first run of a chain begins and recorded with it. So a run that is
/// resumed, adopted after a crash or replayed gives its agent the same prompts, even if the
/// operator has changed them again since; and a run that a restart begins, maybe of another recipe,
/// has the prompts of its chain.
///
/// ```
/// use surefire::Recipe;
/// use surefire::recipes::RebaseOnMain;
/// use surefire::run::ChangedPrompts;
///
/// let mut prompts = ChangedPrompts::default();
/// prompts.insert("rebase", "rebase", "Rebase onto main, and keep the tests green.");
///
/// let [rebase, fix, ..] = RebaseOnMain::OUTLINE.steps else { unreachable!() };
/// let prompt = prompts.prompt_of(RebaseOnMain::OUTLINE, rebase);
/// assert_eq!(prompt, "Rebase onto main, and keep the tests green.");
/// assert_eq!(prompts.prompt_of(RebaseOnMain::OUTLINE, fix), fix.prompt);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChangedPrompts {
    recipes: BTreeMap<String, BTreeMap<String, String>>,
}

impl ChangedPrompts {
    /// Replaces the prompt of a step.
    pub fn insert(
        &mut self,
        recipe: impl Into<String>,
        step: impl Into<String>,
        prompt: impl Into<String>,
    ) {
        self.recipes.entry(recipe.into()).or_default().insert(step.into(), prompt.into());
    }

    /// Whether no prompt is replaced.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.recipes.is_empty()
    }

    /// The steps of a recipe whose prompts are replaced, by name.
    pub fn steps(&self, recipe: &str) -> impl Iterator<Item = &str> {
        self.recipes.get(recipe).into_iter().flat_map(BTreeMap::keys).map(String::as_str)
    }

    /// The prompt of a step: the operator's, or else the compiled one.
    #[must_use]
    pub fn prompt_of<'a>(&'a self, recipe: &Outline, step: &'a StepOutline) -> &'a str {
        let changed = self.recipes.get(recipe.id).and_then(|steps| steps.get(step.name));
        changed.map_or(step.prompt, String::as_str)
    }
}
