//! The outline in Graphviz's language.

use std::fmt::Write as _;

use super::{NextOutline, OutcomeOutline, Outline, StepOutline};
use crate::recipe::definition::Category;
use crate::recipe::exit_reason::ExitReason;

impl Outline {
    /// The graph for Graphviz; the implied `other` is left out, since every step has it.
    #[must_use]
    pub fn to_dot(&self) -> String {
        let mut out = format!("digraph \"{}\" {{\n    rankdir=TB;\n    node [shape=box];\n", self.id);
        let mut ends = 0;
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "    begin [shape=circle, label=\"\"];\n    begin -> \"{}\";",
            self.first_step().name
        );
        for step in self.steps {
            let _ = writeln!(out, "    \"{}\";", step.name);
        }
        for step in self.steps {
            for outcome in self.drawn_outcomes(step) {
                let target = match outcome.next {
                    NextOutline::Step(next) => self.steps[next].name.to_owned(),
                    NextOutline::Exit(reason) => {
                        let definition = reason.definition();
                        ends += 1;
                        let color = color(definition.category);
                        let _ = writeln!(
                            out,
                            "    \"end {ends}\" [shape=oval, color=\"{color}\", label=\"{}\"];",
                            definition.code
                        );
                        format!("end {ends}")
                    }
                    NextOutline::Restart { id, .. } => {
                        ends += 1;
                        let _ =
                            writeln!(out, "    \"end {ends}\" [shape=box, peripheries=2, label=\"↻ {id}\"];");
                        format!("end {ends}")
                    }
                };
                let _ = writeln!(out, "    \"{}\" -> \"{target}\" [label=\"{}\"];", step.name, outcome.name);
            }
        }
        out.push_str("}\n");
        out
    }

    /// The outcomes worth a line in a picture: all but an `other` that ends the run in the standard way.
    pub(super) fn drawn_outcomes(
        &self,
        step: &'static StepOutline,
    ) -> impl Iterator<Item = &'static OutcomeOutline> {
        let implied = self.guardrails.exit_on_other.then(|| ExitReason::UserProvidedOther.into());
        step.outcomes.iter().filter(move |outcome| match outcome.next {
            NextOutline::Exit(reason) => Some(reason) != implied,
            NextOutline::Step(_) | NextOutline::Restart { .. } => true,
        })
    }
}

fn color(category: Category) -> &'static str {
    match category {
        Category::Completed => "#2da44e",
        Category::Guardrail => "#bf8700",
        Category::Error => "#cf222e",
    }
}
