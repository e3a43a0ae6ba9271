//! `surefire read`: which outcome a reply reports, for other programs.

use std::io::{IsTerminal, Read as _};
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use super::show;
use crate::cli::context::Context;
use crate::cli::usage::complaint::Complaint;
use crate::cli::usage::program::program_name;
use crate::outcome::read_among;
use crate::recipe::closest;
use crate::{Catalog, ExitReason, Registry};

/// The longest reply, in MiB. An agent's are a few KiB.
const MOST: u64 = 16;

/// Examples that stand below its help.
const EXAMPLES: &str = "\
Examples:
  echo 'Done. {\"outcome\": \"complete\"}' | surefire read --outcomes complete,other
  cat reply.txt | surefire read --recipe implement-and-review --step fix

It prints one line of JSON. With exit status 0 that is
  {\"outcome\": …, \"description\": … or null, \"repaired\": […]}
and with exit status 13, where the reply reports no outcome,
  {\"unread\": …, \"message\": …}";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Read {
    /// The outcomes that the reply may report, with commas between them; or else name a step
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = name)]
    #[arg(required_unless_present_any = ["recipe", "step"])]
    outcomes: Vec<String>,
    /// Read it as this recipe would
    #[arg(long, value_name = "ID", conflicts_with = "outcomes", requires = "step")]
    recipe: Option<String>,
    /// The step of that recipe that the reply is about
    #[arg(long, value_name = "STEP", conflicts_with = "outcomes", requires = "recipe")]
    step: Option<String>,
}

/// What is printed about a reply that reports none.
#[derive(Debug, Serialize)]
struct Failed {
    unread: &'static str,
    message: String,
}

/// The name of an outcome.
fn name(text: &str) -> Result<String, String> {
    let name = text.trim();
    if name.is_empty() { Err("an outcome has a name".to_owned()) } else { Ok(name.to_owned()) }
}

impl Read {
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, Complaint> {
        let names = self.names(context.catalog)?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        if std::io::stdin().is_terminal() {
            context.console.warn("Waiting for a reply; end it with Ctrl-D on a line of its own");
        }
        match read_among(&reply()?, &names) {
            Ok(reading) => {
                context.console.json(&reading);
                Ok(ExitCode::SUCCESS)
            }
            Err(unread) => {
                context.console.json(&Failed { unread: unread.kind(), message: unread.to_string() });
                Ok(ExitCode::from(ExitReason::OrchestrationError.definition().exit_code))
            }
        }
    }

    /// The outcomes to choose from.
    fn names(self, catalog: Catalog) -> Result<Vec<String>, Complaint> {
        if let (Some(recipe), Some(step)) = (self.recipe, self.step) {
            return of_step(catalog, &recipe, &step);
        }
        let names = self.outcomes;
        let twice = names.iter().enumerate().find(|(index, name)| names[..*index].contains(name));
        match twice {
            None => Ok(names),
            Some((_, twice)) => Err(Complaint::usage(
                format!("the outcome `{twice}` is there twice"),
                "each outcome of a step has a name of its own",
                format!("leave one out; `{} read --help` says more", program_name()),
            )),
        }
    }
}

fn of_step(catalog: Catalog, recipe: &str, step: &str) -> Result<Vec<String>, Complaint> {
    let outline = show::find(catalog, recipe)?.outline();
    let Some(step) = outline.step(step) else {
        let names: Vec<&str> = outline.steps.iter().map(|step| step.name).collect();
        let near = closest(step, names.iter().copied());
        let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        return Err(Complaint::usage(
            format!("`{recipe}` has no step `{step}`"),
            format!("its steps are `{}`", names.join("`, `")),
            format!("{near}`{} show {recipe}` tells of them", program_name()),
        ));
    };
    Ok(step.outcomes.iter().map(|outcome| outcome.name.to_owned()).collect())
}

/// All of standard input. What is no text in it is not where the outcome is.
fn reply() -> Result<String, Complaint> {
    let mut bytes = Vec::new();
    let most = MOST << 20;
    std::io::stdin().lock().take(most + 1).read_to_end(&mut bytes).map_err(|error| {
        Complaint::new("the reply cannot be read", error.to_string(), "hand it over on standard input")
    })?;
    if bytes.len() as u64 > most {
        let why = format!("it has more than {MOST} MiB");
        return Err(Complaint::new("the reply is too long", why, "hand over its end: that is what decides"));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
