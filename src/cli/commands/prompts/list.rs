//! The prompts of a recipe as a table.

use std::path::Path;

use crate::cli::render::format::one_line;
use crate::cli::render::paint;
use crate::cli::render::table::{Cell, Table};
use crate::engine::{PromptSource, RecipePrompts, StepPrompt};

/// Each prompt with where it comes from, and the folder of the files.
pub(super) fn list(prompts: &RecipePrompts, folder: &Path, width: Option<usize>) -> String {
    let mut table = Table::new(["STEP", "PROMPT"]);
    for prompt in &prompts.steps {
        table.row([Cell::painted(prompt.step, |step| paint::cyan(step)), source(prompt).into()]);
    }
    let is_used = prompts.steps.iter().any(|it| it.source != Ok(PromptSource::Compiled));
    let files = if is_used { "The files are in" } else { "`--eject` writes them to" };
    let folder = one_line(&folder.display().to_string());
    format!("{}\n\n{files} `{folder}`.", table.text(width).trim_end())
}

fn source(prompt: &StepPrompt) -> String {
    match &prompt.source {
        Ok(PromptSource::Compiled) => "compiled".to_owned(),
        Ok(PromptSource::NotEdited) => "compiled; its file is not edited".to_owned(),
        Ok(PromptSource::Changed { outdated: None, .. }) => "changed".to_owned(),
        Ok(PromptSource::Changed { outdated: Some(_), .. }) => {
            "changed; the compiled prompt is newer than the one that was ejected".to_owned()
        }
        Err(_) => "its file cannot be used".to_owned(),
    }
}
