//! Ejecting prompts into files, and removing the files.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::files::{PromptFiles, steps_with_prompts};
use super::recipe_prompts::PromptSource;
use super::text;
use crate::Outline;

/// A prompt file after an eject.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ejected {
    /// The file.
    pub path: PathBuf,
    /// Whether it was written; otherwise it already had the compiled prompt.
    pub written: bool,
}

/// Why no prompt was ejected. No file has changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CannotEject {
    /// Files have the operator's words, which would be lost.
    #[error("what was written there would be lost: {}", listed(.0))]
    Edited(Vec<PathBuf>),
    /// A file cannot be written.
    #[error("`{}` cannot be written: {error}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl PromptFiles {
    /// Writes the compiled prompts of these steps into files; of all steps if none are named. Files
    /// that the operator edited are overwritten only with `force`.
    ///
    /// # Errors
    /// A file was edited, or cannot be written.
    pub fn eject(
        &self,
        recipe: &'static Outline,
        steps: &[&str],
        force: bool,
    ) -> Result<Vec<Ejected>, CannotEject> {
        let wanted: Vec<_> = steps_with_prompts(recipe)
            .filter(|step| steps.is_empty() || steps.contains(&step.name))
            .collect();
        let found = self.of(recipe).steps;
        let found = found.iter().filter(|it| wanted.iter().any(|step| step.name == it.step));
        let is_edited = |source: &Result<PromptSource, _>| {
            !matches!(source, Ok(PromptSource::Compiled | PromptSource::NotEdited))
        };
        let edited = found.filter(|it| is_edited(&it.source)).map(|it| it.path.clone());
        let edited: Vec<_> = edited.filter(|_| !force).collect();
        if !edited.is_empty() {
            return Err(CannotEject::Edited(edited));
        }
        let mut ejected = Vec::new();
        for step in wanted {
            let path = self.path(recipe, step.name);
            let compiled = format!("{}\n", text::normalized(step.prompt));
            let written = fs::read(&path).ok().as_deref() != Some(compiled.as_bytes());
            if written {
                self.write(&path, &compiled)?;
            }
            // After the file itself: if this is not reached, the file equals the compiled prompt.
            self.write(&self.ejected_from(recipe, step.name), &compiled)?;
            ejected.push(Ejected { path, written });
        }
        Ok(ejected)
    }

    /// Removes the prompt files of these steps; of all steps if none are named. Returns the files
    /// that are removed. Other files are left where they are.
    ///
    /// # Errors
    /// A file cannot be removed, for example because it is a directory.
    pub fn reset(
        &self,
        recipe: &'static Outline,
        steps: &[&str],
    ) -> Result<Vec<PathBuf>, (PathBuf, io::Error)> {
        let folder = self.folder(recipe);
        self.check_inside(&folder).map_err(|error| (folder.clone(), error))?;
        let mut removed = Vec::new();
        for step in steps_with_prompts(recipe) {
            if !(steps.is_empty() || steps.contains(&step.name)) {
                continue;
            }
            let path = self.path(recipe, step.name);
            if remove(&path)? {
                removed.push(path);
            }
            remove(&self.ejected_from(recipe, step.name))?;
        }
        // Only folders that are empty now are removed.
        let empty = self.ejected_from(recipe, "").parent().map(Path::to_owned);
        for folder in empty.into_iter().chain([folder]) {
            let _ = fs::remove_dir(folder);
        }
        Ok(removed)
    }

    /// Writes a file at once or not at all; a link in its place is replaced and not followed.
    fn write(&self, path: &Path, text: &str) -> Result<(), CannotEject> {
        self.try_write(path, text)
            .map_err(|error| CannotEject::Unwritable { path: path.to_owned(), error })
    }

    fn try_write(&self, path: &Path, text: &str) -> io::Result<()> {
        let folder = path.parent().unwrap_or(path);
        fs::create_dir_all(self.directory())?;
        self.check_inside(folder)?;
        fs::create_dir_all(folder)?;
        // Hidden, so that a run that begins now takes it for no prompt.
        let mut name = OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(".new");
        let new = folder.join(name);
        let _ = fs::remove_file(&new);
        let mut file = fs::File::create_new(&new)?;
        file.write_all(text.as_bytes())?;
        fs::rename(&new, path)
    }

    /// Refuses a folder that is a link out of the directory: what is there belongs to others.
    fn check_inside(&self, folder: &Path) -> io::Result<()> {
        let Some(existing) = folder.ancestors().find(|it| it.symlink_metadata().is_ok()) else {
            return Ok(());
        };
        let is_below = existing.starts_with(self.directory());
        if is_below && !existing.canonicalize()?.starts_with(self.directory().canonicalize()?) {
            let why = format!("`{}` leads out of the directory for prompts", existing.display());
            return Err(io::Error::other(why));
        }
        Ok(())
    }
}

/// Removes a file. Returns whether there was one.
fn remove(path: &Path) -> Result<bool, (PathBuf, io::Error)> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if text::is_missing(&error) => Ok(false),
        Err(error) => Err((path.to_owned(), error)),
    }
}

fn listed(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| format!("`{}`", path.display())).collect::<Vec<_>>().join(", ")
}
