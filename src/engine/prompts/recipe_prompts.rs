//! The prompts of one recipe, and where each comes from.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::error::PromptFileError;

/// The prompts of one recipe: where each comes from, and what is wrong with the files.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecipePrompts {
    /// The recipe's id.
    pub recipe: &'static str,
    /// The steps that have a prompt, in the order of the recipe.
    pub steps: Vec<StepPrompt>,
    /// Files that belong to no such step, or why the files cannot be listed.
    pub problems: Vec<PromptFileError>,
}

/// The prompt of one step.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StepPrompt {
    /// The step.
    pub step: &'static str,
    /// The compiled prompt.
    pub compiled: &'static str,
    /// The file that can replace it, whether it exists or not.
    pub path: PathBuf,
    /// Where the prompt comes from.
    pub source: Result<PromptSource, PromptFileError>,
}

/// Where a prompt comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PromptSource {
    /// The recipe.
    Compiled,
    /// The recipe: the file is as it was ejected, or says the same.
    NotEdited,
    /// The file.
    Changed {
        /// Its text.
        text: String,
        /// The compiled prompt that the file was ejected from, if the recipe has another one now.
        outdated: Option<String>,
    },
}

impl StepPrompt {
    /// The operator's prompt, if it replaces the compiled one.
    #[must_use]
    pub fn changed(&self) -> Option<&str> {
        match &self.source {
            Ok(PromptSource::Changed { text, .. }) => Some(text),
            Ok(PromptSource::Compiled | PromptSource::NotEdited) | Err(_) => None,
        }
    }
}

impl RecipePrompts {
    /// The changed prompts, by step.
    #[must_use]
    pub fn changed(&self) -> BTreeMap<String, String> {
        let changed = self.steps.iter().filter_map(|it| Some((it.step, it.changed()?)));
        changed.map(|(step, text)| (step.to_owned(), text.to_owned())).collect()
    }

    /// The steps whose prompts are changed, in the order of the recipe.
    pub fn changed_steps(&self) -> impl Iterator<Item = &'static str> {
        self.steps.iter().filter(|it| it.changed().is_some()).map(|it| it.step)
    }

    /// What is wrong with the files.
    pub fn errors(&self) -> impl Iterator<Item = &PromptFileError> {
        self.steps.iter().filter_map(|it| it.source.as_ref().err()).chain(&self.problems)
    }
}
