//! Tools that the agent was refused.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One use of a tool that the agent was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolRefusal {
    /// The tool, as the agent calls it.
    pub tool: String,
    /// The command, the file or the address that it was called with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// The values of `--allow-tool` that allow it, if they are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<String>,
}

/// The tool and its input.
impl fmt::Display for ToolRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.input {
            Some(input) => write!(f, "{} (`{input}`)", self.tool),
            None => f.write_str(&self.tool),
        }
    }
}

/// The refused tools in one line, each once, with the options that allow them.
pub(super) fn in_words(refused: &[ToolRefusal]) -> String {
    let mut tools: Vec<String> = Vec::new();
    let mut allow: Vec<String> = Vec::new();
    for it in refused {
        let tool = it.to_string();
        if !tools.contains(&tool) {
            tools.push(tool);
        }
        for option in it.allow.iter().map(|tool| format!("--allow-tool '{tool}'")) {
            if !allow.contains(&option) {
                allow.push(option);
            }
        }
    }
    let tools = format!("tools the agent was refused: {}", tools.join(", "));
    if allow.is_empty() { tools } else { format!("{tools}; allow them with {}", allow.join(" ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(tool: &str, input: Option<&str>, allow: &[&str]) -> ToolRefusal {
        let allow = allow.iter().map(|&tool| tool.to_owned()).collect();
        ToolRefusal { tool: tool.to_owned(), input: input.map(str::to_owned), allow }
    }

    #[test]
    fn each_tool_and_each_option_is_named_once() {
        let commit = refused("Bash", Some("git commit -m x"), &["git commit *"]);
        let again = refused("Bash", Some("git commit -m x"), &["git commit *"]);
        let write = refused("Write", None, &[]);
        assert_eq!(
            in_words(&[commit, again, write]),
            "tools the agent was refused: Bash (`git commit -m x`), Write; allow them with --allow-tool 'git commit *'"
        );
        assert_eq!(in_words(&[refused("Bash", None, &[])]), "tools the agent was refused: Bash");
    }
}
