//! `surefire read`: parses a reply's outcome for other programs.

use std::io::{IsTerminal, Read as _};
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use super::show;
use crate::cli::context::Context;
use crate::cli::usage::cli_error::CliError;
use crate::cli::usage::program::program_name;
use crate::outcome::read_among;
use crate::recipe::closest;
use crate::{Catalog, ExitReason, Registry};

/// The maximum size of a reply in MiB. Agents' replies have a few KiB.
const MAX_INPUT_MIB: u64 = 16;

/// Examples below its help.
const EXAMPLES: &str = "\
Examples:
  echo 'Done. {\"outcome\": \"complete\"}' | surefire read --outcomes complete,other
  cat reply.txt | surefire read --recipe implement-and-review --step fix

It prints one line of JSON. With exit status 0:
  {\"outcome\": …, \"description\": … or null, \"repaired\": […]}
With exit status 13, if the reply reports no outcome:
  {\"unread\": …, \"message\": …}";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Read {
    /// Outcomes that the reply may report, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = name)]
    #[arg(required_unless_present_any = ["recipe", "step"])]
    outcomes: Vec<String>,
    /// Recipe whose outcomes the reply may report, with `--step`
    #[arg(long, value_name = "ID", conflicts_with = "outcomes", requires = "step")]
    recipe: Option<String>,
    /// Step of that recipe
    #[arg(long, value_name = "STEP", conflicts_with = "outcomes", requires = "recipe")]
    step: Option<String>,
}

/// The output for a reply without an outcome.
#[derive(Debug, Serialize)]
struct Failed {
    unread: &'static str,
    message: String,
}

/// The name of an outcome.
fn name(text: &str) -> Result<String, String> {
    let name = text.trim();
    if name.is_empty() { Err("expected a name".to_owned()) } else { Ok(name.to_owned()) }
}

impl Read {
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let names = self.names(context.catalog)?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        if std::io::stdin().is_terminal() {
            context.console.warn("Reading a reply from the terminal; end it with Ctrl-D");
        }
        match read_among(&reply()?, &names) {
            Ok(reading) => {
                context.console.json(&reading);
                Ok(ExitCode::SUCCESS)
            }
            Err(unread) => {
                context
                    .console
                    .json(&Failed { unread: unread.kind(), message: unread.to_string() });
                Ok(ExitCode::from(ExitReason::OrchestrationError.definition().exit_code))
            }
        }
    }

    /// The outcomes that the reply may report.
    fn names(self, catalog: Catalog) -> Result<Vec<String>, CliError> {
        if let (Some(recipe), Some(step)) = (self.recipe, self.step) {
            return of_step(catalog, &recipe, &step);
        }
        let names = self.outcomes;
        let twice = names.iter().enumerate().find(|(index, name)| names[..*index].contains(name));
        match twice {
            None => Ok(names),
            Some((_, twice)) => Err(CliError::usage(
                format!("duplicate outcome `{twice}`"),
                "the outcomes of a step have different names",
                format!("remove one; see `{} read --help`", program_name()),
            )),
        }
    }
}

fn of_step(catalog: Catalog, recipe: &str, step: &str) -> Result<Vec<String>, CliError> {
    let outline = show::find(catalog, recipe)?.outline();
    let Some(step) = outline.step(step) else {
        let names: Vec<&str> = outline.steps.iter().map(|step| step.name).collect();
        let near = closest(step, names.iter().copied());
        let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        return Err(CliError::usage(
            format!("`{recipe}` has no step `{step}`"),
            format!("its steps are `{}`", names.join("`, `")),
            format!("{near}`{} show {recipe}` describes them", program_name()),
        ));
    };
    Ok(step.outcomes.iter().map(|outcome| outcome.name.to_owned()).collect())
}

/// All of standard input. Bytes that are not UTF-8 are replaced: an outcome contains none.
fn reply() -> Result<String, CliError> {
    let mut bytes = Vec::new();
    let most = MAX_INPUT_MIB << 20;
    std::io::stdin().lock().take(most + 1).read_to_end(&mut bytes).map_err(|error| {
        CliError::new("the reply cannot be read", error.to_string(), "pass it on standard input")
    })?;
    if bytes.len() as u64 > most {
        let why = format!("it is larger than {MAX_INPUT_MIB} MiB");
        return Err(CliError::new(
            "the reply is too long",
            why,
            "pass only its end: the outcome is there",
        ));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
