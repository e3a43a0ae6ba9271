//! What is wrong with the words of a command, and help.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::parser::ValueSource;
use clap::{Args, ColorChoice, ValueEnum};

use super::command_path::Meant;
use super::complaint::Complaint;
use super::program::program_name;
use super::usage_error::Misuse;
use crate::Catalog;
use crate::cli::commands::serve::Serve;
use crate::cli::render::console::Console;
use crate::cli::settings::Layers;

/// Whether colours are wanted, before anything else is understood: help and complaints obey as well.
pub(in crate::cli) fn colour(words: &[OsString]) -> ColorChoice {
    let mut words = words.iter().skip(1).map(|word| word.to_string_lossy()).take_while(|word| word != "--");
    while let Some(word) = words.next() {
        let wish = match word.strip_prefix("--color") {
            Some("") => words.next(),
            Some(wish) => wish.strip_prefix('=').map(|wish| wish.to_owned().into()),
            None => None,
        };
        if let Some(wish) = wish {
            return ColorChoice::from_str(&wish, false).unwrap_or_default();
        }
    }
    ColorChoice::default()
}

/// Help and the version come as errors too, and are no mistakes.
pub(in crate::cli) fn answer(
    console: Console,
    command: &clap::Command,
    catalog: Catalog,
    words: &[OsString],
    error: &clap::Error,
    layers: &Layers,
) -> Result<ExitCode, Complaint> {
    if !error.use_stderr() {
        let help = error.render().ansi().to_string();
        console.put(help.lines().map(|line| format!("{}\n", line.trim_end())).collect::<String>());
        return Ok(ExitCode::SUCCESS);
    }
    let meant = Meant::by(command, words);
    Err(Misuse { top: command, meant, catalog, words, error, layers }.complaint())
}

/// Options of the server before another command would be read, and then count for nothing.
pub(in crate::cli) fn nothing_before_the_command(
    command: &clap::Command,
    matches: &clap::ArgMatches,
) -> Result<(), Complaint> {
    let Some(chosen) = matches.subcommand_name() else {
        return Ok(());
    };
    let of_the_server = Serve::augment_args(clap::Command::new(""));
    let stray = of_the_server
        .get_arguments()
        .find(|option| matches.value_source(option.get_id().as_str()) == Some(ValueSource::CommandLine));
    let Some(option) = stray.and_then(clap::Arg::get_long) else {
        return Ok(());
    };
    let takes_it = command
        .find_subcommand(chosen)
        .is_some_and(|chosen| chosen.get_arguments().any(|known| known.get_long() == Some(option)));
    let program = program_name();
    let (why, fix) = if takes_it {
        (
            "options before a command are the server's, and would count for nothing",
            format!("write it after the command: `{program} {chosen} --{option}`"),
        )
    } else {
        ("it is the server's, and would count for nothing", "leave it out".to_owned())
    };
    Err(Complaint::usage(
        format!("`--{option}` stands before the command `{chosen}`"),
        why,
        format!("{fix}; `{program} {chosen} --help` lists what there is"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_settled_before_anything_is_understood() {
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
