//! The machine as a recipe. It does more than the others' graph: each step also has the implicit
//! outcome `Other`, and the whole recipe is checked.

use super::graph;

pub fn dependencies() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    format!("surefire = {{ path = {path:?}, default-features = false }}\n")
}

pub fn source(steps: usize) -> String {
    let mut body = String::new();
    for step in graph::steps(steps) {
        let mut arms = String::new();
        for outcome in &step.outcomes {
            let next = match (outcome.target, outcome.name) {
                (Some(target), _) => format!("S{target}"),
                (None, "Next") => "exit TaskCommitted".into(),
                (None, _) => "exit NoChangesToCommit".into(),
            };
            arms += &format!("            {} => {next},\n", outcome.name);
        }
        body += &format!(
            "\n        step S{} {{\n            prompt: \"Do it.\",\n            \
             outcomes: [Next, Back, Stop],\n{arms}        }}\n",
            step.index
        );
    }
    format!(
        r#"surefire::recipe! {{
    /// A machine of {steps} steps.
    pub recipe Big {{
        id: "big",
        label: "Big",
        initial: S0,
        guardrails: {{ max_step_visits: 3, max_total_steps: 10000 }},
{body}    }}
}}
"#
    )
}
