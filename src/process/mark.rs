//! The mark that every process of an attempt carries.

use std::ffi::OsString;
use std::fmt;

use uuid::Uuid;

/// The environment variable that marks a process.
const VARIABLE: &str = "SUREFIRE_ATTEMPT";

/// Marks a process and everything it starts, by an environment variable.
///
/// Children inherit it, so those that left the process group are found as well. It has to be the same when the process
/// is adopted, and different for any two processes that may be ended separately.
///
/// ```
/// use surefire::process::Mark;
///
/// let mark = Mark::new(uuid::Uuid::nil());
/// assert_eq!(mark.to_string(), "SUREFIRE_ATTEMPT=00000000-0000-0000-0000-000000000000");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark(Uuid);

impl Mark {
    /// The mark of this attempt.
    #[must_use]
    pub const fn new(attempt: Uuid) -> Self {
        Self(attempt)
    }

    /// The variable, as a process is started with it.
    pub(super) fn variable(self) -> (OsString, OsString) {
        (VARIABLE.into(), self.0.as_hyphenated().to_string().into())
    }
}

/// As it stands in the environment of a process.
impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{VARIABLE}={}", self.0.as_hyphenated())
    }
}
