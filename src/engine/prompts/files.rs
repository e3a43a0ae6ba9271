//! The directory with the operator's prompts.

use std::ffi::OsString;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};

use super::error::{PromptDefect, PromptFileError};
use super::recipe_prompts::{PromptSource, RecipePrompts, StepPrompt};
use super::text;
use crate::recipe::closest;
use crate::run::ChangedPrompts;
use crate::{AnyRecipe, NextOutline, Outline, StepOutline};

/// The ending of a prompt file's name.
const ENDING: &str = "md";

/// The folder beside the prompt files with the compiled prompts that they were ejected from.
const EJECTED_FROM: &str = ".ejected";

/// The directory with the operator's prompts: `<directory>/<recipe>/<step>.md` replaces one.
///
/// It is read each time, so that what an editor saves is used by the next run.
///
/// ```
/// use surefire::Recipe;
/// use surefire::engine::PromptFiles;
/// use surefire::recipes::RebaseOnMain;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let files = PromptFiles::new(folder.path());
/// files.eject(RebaseOnMain::OUTLINE, &["rebase"], false)?;
/// assert_eq!(files.of(RebaseOnMain::OUTLINE).changed_steps().count(), 0, "not edited yet");
///
/// let file = folder.path().join("rebase/rebase.md");
/// std::fs::write(file, "Rebase onto main, and keep the tests green.")?;
/// let prompts = files.for_run(&RebaseOnMain)?;
/// assert_eq!(prompts.steps("rebase").collect::<Vec<_>>(), ["rebase"]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptFiles {
    directory: PathBuf,
}

impl PromptFiles {
    /// The prompts in this directory, which need not exist.
    #[must_use]
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
    }

    /// The directory.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The folder with the prompts of a recipe.
    #[must_use]
    pub fn folder(&self, recipe: &Outline) -> PathBuf {
        self.directory.join(recipe.id)
    }

    /// The prompts of a recipe, and where each comes from.
    #[must_use]
    pub fn of(&self, recipe: &'static Outline) -> RecipePrompts {
        let steps = steps_with_prompts(recipe).map(|step| self.step(recipe, step));
        RecipePrompts {
            recipe: recipe.id,
            steps: steps.collect(),
            problems: self.unknown_files(recipe),
        }
    }

    /// The changed prompts for a run of this recipe, and for the runs that restarts may begin.
    ///
    /// # Errors
    /// A file of these recipes cannot be used.
    pub fn for_run(
        &self,
        recipe: &'static dyn AnyRecipe,
    ) -> Result<ChangedPrompts, PromptFileError> {
        let mut prompts = ChangedPrompts::default();
        for recipe in with_restarts(recipe.outline()) {
            let found = self.of(recipe);
            if let Some(error) = found.errors().next() {
                return Err(error.clone());
            }
            for (step, text) in found.changed() {
                prompts.insert(recipe.id, step, text);
            }
        }
        Ok(prompts)
    }

    /// The folders that are named after no recipe in a catalog.
    #[must_use]
    pub fn unknown_folders<'n>(&self, recipes: impl Iterator<Item = &'n str>) -> Vec<PathBuf> {
        let known: Vec<_> = recipes.collect();
        let folders = self.directory.read_dir().into_iter().flatten().flatten();
        let folders = folders.filter(|entry| !is_ignored(entry) && entry.path().is_dir());
        let mut unknown: Vec<_> = folders
            .filter(|entry| !known.iter().any(|id| entry.file_name() == **id))
            .map(|entry| entry.path())
            .collect();
        unknown.sort();
        unknown
    }

    fn step(&self, recipe: &'static Outline, step: &'static StepOutline) -> StepPrompt {
        let path = self.path(recipe, step.name);
        let source = self.source(recipe, step, &path);
        let source = source.map_err(|defect| {
            let path = path.clone();
            PromptFileError::Defective { recipe: recipe.id, step: step.name, path, defect }
        });
        StepPrompt { step: step.name, compiled: step.prompt, path, source }
    }

    fn source(
        &self,
        recipe: &Outline,
        step: &StepOutline,
        path: &Path,
    ) -> Result<PromptSource, PromptDefect> {
        let Some(text) = text::read(&self.directory, path)? else {
            return Ok(PromptSource::Compiled);
        };
        let compiled = text::normalized(step.prompt);
        // Without it, nothing is known about where the file comes from.
        let from =
            text::read(&self.directory, &self.ejected_from(recipe, step.name)).ok().flatten();
        // An ejected prompt that was not edited is not a change, even after an upgrade.
        if text == compiled || from.as_ref() == Some(&text) {
            return Ok(PromptSource::NotEdited);
        }
        Ok(PromptSource::Changed { text, outdated: from.filter(|from| *from != compiled) })
    }

    /// Files that replace no prompt, although they were written to replace one.
    fn unknown_files(&self, recipe: &'static Outline) -> Vec<PromptFileError> {
        let folder = self.folder(recipe);
        let entries = match folder.read_dir() {
            Ok(entries) => entries,
            Err(error) if text::is_missing(&error) => return Vec::new(),
            Err(error) => {
                return vec![PromptFileError::Unlisted { path: folder, why: error.to_string() }];
            }
        };
        let names: Vec<_> = steps_with_prompts(recipe).map(|step| file_name(step.name)).collect();
        let unknown = entries.flatten().filter(|entry| !is_ignored(entry)).map(|it| it.file_name());
        let mut unknown: Vec<_> =
            unknown.filter(|name| !names.iter().any(|known| name == known.as_str())).collect();
        // The order of a directory is not defined.
        unknown.sort();
        let error = |name: OsString| PromptFileError::NoStep {
            recipe: recipe.id,
            closest: closest(&name.to_string_lossy(), names.iter().map(String::as_str))
                .map(str::to_owned),
            path: folder.join(name),
            names: names.clone(),
        };
        unknown.into_iter().map(error).collect()
    }

    /// The file of a step.
    pub(super) fn path(&self, recipe: &Outline, step: &str) -> PathBuf {
        self.folder(recipe).join(file_name(step))
    }

    /// The file with the compiled prompt that a step's file was ejected from.
    pub(super) fn ejected_from(&self, recipe: &Outline, step: &str) -> PathBuf {
        self.folder(recipe).join(EJECTED_FROM).join(file_name(step))
    }
}

/// The steps that an agent works at.
pub(super) fn steps_with_prompts(
    recipe: &'static Outline,
) -> impl Iterator<Item = &'static StepOutline> {
    recipe.steps.iter().filter(|step| step.command.is_none())
}

fn file_name(step: &str) -> String {
    format!("{step}.{ENDING}")
}

/// Hidden files and the backups of editors, which are not meant to replace a prompt.
fn is_ignored(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    let name = name.to_string_lossy();
    name.starts_with(['.', '#']) || name.ends_with('~')
}

/// A recipe, and all that its chain may restart.
fn with_restarts(recipe: &'static Outline) -> Vec<&'static Outline> {
    let mut found = vec![recipe];
    let mut index = 0;
    while let Some(recipe) = found.get(index).copied() {
        index += 1;
        for outcome in recipe.steps.iter().flat_map(|step| step.outcomes) {
            if let NextOutline::Restart { recipe, .. } = outcome.next
                && found.iter().all(|known| known.id != recipe.outline().id)
            {
                found.push(recipe.outline());
            }
        }
    }
    found
}
