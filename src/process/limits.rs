//! How long a process may take, and how much it may write.

use std::time::Duration;

/// The limits of one process. The defaults are meant for real work; tests use smaller ones.
///
/// ```
/// use std::time::Duration;
/// use surefire::process::ProcessLimits;
///
/// let limits = ProcessLimits::default().total_timeout(Duration::from_secs(10 * 60));
/// assert_eq!(limits.max_line_bytes, 8 << 20);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProcessLimits {
    /// How long it may write nothing, unless its observer knows it to be busy.
    pub silence_timeout: Duration,
    /// How long it may run in total.
    pub total_timeout: Duration,
    /// How long it may write nothing after its observer has its answer, unless the observer knows
    /// it to be busy.
    pub linger_timeout: Duration,
    /// How long it has to end after each of SIGINT and SIGTERM, before a stronger signal follows.
    pub stop_grace: Duration,
    /// The same for a fast stop.
    pub fast_stop_grace: Duration,
    /// How often its output is polled while it writes.
    pub min_poll_interval: Duration,
    /// How often its output is polled after it has written nothing for a while.
    pub max_poll_interval: Duration,
    /// The size limit of one line of standard output.
    pub max_line_bytes: usize,
    /// Whether a longer line is truncated; otherwise the process is stopped. For a command whose
    /// output is only shown.
    pub truncate_long_lines: bool,
    /// The size limit of standard output.
    pub max_output_bytes: u64,
    /// How much of standard error is kept, counted from its end.
    pub kept_stderr_bytes: u64,
}

setters!(ProcessLimits {
    silence_timeout: Duration,
    total_timeout: Duration,
    linger_timeout: Duration,
    stop_grace: Duration,
    fast_stop_grace: Duration,
    min_poll_interval: Duration,
    max_poll_interval: Duration,
    max_line_bytes: usize,
    truncate_long_lines: bool,
    max_output_bytes: u64,
    kept_stderr_bytes: u64,
});

impl Default for ProcessLimits {
    fn default() -> Self {
        Self {
            silence_timeout: Duration::from_secs(15 * 60),
            total_timeout: Duration::from_secs(2 * 60 * 60),
            linger_timeout: Duration::from_secs(60),
            stop_grace: Duration::from_secs(5),
            fast_stop_grace: Duration::from_secs(2),
            min_poll_interval: Duration::from_millis(5),
            max_poll_interval: Duration::from_millis(100),
            max_line_bytes: 8 << 20,
            truncate_long_lines: false,
            max_output_bytes: 256 << 20,
            kept_stderr_bytes: 256 << 10,
        }
    }
}
