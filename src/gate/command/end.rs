//! How a command ended.

use std::fmt;
use std::time::Duration;

use crate::process::OutputLimit;

/// How a command ended. Its exit status decides, never what it wrote.
///
/// Each `tail` is the end of what it wrote to standard output and standard error, as text that can
/// be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CommandEnd {
    /// It exited with 0.
    Passed {
        /// How long it took.
        took: Duration,
        /// The end of its output.
        tail: String,
    },
    /// It exited with another status, or was killed by a signal.
    Failed {
        /// The exit status; for a signal, 128 plus its number, as in a shell.
        status: i32,
        /// How long it took.
        took: Duration,
        /// The end of its output.
        tail: String,
    },
    /// It took too long, and was stopped.
    TimedOut {
        /// The time limit.
        limit: Duration,
        /// The end of its output.
        tail: String,
    },
    /// It could not be started: there is no such program, it cannot be executed, or the system
    /// refused.
    CannotStart {
        /// Why not.
        why: String,
    },
    /// It wrote too much, and was stopped.
    OutputLimit {
        /// The limit.
        limit: OutputLimit,
        /// The end of its output.
        tail: String,
    },
    /// It was stopped through its control, perhaps before it began.
    Stopped {
        /// The end of its output.
        tail: String,
    },
    /// It runs on without an engine, or never began: the next engine recovers it.
    Detached,
}

/// What became of a command whose engine is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CommandFate {
    /// It has ended.
    Ended(CommandEnd),
    /// It was started and never released: it did nothing, and can be executed anew.
    NeverBegan,
    /// It may have done all of its work, or some, or none.
    Unknown,
}

impl CommandEnd {
    /// Whether it exited with 0.
    #[must_use]
    pub const fn is_passed(&self) -> bool {
        matches!(self, Self::Passed { .. })
    }

    /// The end of its output, if it may have written something.
    #[must_use]
    pub fn tail(&self) -> Option<&str> {
        match self {
            Self::Passed { tail, .. }
            | Self::Failed { tail, .. }
            | Self::TimedOut { tail, .. }
            | Self::OutputLimit { tail, .. }
            | Self::Stopped { tail } => Some(tail),
            Self::CannotStart { .. } | Self::Detached => None,
        }
    }
}

/// One phrase, without the output: `failed with status 101 after 12 s`.
impl fmt::Display for CommandEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed { took, .. } => write!(f, "passed after {}", Seconds(*took)),
            Self::Failed { status, took, .. } => {
                write!(f, "failed with status {status} after {}", Seconds(*took))
            }
            Self::TimedOut { limit, .. } => write!(f, "took longer than {}", Seconds(*limit)),
            Self::CannotStart { why } => write!(f, "could not be started: {why}"),
            Self::OutputLimit { limit, .. } => write!(f, "wrote more than {limit}"),
            Self::Stopped { .. } => f.write_str("was stopped"),
            Self::Detached => f.write_str("runs on without an engine"),
        }
    }
}

/// A duration for people: seconds, with one decimal place if there are few.
struct Seconds(Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(duration) = self;
        if duration.as_secs() < 10 {
            write!(f, "{:.1} s", duration.as_secs_f64())
        } else {
            write!(f, "{} s", duration.as_secs())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_end_is_a_phrase() {
        let tail = String::new;
        let took = Duration::from_millis(1260);
        let limit = OutputLimit::Total { max_bytes: 256 << 20 };
        let table = [
            (CommandEnd::Passed { took, tail: tail() }, "passed after 1.3 s"),
            (
                CommandEnd::Failed { status: 101, took, tail: tail() },
                "failed with status 101 after 1.3 s",
            ),
            (
                CommandEnd::TimedOut { limit: Duration::from_secs(10 * 60), tail: tail() },
                "took longer than 600 s",
            ),
            (
                CommandEnd::CannotStart { why: "`x` was not found".to_owned() },
                "could not be started: `x` was not found",
            ),
            (CommandEnd::OutputLimit { limit, tail: tail() }, "wrote more than 256 MiB of output"),
            (CommandEnd::Stopped { tail: tail() }, "was stopped"),
            (CommandEnd::Detached, "runs on without an engine"),
        ];
        for (end, words) in table {
            assert_eq!(end.to_string(), words);
        }
    }
}
