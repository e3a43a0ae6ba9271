//! Commanding: the `surefire` command, for the bundled recipes or for your own.
//!
//! It does no work itself: it reads what was asked for, hands it to the [server](crate::server), the
//! [engine](crate::engine) or the [wire](crate::wire), and shows what comes of it. Start with [`main`], then `arguments.rs` for
//! what can be asked for; each command has a file of its name.

mod advice;
mod agent;
mod arguments;
mod bad_value;
mod brake;
mod card;
mod complaint;
mod completions;
mod console;
mod data;
mod doctor;
mod follow;
mod house;
mod key;
mod layers;
mod links;
mod live;
mod logs;
mod meant;
mod misuse;
mod options;
mod outlined;
mod paint;
mod places;
mod program;
mod prune;
mod qr;
mod quoted;
mod read;
mod reasons;
mod recipes;
#[cfg(test)]
mod remedies;
mod resume;
mod run;
mod runs;
mod serve;
mod server_limits;
mod show;
mod signals;
mod story;
mod table;
mod usage;
mod view;
mod welcome;
mod which;
mod why;
mod words;

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration;

use clap::{CommandFactory, FromArgMatches};

use self::arguments::{Arguments, Command};
use self::complaint::Complaint;
use self::console::Console;
use self::layers::Layers;
use crate::Catalog;

/// How long what is being written may take when everything else is over.
const LAST_WRITES: Duration = Duration::from_secs(1);

/// The `surefire` command, with these recipes on offer.
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
    let console = Console::new(usage::colour(&words));
    match command(catalog, console, &words) {
        Ok(status) => status,
        Err(complaint) => {
            console.warn(&complaint);
            complaint.exit_code()
        }
    }
}

/// What a command is given beside its options.
struct Context {
    catalog: Catalog,
    console: Console,
    /// What is settled outside of the command line.
    layers: Layers,
    /// What the options are, and where each came from.
    matches: clap::ArgMatches,
}

fn command(catalog: Catalog, console: Console, words: &[OsString]) -> Result<ExitCode, Complaint> {
    // First without what is settled elsewhere: whoever asks for help gets it, whatever is wrong with that.
    let plain = program::named(layers::two_way(Arguments::command()));
    let (matches, arguments) = match parse(plain.clone(), words) {
        Ok(parsed) => parsed,
        Err(error) => return usage::answer(console, &plain, catalog, words, &error, &Layers::default()),
    };
    usage::nothing_before_the_command(&plain, &matches)?;
    let needed = arguments.command.as_ref().is_none_or(Command::is_settled_elsewhere);
    let config = arguments.everywhere.config.as_deref();
    let layers = match Layers::gather(&plain, config) {
        Ok(layers) => layers,
        Err(complaint) if needed => return Err(complaint),
        Err(_) => Layers::read(&plain, config).0,
    };
    let (matches, arguments) = if layers.is_empty() {
        (matches, arguments)
    } else {
        match parse(layers.under(plain.clone()), words) {
            Ok(parsed) => parsed,
            Err(error) => return usage::answer(console, &plain, catalog, words, &error, &layers),
        }
    };
    let console = Console::new(arguments.everywhere.color);
    logs::begin(&arguments);
    let context = Context { catalog, console, layers, matches };
    match arguments.command {
        None => arguments.serve.run(&context),
        Some(Command::Serve(serve)) => serve.run(&context),
        Some(Command::Recipes(recipes)) => Ok(recipes.run(&context)),
        Some(Command::Show(show)) => show.run(&context),
        Some(Command::Run(run)) => run.run(&context),
        Some(Command::Runs(runs)) => runs.run(&context),
        Some(Command::Prune(prune)) => prune.run(&context),
        Some(Command::Why(why)) => why.run(&context),
        Some(Command::Resume(resume)) => resume.run(&context),
        Some(Command::Reasons(reasons)) => reasons.run(&context),
        Some(Command::Read(read)) => read.run(&context),
        Some(Command::Key(key)) => key.run(&context),
        Some(Command::Doctor(doctor)) => doctor.run(&context),
        Some(Command::Completions(completions)) => Ok(completions.run(&context)),
    }
}

fn parse(command: clap::Command, words: &[OsString]) -> Result<(clap::ArgMatches, Arguments), clap::Error> {
    let matches = command.try_get_matches_from(words)?;
    let arguments = Arguments::from_arg_matches(&matches)?;
    Ok((matches, arguments))
}

/// Does something that waits.
fn wait<T>(doing: impl Future<Output = Result<T, Complaint>>) -> Result<T, Complaint> {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| {
        Complaint::new("the command cannot begin", error.to_string(), "close some programs, and try again")
    })?;
    let done = runtime.block_on(doing);
    // A disk that hangs would otherwise keep the process for as long; the next server takes up what it did not write.
    runtime.shutdown_timeout(LAST_WRITES);
    done
}
