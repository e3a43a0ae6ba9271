//! Commanding: the `surefire` command, for the bundled recipes or for your own.
//!
//! It does no work itself: it reads what was asked for, and hands it to the [server](crate::server) and the
//! [engine](crate::engine). Start with [`main`], then `serve.rs`.

mod agent;
mod data;
mod serve;

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};
use tracing_subscriber::EnvFilter;

use crate::Catalog;

/// The exit status of wrong usage, as `sysexits.h` has it.
const USAGE: u8 = 64;

/// How long what is being written may take when everything else is over.
const LAST_WRITES: Duration = Duration::from_secs(1);

#[derive(Debug, Parser)]
#[command(name = "surefire", version, about = "Runs recipes with a coding agent, and says why they stop")]
// Those before a command would be read, and then count for nothing.
#[command(args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: serve::Serve,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serves the iOS app; the same as no command at all
    Serve(serve::Serve),
}

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
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and the version come this way too, and are no mistakes.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS };
        }
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        // It would be printed, and printing panics where nobody reads: in the middle of whatever was to be logged.
        .log_internal_errors(false)
        .init();
    let serve = match arguments.command {
        Some(Command::Serve(serve)) => serve,
        None => arguments.serve,
    };
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&format!("the system gives no threads: {error}")),
    };
    let served = runtime.block_on(serve.run(catalog));
    // A disk that hangs would otherwise keep the process for as long; the next server takes up what it did not write.
    runtime.shutdown_timeout(LAST_WRITES);
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error),
    }
}

fn failed(why: &impl std::fmt::Display) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "{why}");
    ExitCode::FAILURE
}
