//! Prints help, and checks a command line.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::parser::ValueSource;
use clap::{Args, ColorChoice, ValueEnum};

use super::cli_error::CliError;
use super::command_path::CommandPath;
use super::program::program_name;
use super::usage_error::UsageError;
use crate::Catalog;
use crate::cli::commands::serve::Serve;
use crate::cli::render::console::Console;
use crate::cli::settings::Layers;

/// Whether to use colours. It is read before the command line is parsed, because it applies to help
/// and errors, too.
pub(in crate::cli) fn colour(words: &[OsString]) -> ColorChoice {
    let mut words =
        words.iter().skip(1).map(|word| word.to_string_lossy()).take_while(|word| word != "--");
    while let Some(word) = words.next() {
        let request = match word.strip_prefix("--color") {
            Some("") => words.next(),
            Some(request) => request.strip_prefix('=').map(|request| request.to_owned().into()),
            None => None,
        };
        if let Some(request) = request {
            return ColorChoice::from_str(&request, false).unwrap_or_default();
        }
    }
    ColorChoice::default()
}

/// Prints help or the version, which clap reports as errors, or returns the usage error.
pub(in crate::cli) fn answer(
    console: Console,
    command: &clap::Command,
    catalog: Catalog,
    words: &[OsString],
    error: clap::Error,
    layers: &Layers,
) -> Result<ExitCode, CliError> {
    if !error.use_stderr() {
        let help = error.render().ansi().to_string();
        console.put(help.lines().map(|line| format!("{}\n", line.trim_end())).collect::<String>());
        return Ok(ExitCode::SUCCESS);
    }
    let path = CommandPath::by(command, words);
    Err(UsageError { top: command, path, catalog, words, error, layers }.into_cli_error())
}

/// Rejects options of the server before another command: clap would accept and ignore them.
pub(in crate::cli) fn nothing_before_the_command(
    command: &clap::Command,
    matches: &clap::ArgMatches,
) -> Result<(), CliError> {
    let Some(chosen) = matches.subcommand_name() else {
        return Ok(());
    };
    let of_the_server = Serve::augment_args(clap::Command::new(""));
    let stray = of_the_server.get_arguments().find(|option| {
        matches.value_source(option.get_id().as_str()) == Some(ValueSource::CommandLine)
    });
    let Some(option) = stray.and_then(clap::Arg::get_long) else {
        return Ok(());
    };
    let takes_it = command
        .find_subcommand(chosen)
        .is_some_and(|chosen| chosen.get_arguments().any(|known| known.get_long() == Some(option)));
    let program = program_name();
    let fix = if takes_it {
        format!("write it after the command: `{program} {chosen} --{option}`")
    } else {
        format!("remove it; `{program} {chosen} --help` lists the options of `{chosen}`")
    };
    Err(CliError::usage(
        format!("the option '--{option}' cannot be used before the command '{chosen}'"),
        format!("before a command, it is an option of `{program} serve`"),
        fix,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_colour_choice_is_read_before_parsing() {
        use ColorChoice::{Always, Auto, Never};
        let table: [(&[&str], ColorChoice); 9] = [
            (&["surefire"], Auto),
            (&["surefire", "--color", "never"], Never),
            (&["surefire", "run", "--bogus", "--color=always"], Always),
            (&["surefire", "--color"], Auto),
            (&["surefire", "--color", "sometimes"], Auto),
            (&["surefire", "--colors=never"], Auto),
            (&["surefire", "run", "--", "--color=always"], Auto),
            (&["surefire", "--color=never", "--color=always"], Never),
            (&["--color=always"], Auto),
        ];
        for (words, colour) in table {
            let given: Vec<OsString> = words.iter().map(OsString::from).collect();
            assert_eq!(super::colour(&given), colour, "{words:?}");
        }
    }
}
