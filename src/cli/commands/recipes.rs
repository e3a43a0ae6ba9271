//! `surefire recipes`: what is on offer.

use std::process::ExitCode;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::render::paint;
use crate::cli::render::table::{Cell, Table};
use crate::server::broadcast::convert::available_recipes;

/// Examples that stand below its help.
const EXAMPLES: &str = "\
Examples:
  surefire recipes           what can be run
  surefire recipes --json    the same for a program, as the server lists them

STEPS is how many steps a recipe has, MOST how many a run takes at most.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Recipes {
    /// Print JSON: the recipes, as `GET /api/recipes` lists them
    #[arg(long)]
    json: bool,
}

impl Recipes {
    pub(in crate::cli) fn run(self, context: &Context) -> ExitCode {
        // Whether recipes are switched off, and who does them where, is known to a server and its store; this command asks
        // none, takes them to be on, and says nothing of the rest.
        let offer = available_recipes(context.catalog, true);
        if self.json {
            context.console.json(&offer);
            return ExitCode::SUCCESS;
        }
        let mut table = Table::new(["ID", "LABEL", "STEPS", "MOST", "WHAT IT DOES"]);
        for recipe in offer.recipes {
            table.row([
                Cell::painted(recipe.id, |id| paint::cyan(id)),
                recipe.label.into(),
                recipe.steps.len().to_string().into(),
                recipe.max_steps.to_string().into(),
                recipe.description.into(),
            ]);
        }
        context.console.say(table.text(context.console.width()));
        ExitCode::SUCCESS
    }
}
