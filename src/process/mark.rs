//! The mark that every process of an attempt carries.

use std::ffi::OsString;
use std::fmt;

use uuid::Uuid;

/// The environment variable that marks a process.
const ATTEMPT_VARIABLE: &str = "SUREFIRE_ATTEMPT";

/// Marks a process and everything it starts, by an environment variable.
///
/// Children inherit it, so those that left the process group are found as well. Adopt a process
/// with the mark that it was started with, and use different marks for processes that are stopped
/// separately.
///
/// ```
/// use surefire::process::ProcessMark;
///
/// let mark = ProcessMark::new(uuid::Uuid::nil());
/// assert_eq!(mark.to_string(), "SUREFIRE_ATTEMPT=00000000-0000-0000-0000-000000000000");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessMark(Uuid);

impl ProcessMark {
    /// The mark of this attempt.
    #[must_use]
    pub const fn new(attempt: Uuid) -> Self {
        Self(attempt)
    }

    /// The name and the value of the variable.
    pub(super) fn variable(self) -> (OsString, OsString) {
        (ATTEMPT_VARIABLE.into(), self.0.as_hyphenated().to_string().into())
    }
}

/// The form that it has in the environment of a process: `NAME=value`.
impl fmt::Display for ProcessMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{ATTEMPT_VARIABLE}={}", self.0.as_hyphenated())
    }
}
