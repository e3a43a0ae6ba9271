//! The labels in a diagram of a recipe, before each kind of diagram escapes them in its own way.

use super::{OutcomeOutline, StepOutline};
use crate::recipe::command_line::CommandLine;

/// A longer label would stretch the diagram; the other forms of the outline have the whole text.
const MAX_TEXT_CHARS: usize = 48;

impl StepOutline {
    /// The lines in its box below the name: its own command, or the commands that verify it.
    pub(super) fn notes(&self) -> Vec<String> {
        let command = self.command.map(|step| format!("$ {}", short(step.command)));
        command
            .into_iter()
            .chain(self.verify.iter().map(|command| format!("✓ {}", short(command))))
            .collect()
    }
}

impl StepOutline {
    /// The label of the arrow to where a run goes when it has visited the step as often as it may.
    pub(super) fn full_label(&self) -> Option<String> {
        self.limits.max_visits.map(|visits| match visits {
            1 => "visited once".to_owned(),
            2 => "visited twice".to_owned(),
            more => format!("visited {more} times"),
        })
    }
}

impl OutcomeOutline {
    /// The label of its arrow: its name and the evidence it requires.
    pub(super) fn label(&self) -> String {
        let evidence: Vec<_> =
            self.evidence.iter().map(|evidence| cut(&evidence.to_string())).collect();
        match evidence.as_slice() {
            [] => self.name.to_owned(),
            found => format!("{} if {}", self.name, found.join(" and ")),
        }
    }
}

fn short(command: &CommandLine) -> String {
    cut(&command.to_string())
}

/// The text on one line, truncated if it is long.
fn cut(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MAX_TEXT_CHARS {
        return line;
    }
    let kept: String = line.chars().take(MAX_TEXT_CHARS - 1).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_stays_on_one_short_line() {
        assert_eq!(cut("cargo test \\\n    --workspace"), "cargo test \\ --workspace");
        let long = cut(&"ä ".repeat(60));
        assert!(long.chars().count() <= MAX_TEXT_CHARS && long.ends_with("ä…"), "{long}");
    }
}
