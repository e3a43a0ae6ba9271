//! Running the asynchronous part of a command to its end.

use std::time::Duration;

use super::usage::complaint::Complaint;

/// How long what is being written may take when everything else is over, and how long it may take to kill agents that are still
/// being stopped: on a busy machine their tasks do not end at once, and an agent whose task never ends would work on alone.
const LAST_WRITES: Duration = Duration::from_secs(5);

/// Blocks until something asynchronous is done.
pub(super) fn wait<T>(doing: impl Future<Output = Result<T, Complaint>>) -> Result<T, Complaint> {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| {
        Complaint::new("the command cannot begin", error.to_string(), "close some programs, and try again")
    })?;
    let done = runtime.block_on(doing);
    // A disk that hangs would otherwise keep the process for as long; the next server takes up what it did not write.
    runtime.shutdown_timeout(LAST_WRITES);
    done
}
