//! `surefire completions`: a script for your shell, which also knows the recipes.

use std::process::ExitCode;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap_complete::Shell;

use super::reasons;
use crate::cli::context::Context;
use crate::cli::usage::program::{named, program_name};

/// Examples that stand below its help.
const EXAMPLES: &str = "\
Examples:
  surefire completions bash > ~/.local/share/bash-completion/completions/surefire
  surefire completions zsh > ~/.zfunc/_surefire
  surefire completions fish > ~/.config/fish/completions/surefire.fish";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Completions {
    /// The shell that the script is for
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
        let command = choosing(named(context.commands.clone()), "recipe", &recipes.collect::<Vec<_>>());
        let codes: Vec<_> = codes.collect();
        let mut command = choosing(choosing(command, "code", &codes), "reason", &codes);
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, program_name(), &mut script);
        context.console.plain(String::from_utf8_lossy(&script).trim_end());
        ExitCode::SUCCESS
    }
}

/// The commands, with these values to choose from wherever they have an argument of this name. A command that is read takes any
/// value there, so that it can say more about a wrong one.
fn choosing(command: clap::Command, argument: &str, values: &[PossibleValue]) -> clap::Command {
    command.mut_subcommands(|command| {
        if command.get_arguments().any(|known| known.get_id() == argument) {
            command.mut_arg(argument, |known| known.value_parser(PossibleValuesParser::new(values.to_vec())))
        } else {
            command
        }
    })
}
