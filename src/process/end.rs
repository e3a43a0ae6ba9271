//! Why the supervision of a process ended.

use std::fmt;

/// Why a process is no longer supervised. Unless it was detached, it has ended, and so has
/// everything that it started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum End {
    /// It exited by itself.
    Exited,
    /// Its observer had its answer, but the process did not exit and was stopped.
    Lingered,
    /// It was stopped through its [`Control`](super::Control).
    Stopped,
    /// It was left running, or its last events were not received: the next supervisor adopts it and
    /// reads its output again.
    Detached,
    /// It was silent for too long, and its observer did not know it to be busy.
    Silent,
    /// It ran for too long.
    TimedOut,
    /// It wrote too much.
    TooMuchOutput(OutputLimit),
}

/// The limit that a process exceeded with its standard output.
///
/// ```
/// use surefire::process::OutputLimit;
///
/// assert_eq!(OutputLimit::Line { max_bytes: 8 << 20 }.to_string(), "8 MiB in one line");
/// assert_eq!(OutputLimit::Total { max_bytes: 64 << 10 }.to_string(), "64 KiB of output");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputLimit {
    /// One line was too long.
    Line {
        /// The limit.
        max_bytes: u64,
    },
    /// The output was too long in total.
    Total {
        /// The limit.
        max_bytes: u64,
    },
}

impl fmt::Display for OutputLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Line { max_bytes } => write!(f, "{} in one line", size(max_bytes)),
            Self::Total { max_bytes } => write!(f, "{} of output", size(max_bytes)),
        }
    }
}

fn size(bytes: u64) -> String {
    if bytes >= 1 << 20 { format!("{} MiB", bytes >> 20) } else { format!("{} KiB", bytes >> 10) }
}
