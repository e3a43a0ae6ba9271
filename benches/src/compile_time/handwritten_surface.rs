//! The hand-written typestate with the surface that a recipe also has: names, parsing, listing,
//! serde, and the graph as static data.

use super::graph;
use super::handwritten_lean::typestate;

pub fn dependencies() -> String {
    "serde = { version = \"1\", features = [\"derive\"] }\n\
     strum = { version = \"0.28\", features = [\"derive\"] }\n"
        .into()
}

pub fn source(steps: usize) -> String {
    let attributes = "#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]\n\
                      #[derive(serde::Serialize, serde::Deserialize)]\n\
                      #[derive(strum::Display, strum::EnumString, strum::EnumIter, strum::VariantNames)]\n\
                      #[serde(rename_all = \"kebab-case\")]\n\
                      #[strum(serialize_all = \"kebab-case\")]";
    typestate(steps, attributes) + &table(steps)
}

fn table(steps: usize) -> String {
    let mut rows = String::new();
    for step in graph::steps(steps) {
        let outcomes: String = step
            .outcomes
            .iter()
            .map(|outcome| {
                let target =
                    outcome.target.map_or("None".into(), |target| format!("Some(Step::S{target})"));
                format!("(\"{}\", {target}), ", outcome.method)
            })
            .collect();
        rows += &format!("    (Step::S{}, &[{outcomes}]),\n", step.index);
    }
    format!(
        "\n/// Each step with its outcomes; `None` exits.\n\
         pub static GRAPH: &[(Step, &[(&str, Option<Step>)])] = &[\n{rows}];\n"
    )
}
