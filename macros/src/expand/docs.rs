//! The page that `cargo doc` shows for a recipe.

use std::fmt::Write as _;

use proc_macro2::TokenStream;

use super::Expansion;
use super::entry::times;
use super::gate_docs::code;
use crate::model::{Next, Step};
use crate::place::quote;
use crate::proof::Limit;
use crate::resolve::written_time;

/// A diagram or a table of more steps than this is unreadable.
const READABLE: usize = 60;
const OTHER_IN_WORDS: &str = "If none of these fits, the agent reports `other`, and the run ends with `UserProvidedOther`.\n\n";

const EVIDENCE_IN_WORDS: &str = "The engine checks what is after `if` before it follows the outcome; the typed run does not.\n\n";

const FINDINGS_IN_WORDS: &str =
    "An outcome with findings carries what a review found; the typed run takes none.\n\n";

impl Expansion<'_> {
    /// The text that follows the author's doc comment on the recipe's type.
    pub(super) fn recipe_docs(&self) -> TokenStream {
        let shape = self.shape;
        let own = if shape.docs.is_empty() { format!("{}.", shape.label) } else { String::new() };
        let summary = format!(
            "Recipe `{}`: {}, {} {} in a run{}.",
            shape.id,
            counted(shape.steps.len(), "step"),
            if self.proof.max_steps_is_exact { "at most" } else { "no more than" },
            self.proof.max_steps,
            self.limits_in_words(),
        );
        let steps = if shape.steps.len() <= READABLE {
            let other = if self.implies_other() { OTHER_IN_WORDS } else { "" };
            let mut outcomes = shape.steps.iter().flat_map(|step| &step.outcomes);
            let has_findings = outcomes.clone().any(|outcome| outcome.findings);
            let has_evidence = outcomes.any(|outcome| !outcome.evidence.is_empty());
            let evidence = if has_evidence { EVIDENCE_IN_WORDS } else { "" };
            let findings = if has_findings { FINDINGS_IN_WORDS } else { "" };
            let (table, diagram) = (self.table(), self.diagram());
            format!("# Steps\n\n{table}\n{evidence}{findings}{other}# Diagram\n\n{diagram}\n")
        } else {
            String::new()
        };
        let proven = self.claims_in_words();
        let module = &shape.module;
        let parts = format!(
            "Its steps, outcomes and the typed run are in [`{module}`]; [`begin`](Self::begin) starts one."
        );
        let files = match shape.files.in_words() {
            words if words.is_empty() => words,
            words => format!("{words}\n\n"),
        };
        let page = format!("{own}\n\n{summary}\n\n{files}{steps}{proven}\n{parts}\n");
        quote!(#[doc = #page])
    }

    fn table(&self) -> String {
        let mut table = String::from("| step | outcome | next |\n|---|---|---|\n");
        for step in &self.shape.steps {
            let implied = |next: Next| matches!(next, Next::Exit(exit) if self.shape.exits[exit].is_implied());
            for (place, outcome) in
                step.outcomes.iter().filter(|outcome| !implied(outcome.next)).enumerate()
            {
                let name = if place == 0 { self.named_with_limits(step) } else { String::new() };
                // Writing to a string cannot fail.
                let evidence = match outcome.evidence_in_words().as_str() {
                    "" => String::new(),
                    // A bar would end the cell, even in code.
                    evidence => format!(" if {}", code(evidence).replace('|', "\\|")),
                };
                let next = self.next_in_words(outcome.next);
                let findings = if outcome.findings { " with findings" } else { "" };
                let rule = match outcome.docs.first_paragraph().as_str() {
                    "" => String::new(),
                    rule => format!(": {}", in_a_cell(rule)),
                };
                let _ = writeln!(
                    table,
                    "| {name} | `{}`{findings}{rule} | {next}{evidence} |",
                    outcome.wire
                );
            }
            for after in &step.after_limits {
                let (limit, next) = (step.limit(after.limit), self.next_in_words(after.next));
                let _ = writeln!(table, "| | *{limit}* | {next} |");
            }
            if let (Some(visits), Some(next)) = (step.max_visits, step.when_full) {
                let (visits, next) = (times(visits), self.next_in_words(next));
                let _ = writeln!(table, "| | *instead, once visited {visits}* | {next} |");
            }
        }
        table
    }

    pub(super) fn module_docs(&self) -> TokenStream {
        let page = format!(
            "The parts of the recipe `{}`: its [`Step`]({module}::Step)s, an enum of outcomes for each, and the \
             typed run [`At`]({module}::At).",
            self.shape.name,
            module = self.shape.module,
        );
        quote!(#[doc = #page])
    }

    fn limits_in_words(&self) -> String {
        let limits = self.shape.limits;
        let mut words = Vec::new();
        if let Some(visits) = limits.max_step_visits {
            words.push(format!("each step at most {}", times(visits)));
        }
        if let Some(total) = limits.max_total_steps {
            let never = self.proof.never_trips.contains(&Limit::TotalSteps);
            let never = if never { ", which no run can reach" } else { "" };
            words.push(format!("all together at most {}{never}", counted(total as usize, "step")));
        }
        if let Some(restarts) = limits.max_restarts {
            words.push(format!(
                "at most {} in a chain of runs",
                counted(restarts as usize, "restart")
            ));
        }
        if let Some(time) = limits.max_verify_time {
            words.push(format!("what verifies one visit takes at most {}", written_time(time)));
        }
        if let Some(rounds) = limits.max_review_rounds {
            let rounds = counted(rounds as usize, "round");
            words.push(format!("at most {rounds} of a review without fewer findings"));
        }
        if words.is_empty() {
            String::new()
        } else {
            format!(" (guardrails: {})", words.join("; "))
        }
    }

    /// The step's link, and its own limit.
    fn named_with_limits(&self, step: &Step) -> String {
        let link = self.step_link(&step.name.to_string());
        match step.max_visits {
            Some(visits) => format!("{link}, at most {}", times(visits)),
            None => link,
        }
    }

    fn next_in_words(&self, next: Next) -> String {
        match next {
            Next::Step(step) => self.step_link(&self.shape.steps[step].name.to_string()),
            Next::Exit(exit) => format!("exit `{}`", self.shape.exits[exit].name()),
            Next::Restart(restart) => format!("restart `{}`", self.shape.restarts[restart].name),
        }
    }

    pub(super) fn step_link(&self, name: &str) -> String {
        format!("[`{name}`]({}::{name})", self.shape.module)
    }
}

/// An author's text as part of a table's row. It is also on the page of the outcome, where its
/// links work; here they would be looked up in another scope.
fn in_a_cell(text: &str) -> String {
    let mut cell = String::with_capacity(text.len());
    let mut is_code = false;
    for character in text.chars() {
        is_code ^= character == '`';
        // A bar would end the cell, even in code.
        if character == '|' || (!is_code && matches!(character, '[' | ']')) {
            cell.push('\\');
        }
        cell.push(character);
    }
    cell
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_author_s_text_stays_in_its_cell_and_links_nowhere() {
        let table = [
            ("Every claim is true.", "Every claim is true."),
            ("a | b, `a | b`", "a \\| b, `a \\| b`"),
            ("see [`Fix`] or `list[0]`", "see \\[`Fix`\\] or `list[0]`"),
        ];
        for (text, cell) in table {
            assert_eq!(in_a_cell(text), cell);
        }
    }
}
