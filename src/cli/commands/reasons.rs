//! `surefire reasons`: every way for a run to end, or one of them.

use std::process::ExitCode;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::render::paint;
use crate::cli::render::table::{Cell, Table};
use crate::cli::usage::complaint::Complaint;
use crate::cli::usage::program::program_name;
use crate::recipe::closest;
use crate::{Catalog, Definition, ExitReason, NextOutline, Registry};

/// Examples that stand below its help.
const EXAMPLES: &str = "\
Examples:
  surefire reasons                  all of them, with their exit statuses
  surefire reasons rate_limited     what to do about one
  surefire reasons --json           for a program";

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
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, Complaint> {
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

/// The standard registry, and behind it what the recipes on offer end with beside that.
pub(in crate::cli) fn known(catalog: Catalog) -> Vec<&'static Definition> {
    let mut all: Vec<_> = ExitReason::DEFINITIONS.iter().collect();
    let outcomes = catalog.iter().flat_map(|recipe| recipe.outline().steps).flat_map(|step| step.outcomes);
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
    all: &[&'static Definition],
    code: &str,
) -> Result<&'static Definition, Complaint> {
    let own = || all.iter().copied().find(|definition| definition.code == code);
    let found = ExitReason::lookup(code).map(Registry::definition).or_else(own);
    found.ok_or_else(|| {
        let near = closest(code, all.iter().map(|definition| definition.code));
        let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        Complaint::usage(
            format!("there is no exit reason `{code}`"),
            "no run ends with it",
            format!("{near}`{} reasons` lists all of them", program_name()),
        )
    })
}

fn table(all: &[&'static Definition]) -> Table<4> {
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

/// All columns of one reason.
fn in_words(definition: &Definition) -> String {
    let Definition {
        code, category, title, family, exit_code, hint, remedy, auto_resumable, goal_met, ..
    } = *definition;
    let family = family.map(|family| format!("{family}: {}", family.description()));
    let resumes = if auto_resumable { "by itself, where that is allowed" } else { "" };
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
