//! `surefire recipes`: lists the recipes, or checks them against the runs of the store.

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::Args;

use super::recipes_check;
use crate::AnyRecipe;
use crate::cli::context::Context;
use crate::cli::render::paint;
use crate::cli::render::table::{Cell, Table};
use crate::cli::usage::cli_error::CliError;
use crate::cli::usage::options::DataOption;
use crate::server::broadcast::convert::available_recipes;

/// Examples below its help.
const EXAMPLES: &str = "\
Examples:
  surefire recipes           list the recipes
  surefire recipes --json    for programs, as the server lists them
  surefire recipes --check   see which runs can continue with the recipes of this program

STEPS is the number of steps in a recipe, MAX the maximum number of steps in a run.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Recipes {
    /// Print JSON: the recipes, as `GET /api/recipes` lists them
    #[arg(long)]
    json: bool,
    /// Check which runs can continue with these recipes; the exit status is 1 if one that is open
    /// or paused cannot
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    data: DataOption,
}

impl Recipes {
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        if self.check {
            return recipes_check::run(context, &self.data, self.json);
        }
        let files = context.prompts().files();
        let outlines: Vec<_> = context.catalog.iter().map(AnyRecipe::outline).collect();
        let prompts: Vec<_> = files
            .iter()
            .flat_map(|files| outlines.iter().map(|outline| files.of(outline)))
            .collect();
        // Only a server and its store know whether recipes are disabled, and their current runs.
        // This command asks no server and assumes that they are enabled.
        let offer = available_recipes(context.catalog, &prompts, true);
        if self.json {
            context.console.json(&offer);
            return Ok(ExitCode::SUCCESS);
        }
        let mut table = Table::new(["ID", "LABEL", "STEPS", "MAX", "WHAT IT DOES"]);
        let mut changed = String::new();
        for recipe in offer.recipes {
            if !recipe.changed_prompts.is_empty() {
                let steps = recipe.changed_prompts.join(", ");
                let _ = write!(changed, "\nPrompts changed in {}: {steps}", recipe.id);
            }
            table.row([
                Cell::painted(recipe.id, |id| paint::cyan(id)),
                recipe.label.into(),
                recipe.steps.len().to_string().into(),
                recipe.max_steps.to_string().into(),
                recipe.description.into(),
            ]);
        }
        context.console.say(format!("{}{changed}", table.text(context.console.width())));
        Ok(ExitCode::SUCCESS)
    }
}
