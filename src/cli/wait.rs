//! Running the asynchronous part of a command.

use std::time::Duration;

use super::usage::cli_error::CliError;

/// How long pending writes may take at the end, and how long killing agents may take that are still
/// stopping. On a busy machine their tasks do not end at once, and an agent whose task is dropped
/// too early would keep working.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Blocks until the future completes.
pub(super) fn wait<T>(doing: impl Future<Output = Result<T, CliError>>) -> Result<T, CliError> {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| {
        CliError::new(
            "the command cannot start",
            error.to_string(),
            "close some programs, and try again",
        )
    })?;
    let done = runtime.block_on(doing);
    // Otherwise a disk that hangs would block the exit; the next server recovers what was not
    // persisted.
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    done
}
