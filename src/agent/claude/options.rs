//! The operator's settings for the CLI, and their defaults.

use std::time::Duration;

use strum::{Display, EnumString, IntoStaticStr, VariantArray, VariantNames};

use crate::UnknownName;
use crate::agent::TurnLimits;
use crate::process::ProcessLimits;

/// What the CLI may do without asking. Only the operator can set it, never a client.
///
/// The names are the CLI's own. The mode that never asks has a long name, so that an operator does
/// not pick it by accident. By default, the mode follows from the [tools](crate::Tool) of the step.
///
/// ```
/// use surefire::agent::PermissionMode;
///
/// assert_eq!("acceptEdits".parse(), Ok(PermissionMode::AcceptEdits));
/// assert_eq!("default".parse(), Ok(PermissionMode::Manual));
/// assert_eq!(PermissionMode::Manual.to_string(), "manual");
/// assert!("bypass".parse::<PermissionMode>().is_err());
/// ```
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Display,
    EnumString,
    IntoStaticStr,
    VariantNames,
    VariantArray,
)]
#[strum(serialize_all = "camelCase", parse_err_ty = UnknownName, parse_err_fn = unknown_permission_mode)]
#[non_exhaustive]
pub enum PermissionMode {
    /// Files may be edited; other tools only as the user's settings allow.
    AcceptEdits,
    /// The CLI decides which uses of a tool are harmless.
    Auto,
    /// The CLI never asks: whatever needs permission is denied.
    DontAsk,
    /// The CLI would ask, and since no person can answer, the use is refused. The CLI also calls
    /// this `default`.
    #[strum(to_string = "manual", serialize = "default")]
    Manual,
    /// Reads and plans; changes nothing.
    Plan,
    /// Everything is allowed without asking. For machines that hold nothing worth protecting.
    BypassPermissions,
}

impl PermissionMode {
    /// Every permission mode, in the order of declaration.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Its name on the CLI's command line, for every version.
    pub(super) fn flag(self) -> &'static str {
        match self {
            // 2.1.325 lists `manual` in its help, which 2.1.197 rejects; both take this one.
            Self::Manual => "default",
            Self::AcceptEdits
            | Self::Auto
            | Self::DontAsk
            | Self::Plan
            | Self::BypassPermissions => self.into(),
        }
    }
}

fn unknown_permission_mode(name: &str) -> UnknownName {
    UnknownName::among(<PermissionMode as strum::VariantNames>::VARIANTS, "permission mode", name)
}

/// The timings and limits of a turn's process. Tests use smaller values than the defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClaudeSettings {
    /// The grace period after SIGINT and after SIGTERM, before the next stronger signal.
    pub stop_grace: Duration,
    /// The grace period of a fast stop.
    pub fast_stop_grace: Duration,
    /// How long a process may stay silent after its reply before it is stopped.
    pub linger_timeout: Duration,
    /// The polling interval while there is output.
    pub min_poll_interval: Duration,
    /// The polling interval after a while without output.
    pub max_poll_interval: Duration,
    /// The size limit of one output line, in bytes.
    pub max_line_bytes: usize,
    /// The size limit of the output on disk, in bytes.
    pub max_output_bytes: u64,
    /// How many bytes of standard error are kept, from its end.
    pub kept_stderr_bytes: u64,
}

setters!(ClaudeSettings {
    stop_grace: Duration,
    fast_stop_grace: Duration,
    linger_timeout: Duration,
    min_poll_interval: Duration,
    max_poll_interval: Duration,
    max_line_bytes: usize,
    max_output_bytes: u64,
    kept_stderr_bytes: u64,
});

impl Default for ClaudeSettings {
    fn default() -> Self {
        Self {
            stop_grace: Duration::from_secs(5),
            fast_stop_grace: Duration::from_secs(2),
            // The CLI may reply, wait for a command in the background, and reply again.
            linger_timeout: Duration::from_secs(60),
            min_poll_interval: Duration::from_millis(5),
            max_poll_interval: Duration::from_millis(100),
            max_line_bytes: 8 << 20,
            max_output_bytes: 256 << 20,
            kept_stderr_bytes: 256 << 10,
        }
    }
}

impl ClaudeSettings {
    /// The limits of a turn's process.
    pub(super) fn limits(&self, turn: TurnLimits) -> ProcessLimits {
        ProcessLimits {
            silence_timeout: turn.silence,
            total_timeout: turn.duration,
            linger_timeout: self.linger_timeout,
            stop_grace: self.stop_grace,
            fast_stop_grace: self.fast_stop_grace,
            min_poll_interval: self.min_poll_interval,
            max_poll_interval: self.max_poll_interval,
            max_line_bytes: self.max_line_bytes,
            // A line is one JSON object, so half of it would be useless.
            truncate_long_lines: false,
            max_output_bytes: self.max_output_bytes,
            kept_stderr_bytes: self.kept_stderr_bytes,
        }
    }
}
