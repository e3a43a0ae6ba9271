//! `surefire reasons`: lists the exit reasons, or shows one.

use std::process::ExitCode;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::render::paint;
use crate::cli::render::table::{Cell, Table};
use crate::cli::usage::cli_error::CliError;
use crate::cli::usage::program::program_name;
use crate::recipe::closest;
use crate::{Catalog, ExitReason, NextOutline, ReasonInfo, Registry};

/// Examples below its help.
const EXAMPLES: &str = "\
Examples:
  surefire reasons                  list all, with their exit statuses
  surefire reasons rate_limited     show what to do about one
  surefire reasons --json           for programs";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Reasons {
    /// Show only the reason with this code, and what to do about it
    #[arg(value_name = "CODE")]
    code: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Reasons {
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let (console, all) = (context.console, known(context.catalog));
        match self.code {
            Some(code) => {
                let definition = find(&all, &code)?;
                if self.json { console.json(definition) } else { console.say(in_words(definition)) }
            }
            None if self.json => console.json(&all),
            None => console.say(table(&all).text(console.width())),
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The standard registry, followed by the other exit reasons of the catalog's recipes.
pub(in crate::cli) fn known(catalog: Catalog) -> Vec<&'static ReasonInfo> {
    let mut all: Vec<_> = ExitReason::DEFINITIONS.iter().collect();
    let outcomes =
        catalog.iter().flat_map(|recipe| recipe.outline().steps).flat_map(|step| step.outcomes);
    for outcome in outcomes {
        if let NextOutline::Exit(reason) = outcome.next
            && !all.contains(&reason.definition())
        {
            all.push(reason.definition());
        }
    }
    all
}

pub(in crate::cli) fn find(
    all: &[&'static ReasonInfo],
    code: &str,
) -> Result<&'static ReasonInfo, CliError> {
    let own = || all.iter().copied().find(|definition| definition.code == code);
    let found = ExitReason::lookup(code).map(Registry::definition).or_else(own);
    found.ok_or_else(|| {
        let near = closest(code, all.iter().map(|definition| definition.code));
        let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        CliError::usage(
            format!("there is no exit reason `{code}`"),
            "no recipe of this program can end for it",
            format!("{near}`{} reasons` lists all reasons", program_name()),
        )
    })
}

fn table(all: &[&'static ReasonInfo]) -> Table<4> {
    let mut table = Table::new(["CODE", "CATEGORY", "STATUS", "TITLE"]);
    for definition in all {
        let verdict = definition.verdict();
        table.row([
            Cell::painted(definition.code, move |code| paint::verdict(verdict, code)),
            definition.category.to_string().into(),
            definition.exit_code.to_string().into(),
            definition.title.into(),
        ]);
    }
    table
}

/// All fields of one reason.
fn in_words(definition: &ReasonInfo) -> String {
    let ReasonInfo {
        code,
        category,
        title,
        family,
        exit_code,
        hint,
        remedy,
        auto_resumable,
        goal_met,
        ..
    } = *definition;
    let family = family.map(|family| format!("{family}: {}", family.description()));
    let resumes = if auto_resumable { "automatically, if that is enabled" } else { "" };
    let verdict = definition.verdict();
    let headline = paint::verdict(verdict, format!("{} {code}", paint::sign(verdict)));
    let rows = [
        ("category", category.to_string()),
        ("goal met", if goal_met { "yes" } else { "no" }.to_owned()),
        ("exit status", exit_code.to_string()),
        ("family", family.unwrap_or_default()),
        ("resumes", resumes.to_owned()),
        ("message", definition.general_message().into_owned()),
        ("hint", hint.to_owned()),
        ("remedy", remedy.to_string()),
    ];
    let rows = rows.iter().filter(|(_, words)| !words.is_empty());
    let rows: String = rows.map(|(name, words)| format!("\n  {name:<12} {words}")).collect();
    format!("{headline}  {}{rows}", paint::bold(title))
}
