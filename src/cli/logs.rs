//! What is logged, and where.

use tracing_subscriber::filter::{LevelFilter, ParseError, Targets};
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use super::log_file::LogFile;
use super::usage::arguments::{Arguments, Command, LogFormat};

/// The variable with the operator's filter, such as `surefire::engine=debug,warn`.
const VARIABLE: &str = "RUST_LOG";

/// Starts logging to standard error and, for a server, to a log file that is opened later.
/// `RUST_LOG` sets the level; without it, `-v` and `-q` do.
pub(super) fn begin(arguments: &Arguments) -> LogFile {
    let global = &arguments.global;
    let (filter, wrong) = filter(arguments);
    let log_file = LogFile::new();
    // Internal errors would be printed, and printing panics if standard error is closed.
    let file = is_server(arguments.command.as_ref()).then(|| {
        let file = log_file.clone();
        fmt::layer().with_writer(move || file.clone()).log_internal_errors(false)
    });
    let screen = fmt::layer().with_writer(std::io::stderr).log_internal_errors(false);
    let log = tracing_subscriber::registry().with(filter).with(file);
    match global.log_format {
        LogFormat::Text => log.with(screen).init(),
        LogFormat::Json => log.with(screen.json()).init(),
    }
    if let Some(wrong) = wrong {
        tracing::error!("ignored `{}`: {wrong}", VARIABLE);
    }
    log_file
}

/// The filter, and what is wrong with the one in the variable.
fn filter(arguments: &Arguments) -> (Targets, Option<ParseError>) {
    // An empty variable counts as unset.
    let asked = std::env::var_os(VARIABLE).filter(|asked| !asked.is_empty());
    match asked.map(|asked| asked.to_string_lossy().parse()) {
        Some(Ok(filter)) => (filter, None),
        Some(Err(wrong)) => (usual(arguments), Some(wrong)),
        None => (usual(arguments), None),
    }
}

const fn is_server(command: Option<&Command>) -> bool {
    matches!(command, None | Some(Command::Serve(_)))
}

fn usual(arguments: &Arguments) -> Targets {
    let level = |level: LevelFilter| Targets::new().with_default(level);
    match (arguments.global.quiet, arguments.global.verbose) {
        (true, _) => level(LevelFilter::ERROR),
        (false, 1) => level(LevelFilter::DEBUG),
        (false, 2..) => level(LevelFilter::TRACE),
        (false, 0) => match arguments.command {
            // A server shows its work only in the log; `run` and `resume` have a live view.
            None | Some(Command::Serve(_)) => level(LevelFilter::INFO),
            Some(Command::Run(_) | Command::Resume(_)) => level(LevelFilter::ERROR)
                .with_target("surefire::engine::commit::journal", LevelFilter::OFF),
            Some(_) => level(LevelFilter::WARN),
        },
    }
}
