//! The outline as a Mermaid flowchart.

use std::fmt::Write as _;

use strum::IntoEnumIterator;

use super::{NextOutline, Outline};
use crate::recipe::definition::Category;

impl Outline {
    /// The graph as a Mermaid flowchart; the implied `other` is left out, since every step has it.
    #[must_use]
    pub fn to_mermaid(&self) -> String {
        let mut out = String::from("flowchart TD\n");
        let mut ends = Vec::new();
        // Writing to a string cannot fail.
        let _ = writeln!(out, "    begin((start)) --> s{}", self.initial);
        for (index, step) in self.steps.iter().enumerate() {
            let _ = writeln!(out, "    s{index}[\"{}\"]", step.name);
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
                let _ = writeln!(out, "    s{index} -- \"{}\" --> {target}", outcome.name);
            }
        }
        for category in Category::iter() {
            let _ = writeln!(out, "    classDef {category} stroke:{}", category.color());
        }
        out
    }
}
