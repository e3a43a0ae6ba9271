//! What the operator of a server may choose about the CLI, and what is chosen where nobody does.

use std::time::Duration;

use strum::{Display, EnumString, IntoStaticStr, VariantNames};

use crate::agent::TurnLimits;
use crate::process::Limits;

/// What the CLI may do without asking. It is the operator's choice; nothing that a client sends can widen it.
///
/// The names are the CLI's own. The one that never asks is written out in full, so that an operator does not pick it by accident. Where
/// the operator chooses none, it follows from the [tools](crate::Tool) of the step.
///
/// ```
/// use surefire::agent::PermissionMode;
///
/// assert_eq!("acceptEdits".parse(), Ok(PermissionMode::AcceptEdits));
/// assert_eq!("default".parse(), Ok(PermissionMode::Manual));
/// assert_eq!(PermissionMode::Manual.to_string(), "manual");
/// assert!("bypass".parse::<PermissionMode>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "camelCase")]
pub enum PermissionMode {
    /// Files may be edited; other tools only as the user's settings allow.
    AcceptEdits,
    /// The CLI judges for itself which uses of a tool are harmless.
    Auto,
    /// Nothing that would need a question is done.
    DontAsk,
    /// Everything that needs a question is refused, since no person is there to answer. The CLI calls it `default`, too.
    #[strum(to_string = "manual", serialize = "default")]
    Manual,
    /// Reads and plans; changes nothing.
    Plan,
    /// Everything is done and nobody is asked. For machines that hold nothing worth protecting.
    BypassPermissions,
}

impl PermissionMode {
    /// What it is called on the CLI's command line, by every version.
    pub(super) fn flag(self) -> &'static str {
        match self {
            // 2.1.325 lists `manual` in its help, which 2.1.197 rejects; both take this one.
            Self::Manual => "default",
            Self::AcceptEdits | Self::Auto | Self::DontAsk | Self::Plan | Self::BypassPermissions => {
                self.into()
            }
        }
    }
}

/// The numbers behind a turn. The defaults are meant for real work; tests use smaller ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClaudeSettings {
    /// How long a process has after each of SIGINT and SIGTERM, before something stronger follows.
    pub grace: Duration,
    /// The same when whoever stops it is in a hurry.
    pub hurried_grace: Duration,
    /// How long a process may stay around without a word after it has answered.
    pub linger: Duration,
    /// How often the output is looked at while there is some.
    pub shortest_pause: Duration,
    /// How often the output is looked at when there has been none for a while.
    pub longest_pause: Duration,
    /// The most bytes that one line of output may have.
    pub line_cap: usize,
    /// The most bytes of output that may lie on disk.
    pub output_cap: u64,
    /// How many bytes of standard error are kept, counted from its end.
    pub stderr_kept: u64,
}

impl Default for ClaudeSettings {
    fn default() -> Self {
        Self {
            grace: Duration::from_secs(5),
            hurried_grace: Duration::from_secs(2),
            // The CLI may answer and then wait for something it left running in the background, and answer again.
            linger: Duration::from_mins(1),
            shortest_pause: Duration::from_millis(5),
            longest_pause: Duration::from_millis(100),
            line_cap: 8 << 20,
            output_cap: 256 << 20,
            stderr_kept: 256 << 10,
        }
    }
}

impl ClaudeSettings {
    /// The limits of a turn's process.
    pub(super) fn limits(&self, turn: TurnLimits) -> Limits {
        Limits {
            silence_timeout: turn.silence,
            total_timeout: turn.duration,
            linger_timeout: self.linger,
            stop_grace: self.grace,
            fast_stop_grace: self.hurried_grace,
            min_poll_interval: self.shortest_pause,
            max_poll_interval: self.longest_pause,
            max_line_bytes: self.line_cap,
            // A line is one JSON object: half of one would be none.
            cut_long_lines: false,
            max_output_bytes: self.output_cap,
            kept_stderr_bytes: self.stderr_kept,
        }
    }
}
