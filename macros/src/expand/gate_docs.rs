//! What the generated pages say about tools, commands, evidence and files.

use syn::LitStr;

use super::Expansion;
use crate::model::{Files, Outcome, Run, Step};
use crate::resolve::{Tool, command_texts, written_time};
use crate::syntax::Command;

impl Step {
    /// Paragraphs about what the engine allows and runs here.
    pub(super) fn gates_in_words(&self) -> Vec<String> {
        let mut paragraphs = Vec::new();
        if let Some(Run { command, time }) = &self.run {
            let time = time
                .map_or_else(String::new, |time| format!(", for {} at most", written_time(time)));
            paragraphs.push(format!(
                "The engine runs {}{time}; no agent is asked.",
                command_in_words(command)
            ));
        }
        if let Some(tools) = &self.tools {
            let tools: Vec<_> = tools.iter().map(tool_in_words).collect();
            paragraphs.push(format!("Tools: {}.", tools.join(", ")));
        }
        if !self.verify.is_empty() {
            let commands: Vec<_> = self.verify.iter().map(command_in_words).collect();
            paragraphs.push(format!(
                "Verified by {} before another step or a restart follows.",
                commands.join(" and ")
            ));
        }
        let limits = self.visit_limits_in_words();
        paragraphs.extend((!limits.is_empty()).then_some(limits));
        paragraphs
    }
}

impl Files {
    /// A paragraph about what runs may do with files; empty if the author specified nothing.
    pub(super) fn in_words(&self) -> String {
        let mut sentences = Vec::new();
        match (patterns_in_words(&self.allow), patterns_in_words(&self.deny)) {
            (None, None) => {}
            (Some(allow), None) => {
                sentences.push(format!("Its runs may change {allow} and no other files."));
            }
            (None, Some(deny)) => sentences.push(format!("Its runs may not change {deny}.")),
            (Some(allow), Some(deny)) => {
                sentences.push(format!(
                    "Its runs may change {allow} and no other files, and never {deny}."
                ));
            }
        }
        if self.allow_lockfiles {
            sentences.push("They may change lockfiles.".to_owned());
        }
        if self.needs.clean_tree {
            sentences
                .push("They begin only if no tracked file has uncommitted changes.".to_owned());
        }
        if self.needs.task {
            let task = "They begin a new session only with a task: the text that they are started with, or \
                        one that `bd` offers.";
            sentences.push(task.to_owned());
        }
        if self.isolate {
            sentences.push("They work in a git worktree of their own.".to_owned());
        }
        let mut words = sentences.join(" ");
        if let Some(rest) = words.strip_prefix("They ") {
            words = format!("Its runs {rest}");
        }
        words
    }
}

impl Outcome {
    /// The required evidence, as the author writes it; empty if there is none.
    pub(super) fn evidence_in_words(&self) -> String {
        let evidence: Vec<_> =
            self.evidence.iter().map(|evidence| one_line(&evidence.written())).collect();
        evidence.join(" && ")
    }

    /// Its name and evidence for the diagram, where long texts are shortened.
    pub(super) fn label(&self) -> String {
        const MAX_CHARS: usize = 40;
        let evidence: Vec<_> =
            self.evidence.iter().map(|evidence| one_line(&evidence.written())).collect();
        if evidence.is_empty() {
            return self.wire.clone();
        }
        let label = format!("{} if {}", self.wire, evidence.join(" and "));
        if label.chars().count() <= MAX_CHARS {
            return label;
        }
        let kept: String = label.chars().take(MAX_CHARS - 1).collect();
        format!("{kept}…")
    }
}

impl Expansion<'_> {
    /// Whether some step has the implied `Other`.
    pub(super) fn implies_other(&self) -> bool {
        !self.shape.limits.other_is_free && self.shape.steps.iter().any(|step| step.run.is_none())
    }
}

fn tool_in_words(tool: &Tool) -> String {
    match tool {
        Tool::Read => code("read"),
        Tool::Edit => code("edit"),
        Tool::Web => code("web"),
        Tool::Command(pattern) => code(&pattern.value()),
        Tool::Group(group) => format!("those of {}", code(&group.name)),
    }
}

fn patterns_in_words(patterns: &[LitStr]) -> Option<String> {
    let patterns: Vec<_> = patterns.iter().map(|pattern| code(&pattern.value())).collect();
    (!patterns.is_empty()).then(|| patterns.join(", "))
}

fn command_in_words(command: &Command) -> String {
    let (_, texts) = command_texts(command);
    code(&one_line(&texts.join(" ")))
}

/// A text as code in Markdown, even if it contains backticks.
pub(super) fn code(text: &str) -> String {
    let mut fence = String::from("`");
    while text.contains(&fence) {
        fence.push('`');
    }
    let room = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{room}{text}{room}{fence}")
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_may_contain_backticks() {
        let table = [("make", "`make`"), ("a `b` c", "``a `b` c``"), ("`x``", "``` `x`` ```")];
        for (text, markdown) in table {
            assert_eq!(code(text), markdown);
        }
    }
}
