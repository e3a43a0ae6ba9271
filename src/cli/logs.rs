//! What is logged, and how.

use tracing_subscriber::EnvFilter;

use super::usage::arguments::{Arguments, Command, LogFormat};

/// Begins to log, to standard error. `RUST_LOG` decides where it is set, then `-v` and `-q`.
pub(super) fn begin(arguments: &Arguments) {
    let everywhere = &arguments.everywhere;
    let usual = match (everywhere.quiet, everywhere.verbose) {
        (true, _) => "error",
        (false, 0) => usual(arguments.command.as_ref()),
        (false, 1) => "debug",
        (false, _) => "trace",
    };
    // An empty one is as good as none.
    let asked = std::env::var_os(EnvFilter::DEFAULT_ENV).filter(|asked| !asked.is_empty());
    let (filter, wrong) = match asked.map(|asked| EnvFilter::try_new(asked.to_string_lossy())) {
        None => (EnvFilter::new(usual), None),
        Some(Ok(filter)) => (filter, None),
        Some(Err(wrong)) => (EnvFilter::new(usual), Some(wrong)),
    };
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        // It would be printed, and printing panics where nobody reads: in the middle of whatever was to be logged.
        .log_internal_errors(false);
    match everywhere.log_format {
        LogFormat::Text => log.init(),
        LogFormat::Json => log.json().init(),
    }
    if let Some(wrong) = wrong {
        tracing::error!("`{}` counts for nothing: {wrong}", EnvFilter::DEFAULT_ENV);
    }
}

/// A server's log is all that one sees of it. Whoever runs a recipe sees how it goes, and needs not read it twice.
const fn usual(command: Option<&Command>) -> &'static str {
    match command {
        None | Some(Command::Serve(_)) => "info",
        Some(Command::Run(_) | Command::Resume(_)) => "error,surefire::engine::commit::journal=off",
        Some(_) => "warn",
    }
}
