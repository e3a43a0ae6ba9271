//! Checks the operator's own prompts: whether they can be used, and which are changed.

use super::finding::Finding;
use crate::cli::render::format::one_line;
use crate::cli::settings::PromptDirectory;
use crate::cli::usage::program::program_name;
use crate::engine::{PromptFileError, PromptFiles, PromptSource, RecipePrompts};
use crate::recipe::closest;
use crate::{AnyRecipe, Catalog};

const CHECK: &str = "prompts";

pub(super) fn check(catalog: Catalog, place: &PromptDirectory) -> Vec<Finding> {
    match place {
        PromptDirectory::At(directory) => examine(catalog, &PromptFiles::new(directory)),
        PromptDirectory::InRepository { directory, top } if directory.is_dir() => {
            let words = format!(
                "as compiled; `{}` is not read, because it is in the repository `{}`",
                directory.display(),
                top.display()
            );
            let fix = "to change prompts, use a configuration file outside of repositories";
            vec![Finding::doubtful(CHECK, one_line(&words), fix)]
        }
        PromptDirectory::InRepository { .. } | PromptDirectory::NoHome => {
            vec![Finding::good(CHECK, "as compiled")]
        }
    }
}

fn examine(catalog: Catalog, files: &PromptFiles) -> Vec<Finding> {
    let ids: Vec<_> = catalog.iter().map(|recipe| recipe.outline().id).collect();
    let all: Vec<_> = catalog.iter().map(AnyRecipe::outline).map(|it| files.of(it)).collect();
    let mut findings: Vec<_> = all.iter().flat_map(RecipePrompts::errors).map(failed).collect();
    findings.extend(all.iter().filter_map(outdated));
    for folder in files.unknown_folders(ids.iter().copied()) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let fix = match closest(&name, ids.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "remove it, unless another program has this recipe".to_owned(),
        };
        let words = format!("`{}` is named after no recipe", folder.display());
        findings.push(Finding::doubtful(CHECK, one_line(&words), fix));
    }
    let changed: Vec<_> = all.iter().filter_map(changed).collect();
    if !changed.is_empty() {
        findings.push(Finding::good(CHECK, format!("changed: {}", changed.join("; "))));
    } else if findings.is_empty() {
        findings.push(Finding::good(CHECK, "as compiled"));
    }
    findings
}

fn failed(error: &PromptFileError) -> Finding {
    Finding::failed(CHECK, error)
}

/// `rebase (rebase, fix)`.
fn changed(prompts: &RecipePrompts) -> Option<String> {
    let steps: Vec<_> = prompts.changed_steps().collect();
    (!steps.is_empty()).then(|| format!("{} ({})", prompts.recipe, steps.join(", ")))
}

/// The prompts that were edited before an upgrade brought new ones.
fn outdated(prompts: &RecipePrompts) -> Option<Finding> {
    let is_outdated =
        |source| matches!(source, &Ok(PromptSource::Changed { outdated: Some(_), .. }));
    let steps: Vec<_> = prompts
        .steps
        .iter()
        .filter(|it| is_outdated(&it.source))
        .map(|it| format!("`{}`", it.step))
        .collect();
    let recipe = prompts.recipe;
    let words = format!(
        "`{recipe}` has newer compiled prompts than those that were ejected and changed: {}",
        steps.join(", ")
    );
    let fix = format!("`{} prompts {recipe} --diff` shows what is new", program_name());
    (!steps.is_empty()).then(|| Finding::doubtful(CHECK, words, fix))
}
