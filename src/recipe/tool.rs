//! What an agent may do at a step, in words that do not depend on the agent.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::tool_pattern::flaw;

/// One thing that an agent may do at a step. Each agent translates it into its own permissions.
///
/// ```
/// use surefire::Tool;
///
/// assert_eq!("edit".parse(), Ok(Tool::Edit));
/// let cargo: Tool = "cargo test *".parse().unwrap();
/// assert_eq!(cargo, Tool::Command("cargo test *".into()));
/// assert_eq!(cargo.to_string(), "cargo test *");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
#[non_exhaustive]
pub enum Tool {
    /// Reading files and looking around. Every step has it.
    Read,
    /// Changing files in the working directory.
    Edit,
    /// Searching and reading the web.
    Web,
    /// Running a command. A `*` after a space stands for any arguments, or none; without it only
    /// this exact command is allowed.
    Command(Cow<'static, str>),
}

impl Tool {
    /// A command, for a constant that several recipes put into their `tools` with `..NAME`.
    ///
    /// ```
    /// use surefire::Tool;
    ///
    /// const BUILD: &[Tool] = &[Tool::command("cargo *"), Tool::command("make *")];
    /// assert_eq!(BUILD[1].to_string(), "make *");
    /// ```
    ///
    /// # Panics
    /// If the pattern would match nothing or everything. In a constant that is a compile error.
    #[must_use]
    pub const fn command(pattern: &'static str) -> Self {
        if let Some(why) = flaw(pattern) {
            panic!("{}", why);
        }
        Self::Command(Cow::Borrowed(pattern))
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Read => "read",
            Self::Edit => "edit",
            Self::Web => "web",
            Self::Command(pattern) => pattern,
        })
    }
}

impl FromStr for Tool {
    type Err = InvalidTool;

    fn from_str(text: &str) -> Result<Self, InvalidTool> {
        match text {
            "read" => Ok(Self::Read),
            "edit" => Ok(Self::Edit),
            "web" => Ok(Self::Web),
            pattern => match flaw(pattern) {
                None => Ok(Self::Command(Cow::Owned(pattern.to_owned()))),
                Some(why) => Err(InvalidTool { text: pattern.to_owned(), why }),
            },
        }
    }
}

impl From<Tool> for String {
    fn from(tool: Tool) -> Self {
        tool.to_string()
    }
}

impl TryFrom<String> for Tool {
    type Error = InvalidTool;

    fn try_from(text: String) -> Result<Self, InvalidTool> {
        text.parse()
    }
}

/// A text that is not a valid tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a tool: {why}; expected `edit`, `web` or a command such as `cargo test *`", text.escape_debug())]
pub struct InvalidTool {
    text: String,
    why: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_a_tool_or_says_why_not() {
        for (text, why) in
            [("", "empty"), ("cargo*", "after a space"), ("a && b", "a shell acts upon")]
        {
            let error = text.parse::<Tool>().unwrap_err().to_string();
            assert!(error.contains(why), "{text:?}: {error}");
        }
        for text in ["read", "edit", "web", "cargo *", "git commit *", "make"] {
            let tool: Tool = text.parse().unwrap();
            let json = serde_json::to_string(&tool).unwrap();
            assert_eq!(json, format!("\"{text}\""));
            assert_eq!(serde_json::from_str::<Tool>(&json).unwrap(), tool);
        }
    }
}
