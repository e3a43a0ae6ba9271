//! The outline as a Mermaid flowchart.

use std::fmt::Write as _;

use super::{NextOutline, Outline};
use crate::recipe::reason_info::Category;
use crate::recipe::step_limits::AfterLimit;

impl Outline {
    /// The graph as a Mermaid flowchart; the implied `other` is left out, since every step has it.
    ///
    /// A command step is a hexagon with its command; `✓` marks the commands that verify a step. A
    /// dotted arrow leads from a step that has reached a limit of its own.
    #[must_use]
    pub fn to_mermaid(&self) -> String {
        let mut out = String::from("flowchart TD\n");
        let mut ends = Vec::new();
        // Writing to a string cannot fail.
        let _ = writeln!(out, "    begin((start)) --> s{}", self.initial);
        for (index, step) in self.steps.iter().enumerate() {
            let lines: Vec<_> = [step.name.to_owned()].into_iter().chain(step.notes()).collect();
            let lines: Vec<_> = lines.iter().map(|line| escaped(line)).collect();
            let (open, close) = if step.command.is_some() { ("{{", "}}") } else { ("[", "]") };
            let _ = writeln!(out, "    s{index}{open}\"{}\"{close}", lines.join("<br/>"));
        }
        for (index, step) in self.steps.iter().enumerate() {
            for outcome in self.drawn_outcomes(step) {
                let target = match outcome.next {
                    NextOutline::Step(next) => format!("s{next}"),
                    NextOutline::Exit(reason) => {
                        let definition = reason.definition();
                        let end = ends.len();
                        ends.push(format!("e{end}"));
                        format!("e{end}([\"{}\"]):::{}", definition.code, definition.category)
                    }
                    NextOutline::Restart { id, .. } => {
                        let end = ends.len();
                        ends.push(format!("e{end}"));
                        format!("e{end}[[\"↻ {id}\"]]")
                    }
                };
                let _ =
                    writeln!(out, "    s{index} -- \"{}\" --> {target}", escaped(&outcome.label()));
            }
            for (label, next) in step.limit_arrows() {
                let target = match next {
                    AfterLimit::Step(next) => format!("s{next}"),
                    AfterLimit::Exit(reason) => {
                        let definition = reason.definition();
                        let end = ends.len();
                        ends.push(format!("e{end}"));
                        format!("e{end}([\"{}\"]):::{}", definition.code, definition.category)
                    }
                };
                let _ = writeln!(out, "    s{index} -. \"{label}\" .-> {target}");
            }
        }
        for category in Category::ALL {
            let _ = writeln!(out, "    classDef {category} stroke:{}", category.color());
        }
        out
    }
}

/// Escapes a text for a quoted string in Mermaid: special characters become its entities.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '#' => out.push_str("#35;"),
            '"' => out.push_str("#quot;"),
            '&' => out.push_str("#amp;"),
            '<' => out.push_str("#lt;"),
            '>' => out.push_str("#gt;"),
            // Mermaid parses a text between backticks as Markdown.
            '`' => out.push_str("#96;"),
            plain => out.push(plain),
        }
    }
    out
}
