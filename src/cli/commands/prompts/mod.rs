//! `surefire prompts`: shows where the prompts of a recipe come from, and changes them.

mod diff;
mod list;

use std::process::ExitCode;

use clap::Args;

use super::show;
use crate::cli::confirm::is_agreed_to;
use crate::cli::context::Context;
use crate::cli::render::format::one_line;
use crate::cli::settings::PromptDirectory;
use crate::cli::usage::cli_error::CliError;
use crate::cli::usage::program::program_name;
use crate::engine::{CannotEject, PromptFiles, PromptSource, RecipePrompts};
use crate::recipe::closest;
use crate::view::count;
use crate::{Advise, Outline};

const EXAMPLES: &str = "\
Examples:
  surefire prompts implement-and-review          see which prompts are changed
  surefire prompts implement-and-review --eject  write them into files, to edit them
  surefire prompts implement-and-review --diff   compare the files with the compiled prompts
  surefire prompts implement-and-review --reset --step fix
                                                 go back to a compiled prompt

The files are beside the configuration file, in `prompts`. The next run uses what differs from the
compiled prompts. A run that has begun, and its chain, keep the prompts that they began with.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("action").multiple(false))]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch on the command line")]
pub(in crate::cli) struct Prompts {
    /// Id of the recipe; `surefire recipes` lists them
    #[arg(value_name = "RECIPE")]
    recipe: String,
    /// Write the compiled prompts into files
    #[arg(long, group = "action")]
    eject: bool,
    /// Print what the files change, as a unified diff
    #[arg(long, group = "action")]
    diff: bool,
    /// Delete the files, and use the compiled prompts again
    #[arg(long, group = "action")]
    reset: bool,
    /// Only this step (repeatable) [default: all steps that have a prompt]
    #[arg(long, value_name = "STEP")]
    step: Vec<String>,
    /// With `--eject`: overwrite files that were edited [default: refuse]
    #[arg(long, requires = "eject")]
    force: bool,
    /// With `--reset`: delete edited files without confirmation [default: ask, or refuse without a
    /// terminal]
    #[arg(long, requires = "reset")]
    yes: bool,
}

impl Prompts {
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let recipe = show::find(context.catalog, &self.recipe)?.outline();
        for step in &self.step {
            has_prompt(recipe, step)?;
        }
        let files = files(&context.prompts())?;
        let mut prompts = files.of(recipe);
        if !self.step.is_empty() {
            prompts.steps.retain(|it| self.step.iter().any(|step| step == it.step));
        }
        if self.eject {
            self.eject(context, &files, recipe)
        } else if self.reset {
            self.reset(context, &files, recipe, &prompts)
        } else if self.diff {
            context.console.say(diff::diff(&prompts));
            no_problem(&prompts)
        } else {
            context.console.say(list::list(
                &prompts,
                &files.folder(recipe),
                context.console.width(),
            ));
            no_problem(&prompts)
        }
    }

    fn steps(&self) -> Vec<&str> {
        self.step.iter().map(String::as_str).collect()
    }

    fn eject(
        &self,
        context: &Context,
        files: &PromptFiles,
        recipe: &'static Outline,
    ) -> Result<ExitCode, CliError> {
        const WHAT: &str = "no prompt was written";
        let ejected = files.eject(recipe, &self.steps(), self.force).map_err(|error| match &error {
            CannotEject::Edited(_) => CliError::new(
                WHAT,
                error.to_string(),
                format!(
                    "`{} prompts {} --diff` shows it; `--force` overwrites it, `--step` chooses others",
                    program_name(),
                    recipe.id
                ),
            ),
            CannotEject::Unwritable { .. } => {
                CliError::new(WHAT, error.to_string(), "fix that, or name another directory with `--config`")
            }
        })?;
        let written = ejected.iter().filter(|it| it.written).count();
        let known = ejected.len() - written;
        let known =
            if known > 0 { format!(" {} there already.", are(known)) } else { String::new() };
        context.console.say(one_line(&format!(
            "Wrote {} to `{}`.{known}",
            count(written, "prompt"),
            files.folder(recipe).display()
        )));
        context.console.say("Edit them: the next run uses what differs from the compiled prompts.");
        Ok(ExitCode::SUCCESS)
    }

    fn reset(
        &self,
        context: &Context,
        files: &PromptFiles,
        recipe: &'static Outline,
        prompts: &RecipePrompts,
    ) -> Result<ExitCode, CliError> {
        const WHAT: &str = "no prompt was reset";
        let is_lost = |source: &Result<PromptSource, _>| match source {
            Ok(PromptSource::Compiled | PromptSource::NotEdited) => false,
            Ok(PromptSource::Changed { .. }) | Err(_) => true,
        };
        let lost = prompts.steps.iter().filter(|it| is_lost(&it.source)).count();
        if lost > 0 && !self.yes && !is_agreed_to(context, WHAT, &count(lost, "changed prompt"))? {
            context.console.say("Nothing was deleted.");
            return Ok(ExitCode::FAILURE);
        }
        let removed = files.reset(recipe, &self.steps()).map_err(|(path, error)| {
            let why = format!("`{}`: {error}", path.display());
            CliError::new(WHAT, why, "remove it yourself")
        })?;
        context.console.say(match removed.len() {
            0 => format!("`{}` has no prompt files.", recipe.id),
            files => format!("Deleted {}. The compiled prompts apply again.", count(files, "file")),
        });
        Ok(ExitCode::SUCCESS)
    }
}

/// `1 was`, `3 were`.
fn are(number: usize) -> String {
    if number == 1 { "1 was".to_owned() } else { format!("{number} were") }
}

/// The files, unless they are not looked for.
fn files(place: &PromptDirectory) -> Result<PromptFiles, CliError> {
    const WHAT: &str = "the prompts cannot be changed";
    match place {
        PromptDirectory::At(directory) => Ok(PromptFiles::new(directory)),
        PromptDirectory::InRepository { directory, top } => {
            let why = format!(
                "`{}` is in the repository `{}`, and a repository cannot change prompts",
                directory.display(),
                top.display()
            );
            Err(CliError::usage(WHAT, why, "use a configuration file outside of repositories"))
        }
        PromptDirectory::NoHome => {
            let why = "there is no home directory to keep them in";
            Err(CliError::usage(WHAT, why, "name a configuration file with `--config`"))
        }
    }
}

/// Whether the recipe has such a step, with a prompt.
fn has_prompt(recipe: &'static Outline, name: &str) -> Result<(), CliError> {
    let what = format!("there is no prompt `{name}` in `{}`", recipe.id);
    let with_prompt = || recipe.steps.iter().filter(|step| step.command.is_none());
    let names = || with_prompt().map(|step| step.name);
    match recipe.step(name) {
        Some(step) if step.command.is_none() => Ok(()),
        Some(_) => Err(CliError::usage(
            what,
            "the step runs a command",
            format!("choose one of: {}", names().collect::<Vec<_>>().join(", ")),
        )),
        None => Err(CliError::usage(
            what,
            "the recipe has no such step",
            match closest(name, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("choose one of: {}", names().collect::<Vec<_>>().join(", ")),
            },
        )),
    }
}

/// Fails if a file cannot be used, because no run can begin then.
fn no_problem(prompts: &RecipePrompts) -> Result<ExitCode, CliError> {
    match prompts.errors().next() {
        Some(error) => {
            let what = format!("no run of `{}` can begin", prompts.recipe);
            let fix = error.remedy().map(|remedy| remedy.to_string());
            Err(CliError::advised(what, error.problem(), fix))
        }
        None => Ok(ExitCode::SUCCESS),
    }
}
