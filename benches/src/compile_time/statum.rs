//! The machine in `statum`: the limits are checked in the methods, an exit is the error of a
//! `Result`.
//!
//! It has no outcome enums and no `on`; a method that always exits is not a transition to it, so
//! those methods are in a plain `impl`.

use super::graph;

pub fn dependencies() -> String {
    "statum = \"0.9.0\"\n".into()
}

pub fn source(steps: usize) -> String {
    let variants = graph::variants(steps);
    let mut source = format!(
        r#"use statum::{{machine, state, transition}};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Exit {{ Stopped, MaxStepVisits, MaxTotalSteps }}

#[state]
pub enum StepState {{ {variants} }}

#[machine]
pub struct Big<StepState> {{
    visits: [u32; {steps}],
    total: u32,
}}

fn enter(visits: &mut u32, total: &mut u32) -> Result<(), Exit> {{
    if *visits >= 3 {{
        return Err(Exit::MaxStepVisits);
    }}
    if *total >= 10_000 {{
        return Err(Exit::MaxTotalSteps);
    }}
    *visits += 1;
    *total += 1;
    Ok(())
}}
"#
    );
    for step in graph::steps(steps) {
        let (mut entering, mut exiting) = (String::new(), String::new());
        for outcome in &step.outcomes {
            let method = outcome.method;
            match outcome.target {
                Some(target) => {
                    entering += &format!(
                        "    pub fn {method}(mut self) -> ::core::result::Result<Big<S{target}>, Exit> {{\n        \
                         enter(&mut self.visits[{target}], &mut self.total)?;\n        \
                         Ok(self.transition())\n    }}\n"
                    );
                }
                None => {
                    exiting += &format!("    pub fn {method}(self) -> Exit {{ Exit::Stopped }}\n")
                }
            }
        }
        let index = step.index;
        source += &format!("\n#[transition]\nimpl Big<S{index}> {{\n{entering}}}\n");
        source += &format!("\nimpl Big<S{index}> {{\n{exiting}}}\n");
    }
    source
}
