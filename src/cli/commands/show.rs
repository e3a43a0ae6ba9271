//! `surefire show`: one recipe, for people and for programs.

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::cli::context::Context;
use crate::cli::render::recipe_text::outlined;
use crate::cli::usage::complaint::Complaint;
use crate::cli::usage::program::program_name;
use crate::{AnyRecipe, Catalog};

/// Examples that stand below its help.
const EXAMPLES: &str = "\
Examples:
  surefire show implement-and-review
  surefire show implement-and-review --format dot | dot -Tsvg > recipe.svg";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Show {
    /// The recipe's id, as `recipes` lists it
    #[arg(value_name = "RECIPE")]
    recipe: String,
    /// How to show it
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// The forms of a recipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// A flowchart for Markdown pages
    Mermaid,
    /// A graph for Graphviz
    Dot,
    /// All of it, as the server answers it
    Json,
}

impl Show {
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, Complaint> {
        let outline = find(context.catalog, &self.recipe)?.outline();
        match self.format {
            Format::Text => context.console.say(outlined(outline)),
            Format::Mermaid => context.console.plain(outline.to_mermaid().trim_end()),
            Format::Dot => context.console.plain(outline.to_dot().trim_end()),
            Format::Json => context.console.json(outline),
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The recipe with this id, or what to say to somebody who wrote another one.
pub(in crate::cli) fn find(catalog: Catalog, id: &str) -> Result<&'static dyn AnyRecipe, Complaint> {
    catalog.find(id).map_err(|unknown| {
        let near = unknown.closest.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        Complaint::usage(
            format!("there is no recipe `{id}`"),
            "it is not on offer here",
            format!("{near}`{} recipes` lists what is", program_name()),
        )
    })
}
