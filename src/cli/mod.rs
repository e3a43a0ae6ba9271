//! Commanding: the `surefire` command, for the bundled recipes or for your own.
//!
//! It does no work itself: it parses the command line, passes the request to the
//! [server](crate::server), the [engine](crate::engine) or the [wire](crate::wire), and shows the
//! result. Start with [`main`], then read `usage/arguments.rs` for the commands and options; each
//! command has a file in `commands/`.

mod agent;
mod commands;
mod confirm;
mod connection;
mod context;
mod doctor;
mod find_run;
mod follow;
mod log_file;
mod logs;
mod render;
mod settings;
mod signals;
mod usage;
mod wait;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use crate::Catalog;
use context::Context;
use render::console::Console;
use settings::Layers;
use usage::arguments::{Arguments, Command};
use usage::cli_error::CliError;

/// The `surefire` command, offering the recipes of this catalog.
///
/// ```no_run
/// use std::process::ExitCode;
///
/// fn main() -> ExitCode {
///     surefire::cli::main(surefire::recipes::BUNDLED)
/// }
/// ```
#[must_use]
pub fn main(catalog: Catalog) -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    let console = Console::new(usage::check::colour(&words));
    match command(catalog, console, &words) {
        Ok(status) => status,
        Err(problem) => {
            console.warn(&problem);
            problem.exit_code()
        }
    }
}

fn command(catalog: Catalog, console: Console, words: &[OsString]) -> Result<ExitCode, CliError> {
    // First without the configuration: `--help` works even if the configuration is invalid.
    let declared = Arguments::command();
    let plain = usage::program::named(settings::two_way(declared.clone()));
    let (matches, arguments) = match parse(plain.clone(), words) {
        Ok(parsed) => parsed,
        Err(error) => {
            let layers = Layers::default();
            return usage::check::answer(console, &plain, catalog, words, error, &layers);
        }
    };
    usage::check::nothing_before_the_command(&plain, &matches)?;
    let needed = arguments.command.as_ref().is_none_or(Command::reads_settings);
    let config = arguments.global.config.as_deref();
    let layers = match Layers::gather(&plain, config) {
        Ok(layers) => layers,
        Err(problem) if needed => return Err(problem),
        Err(_) => Layers::read(&plain, config).0,
    };
    let (matches, arguments) = if layers.is_empty() {
        (matches, arguments)
    } else {
        match parse(layers.under(plain.clone()), words) {
            Ok(parsed) => parsed,
            Err(error) => {
                return usage::check::answer(console, &plain, catalog, words, error, &layers);
            }
        }
    };
    let console = Console::new(arguments.global.color);
    let log_file = logs::begin(&arguments);
    let context = Context { catalog, console, commands: declared, layers, matches, log_file };
    match arguments.command {
        None => arguments.serve.run(&context),
        Some(Command::Serve(serve)) => serve.run(&context),
        Some(Command::New(new)) => new.run(&context),
        Some(Command::Recipes(recipes)) => recipes.run(&context),
        Some(Command::Show(show)) => show.run(&context),
        Some(Command::Prompts(prompts)) => prompts.run(&context),
        Some(Command::Run(run)) => run.run(&context),
        Some(Command::Runs(runs)) => runs.run(&context),
        Some(Command::Prune(prune)) => prune.run(&context),
        Some(Command::Why(why)) => why.run(&context),
        Some(Command::Resume(resume)) => resume.run(&context),
        Some(Command::Merge(merge)) => merge.run(&context),
        Some(Command::Discard(discard)) => discard.run(&context),
        Some(Command::Trust(trust)) => trust.run(&context),
        Some(Command::Untrust(untrust)) => untrust.run(&context),
        Some(Command::Reasons(reasons)) => reasons.run(&context),
        Some(Command::Read(read)) => read.run(&context),
        Some(Command::Key(key)) => key.run(&context),
        Some(Command::Doctor(doctor)) => doctor.run(&context),
        Some(Command::Completions(completions)) => Ok(completions.run(&context)),
        Some(Command::Man(man)) => man.run(&context),
    }
}

fn parse(
    command: clap::Command,
    words: &[OsString],
) -> Result<(clap::ArgMatches, Arguments), clap::Error> {
    let matches = command.try_get_matches_from(words)?;
    let arguments = Arguments::from_arg_matches(&matches)?;
    Ok((matches, arguments))
}
