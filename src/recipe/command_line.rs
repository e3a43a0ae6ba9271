//! A command that the engine runs.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A command that the engine runs in the working directory. Only its exit status counts, never its
/// output.
///
/// ```
/// use surefire::CommandLine;
///
/// assert_eq!(
///     CommandLine::Shell("cargo test | tee log".into()).to_string(),
///     "cargo test | tee log"
/// );
/// let program = CommandLine::Program(["cargo".into(), "test".into()].to_vec().into());
/// assert_eq!(program.to_string(), "cargo test");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CommandLine {
    /// A line for `bash -euo pipefail -c`.
    Shell(Cow<'static, str>),
    /// A program and its arguments, without a shell.
    Program(Cow<'static, [Cow<'static, str>]>),
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shell(line) => f.pad(line),
            Self::Program(arguments) => f.pad(&arguments.join(" ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_distinguishes_a_line_from_a_list() {
        let table = [
            (CommandLine::Shell("make && make test".into()), r#""make && make test""#),
            (CommandLine::Program(vec!["make".into(), "a b".into()].into()), r#"["make","a b"]"#),
        ];
        for (command, json) in table {
            assert_eq!(serde_json::to_string(&command).unwrap(), json);
            assert_eq!(serde_json::from_str::<CommandLine>(json).unwrap(), command);
        }
    }
}
