//! The outline in Graphviz's language.

use std::fmt::Write as _;

use super::{NextOutline, Outline};
use crate::recipe::step_limits::AfterLimit;

impl Outline {
    /// The graph for Graphviz; the implied `other` is left out, since every step has it.
    ///
    /// A command step is a hexagon with its command; `✓` marks the commands that verify a step. A
    /// dashed arrow leads from a step that has reached a limit of its own.
    #[must_use]
    pub fn to_dot(&self) -> String {
        let mut out =
            format!("digraph \"{}\" {{\n    rankdir=TB;\n    node [shape=box];\n", self.id);
        let mut ends = 0;
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "    begin [shape=circle, label=\"\"];\n    begin -> \"{}\";",
            self.first_step().name
        );
        for step in self.steps {
            let shape = step.command.map(|_| "shape=hexagon".to_owned());
            let notes =
                step.notes().iter().map(|note| format!("\\n{}", escaped(note))).collect::<String>();
            let label = (!notes.is_empty()).then(|| format!("label=\"{}{notes}\"", step.name));
            let attributes = shape.into_iter().chain(label).collect::<Vec<_>>().join(", ");
            let attributes =
                if attributes.is_empty() { attributes } else { format!(" [{attributes}]") };
            let _ = writeln!(out, "    \"{}\"{attributes};", step.name);
        }
        for step in self.steps {
            for outcome in self.drawn_outcomes(step) {
                let target = match outcome.next {
                    NextOutline::Step(next) => self.steps[next].name.to_owned(),
                    NextOutline::Exit(reason) => {
                        let definition = reason.definition();
                        ends += 1;
                        let color = definition.category.color();
                        let _ = writeln!(
                            out,
                            "    \"end {ends}\" [shape=oval, color=\"{color}\", label=\"{}\"];",
                            definition.code
                        );
                        format!("end {ends}")
                    }
                    NextOutline::Restart { id, .. } => {
                        ends += 1;
                        let _ = writeln!(
                            out,
                            "    \"end {ends}\" [shape=box, peripheries=2, label=\"↻ {id}\"];"
                        );
                        format!("end {ends}")
                    }
                };
                let label = escaped(&outcome.label());
                let _ = writeln!(out, "    \"{}\" -> \"{target}\" [label=\"{label}\"];", step.name);
            }
            for (label, next) in step.limit_arrows() {
                let target = match next {
                    AfterLimit::Step(next) => self.steps[next].name.to_owned(),
                    AfterLimit::Exit(reason) => {
                        let definition = reason.definition();
                        ends += 1;
                        let color = definition.category.color();
                        let _ = writeln!(
                            out,
                            "    \"end {ends}\" [shape=oval, color=\"{color}\", label=\"{}\"];",
                            definition.code
                        );
                        format!("end {ends}")
                    }
                };
                let _ = writeln!(
                    out,
                    "    \"{}\" -> \"{target}\" [style=dashed, label=\"{label}\"];",
                    step.name
                );
            }
        }
        out.push_str("}\n");
        out
    }
}

/// Escapes a text for a quoted string in Graphviz.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
