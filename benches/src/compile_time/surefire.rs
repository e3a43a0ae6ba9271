//! The machine as a recipe. It does more than the others' graph: each step also has the implicit
//! outcome `Other`, and the whole recipe is checked, in one variant with claims about its paths.

use super::graph;

pub fn dependencies() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    format!("surefire = {{ path = {path:?}, default-features = false }}\n")
}

/// How many claims are proven, in a machine of any size: authors claim what matters to them.
const CLAIMS: usize = 20;

pub fn source(steps: usize) -> String {
    recipe(steps, "")
}

/// With claims about steps all over the machine: none is entered before the one in front of it has
/// reported `Next` since it was last visited.
pub fn with_claims(steps: usize) -> String {
    let claim = |number: usize| {
        let step = number * steps.saturating_sub(2) / CLAIMS;
        format!("            S{} needs S{step}.Next since S{step},\n", step + 1)
    };
    let claims: String = (0..CLAIMS).map(claim).collect();
    recipe(steps, &format!("        proves: {{\n{claims}        }},\n"))
}

fn recipe(steps: usize, claims: &str) -> String {
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
{claims}{body}    }}
}}
"#
    )
}
