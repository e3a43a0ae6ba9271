//! `surefire completions`: a completion script for a shell, including the recipes' names.

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap_complete::Shell;

use super::reasons;
use crate::cli::context::Context;
use crate::cli::usage::program::{named, program_name};

/// Examples below its help.
const EXAMPLES: &str = "\
Examples:
  surefire completions bash > ~/.local/share/bash-completion/completions/surefire
  surefire completions zsh > ~/.zfunc/_surefire
  surefire completions fish > ~/.config/fish/completions/surefire.fish";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Completions {
    /// Shell to print the script for
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

impl Completions {
    pub(in crate::cli) fn run(self, context: &Context) -> ExitCode {
        let recipes = context.catalog.iter().map(|recipe| {
            let outline = recipe.outline();
            PossibleValue::new(outline.id).help(outline.label)
        });
        let codes = reasons::known(context.catalog).into_iter();
        let codes = codes.map(|reason| PossibleValue::new(reason.code).help(reason.title));
        let command =
            choosing(named(context.commands.clone()), "recipe", &recipes.collect::<Vec<_>>());
        let codes: Vec<_> = codes.collect();
        let mut command = choosing(choosing(command, "code", &codes), "reason", &codes);
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, program_name(), &mut script);
        let mut script = String::from_utf8_lossy(&script).into_owned();
        if self.shell == Shell::Fish {
            let arguments = fish_arguments(&command, &script);
            script.push_str(&arguments);
        }
        context.console.plain(script.trim_end());
        ExitCode::SUCCESS
    }
}

/// The values of positional arguments, which clap's generator for fish leaves out.
fn fish_arguments(command: &clap::Command, script: &str) -> String {
    let mut lines = String::new();
    for subcommand in command.get_subcommands() {
        // The generator names its functions after the program; its own lines show how.
        let start = format!("_using_subcommand {}", subcommand.get_name());
        let condition = script.lines().find_map(|line| {
            let condition = line.split('"').nth(1)?;
            (condition.ends_with(&start)).then_some(condition)
        });
        let (Some(condition), Some(argument)) = (condition, subcommand.get_positionals().next())
        else {
            continue;
        };
        let values = argument.get_possible_values();
        let names: Vec<&str> = values.iter().map(PossibleValue::get_name).collect();
        for value in &values {
            let help = value.get_help().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(
                lines,
                "complete -c {} -n \"{condition}; and not __fish_seen_subcommand_from {}\" \
                 -f -a \"{}\" -d '{}'",
                program_name(),
                names.join(" "),
                value.get_name(),
                help.replace('\\', "\\\\").replace('\'', "\\'"),
            );
        }
    }
    lines
}

/// The commands, with these values for each argument of this name. The parser itself accepts any
/// value there, so that its error can say more.
fn choosing(command: clap::Command, argument: &str, values: &[PossibleValue]) -> clap::Command {
    // In place, because `mut_arg` would move the argument to the end.
    command.mut_subcommands(|command| {
        command.mut_args(|known| {
            if known.get_id() == argument {
                known.value_parser(PossibleValuesParser::new(values.to_vec()))
            } else {
                known
            }
        })
    })
}
