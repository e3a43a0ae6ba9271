//! `surefire show`: prints one recipe, as text or for programs.

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::cli::context::Context;
use crate::cli::render::recipe_text::outlined;
use crate::cli::usage::cli_error::CliError;
use crate::cli::usage::program::program_name;
use crate::server::broadcast::convert::served_recipe;
use crate::{AnyRecipe, Catalog};

/// Examples below its help.
const EXAMPLES: &str = "\
Examples:
  surefire show implement-and-review
  surefire show implement-and-review --format dot | dot -Tsvg > recipe.svg";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Show {
    /// Id of the recipe; `surefire recipes` lists them
    #[arg(value_name = "RECIPE")]
    recipe: String,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// The output formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for a terminal
    Text,
    /// A flowchart for Markdown pages
    Mermaid,
    /// A graph for Graphviz
    Dot,
    /// JSON, as the server answers it
    Json,
}

impl Show {
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let outline = find(context.catalog, &self.recipe)?.outline();
        let prompts = context.prompts().files().map(|files| files.of(outline));
        match self.format {
            Format::Text => context.console.say(outlined(outline, prompts.as_ref())),
            Format::Mermaid => context.console.plain(outline.to_mermaid().trim_end()),
            Format::Dot => context.console.plain(outline.to_dot().trim_end()),
            Format::Json => context.console.json(&served_recipe(outline, prompts.as_ref())),
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The recipe with this id, or an error that suggests the closest id.
pub(in crate::cli) fn find(catalog: Catalog, id: &str) -> Result<&'static dyn AnyRecipe, CliError> {
    catalog.find(id).map_err(|unknown| {
        let near =
            unknown.closest.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        CliError::usage(
            format!("there is no recipe `{id}`"),
            "this program does not offer it",
            format!("{near}`{} recipes` lists the recipes", program_name()),
        )
    })
}
