//! The part of a prompt that lists what the agent may do at a step.

use crate::{StepOutline, Tool};

/// How the agent must write commands so that its permissions can match them.
const PLAIN_COMMANDS: &str = "Write commands plainly: no `git -C`, no `cd` before `git`, no subshells, no `&`; \
    put a text of several lines into a quoted heredoc (`<<'EOF'`).";

/// A paragraph about the tools that a step declares, and those that the operator adds. Empty if
/// the step declares none.
pub(super) fn paragraph(step: &StepOutline, allowed: &[Tool]) -> String {
    let Some(declared) = step.tools else { return String::new() };
    let tools: Vec<_> = declared.iter().chain(allowed).collect();
    let mut may = vec!["read files".to_owned()];
    if tools.contains(&&Tool::Edit) {
        may.push("edit files".to_owned());
    }
    if tools.contains(&&Tool::Web) {
        may.push("search and read the web".to_owned());
    }
    let mut commands: Vec<String> = Vec::new();
    for tool in tools {
        match tool {
            Tool::Command(pattern)
                if !commands.iter().any(|it| it[1..it.len() - 1] == **pattern) =>
            {
                commands.push(format!("`{pattern}`"));
            }
            Tool::Command(_) | Tool::Read | Tool::Edit | Tool::Web => {}
        }
    }
    let plain = if commands.is_empty() { "" } else { PLAIN_COMMANDS };
    if !commands.is_empty() {
        may.push(format!("run {}", commands.join(", ")));
    }
    let words =
        format!("In this step you may {}. Anything else is refused. {plain}", may.join("; "));
    format!("{}\n\n", words.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(tools: Option<&'static [Tool]>) -> StepOutline {
        StepOutline {
            name: "work",
            was: &[],
            description: "",
            model: None,
            prompt: "Work.",
            tools,
            command: None,
            verify: &[],
            limits: crate::StepLimits::NONE,
            outcomes: &[],
        }
    }

    #[test]
    fn the_prompt_lists_what_the_agent_may_do() {
        const TOOLS: &[Tool] = &[Tool::Edit, Tool::Command(std::borrow::Cow::Borrowed("cargo *"))];
        assert_eq!(
            paragraph(&step(None), &[Tool::Edit]),
            "",
            "what the author left open stays open"
        );
        assert_eq!(
            paragraph(&step(Some(&[Tool::Read])), &[]),
            "In this step you may read files. Anything else is refused.\n\n"
        );
        let allowed = [Tool::Web, Tool::Command("cargo *".into()), Tool::Command("make".into())];
        assert_eq!(
            paragraph(&step(Some(TOOLS)), &allowed),
            format!(
                "In this step you may read files; edit files; search and read the web; run `cargo *`, `make`. \
                 Anything else is refused. {PLAIN_COMMANDS}\n\n"
            )
        );
    }
}
