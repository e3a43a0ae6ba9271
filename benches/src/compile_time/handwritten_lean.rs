//! A hand-written typestate, with nothing that the machine does not need.
//!
//! `on` does not call the methods beside it: rustc looks a method up in all `impl At<…>` blocks, so
//! that the calls alone would make checking grow faster than the machine. The baseline is the cheap
//! form.

use super::graph::{self, Step};

pub fn source(steps: usize) -> String {
    typestate(steps, "#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]")
}

/// The typestate, with `attributes` on the enum of steps and on each enum of outcomes.
pub fn typestate(steps: usize, attributes: &str) -> String {
    let mut source = opening(steps, attributes);
    for step in graph::steps(steps) {
        source += &format!("\npub struct S{};\n", step.index);
        source +=
            &format!("\n{attributes}\npub enum S{}Outcome {{ Next, Back, Stop }}\n", step.index);
        source += &next_enum(&step);
        source += &methods(&step);
    }
    source
}

fn opening(steps: usize, attributes: &str) -> String {
    let variants = graph::variants(steps);
    format!(
        r#"use std::marker::PhantomData;

{attributes}
pub enum Step {{ {variants} }}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Exit {{ Stopped, MaxStepVisits(Step), MaxTotalSteps }}

pub struct At<S> {{
    visits: [u32; {steps}],
    total: u32,
    step: PhantomData<S>,
}}

impl At<S0> {{
    pub fn start() -> Self {{
        let mut visits = [0; {steps}];
        visits[0] = 1;
        At {{ visits, total: 1, step: PhantomData }}
    }}
}}

fn enter<S, T>(mut at: At<S>, step: Step) -> Result<At<T>, Exit> {{
    let visits = &mut at.visits[step as usize];
    if *visits >= 3 {{
        return Err(Exit::MaxStepVisits(step));
    }}
    if at.total >= 10_000 {{
        return Err(Exit::MaxTotalSteps);
    }}
    *visits += 1;
    Ok(At {{ visits: at.visits, total: at.total + 1, step: PhantomData }})
}}
"#
    )
}

fn next_enum(step: &Step) -> String {
    let mut targets: Vec<usize> =
        step.outcomes.iter().filter_map(|outcome| outcome.target).collect();
    targets.sort_unstable();
    targets.dedup();
    let targets: String =
        targets.iter().map(|target| format!("    S{target}(At<S{target}>),\n")).collect();
    format!("\npub enum S{}Next {{\n{targets}    Exit(Exit),\n}}\n", step.index)
}

fn methods(step: &Step) -> String {
    let index = step.index;
    let (mut methods, mut arms) = (String::new(), String::new());
    for outcome in &step.outcomes {
        let (name, method) = (outcome.name, outcome.method);
        match outcome.target {
            Some(target) => {
                methods += &format!(
                    "    pub fn {method}(self) -> Result<At<S{target}>, Exit> {{ enter(self, Step::S{target}) }}\n"
                );
                arms += &format!(
                    "            S{index}Outcome::{name} => match enter(self, Step::S{target}) {{\n                \
                     Ok(at) => S{index}Next::S{target}(at),\n                \
                     Err(exit) => S{index}Next::Exit(exit),\n            }},\n"
                );
            }
            None => {
                methods += &format!("    pub fn {method}(self) -> Exit {{ Exit::Stopped }}\n");
                arms += &format!(
                    "            S{index}Outcome::{name} => S{index}Next::Exit(Exit::Stopped),\n"
                );
            }
        }
    }
    format!(
        "\nimpl At<S{index}> {{\n{methods}    pub fn on(self, outcome: S{index}Outcome) -> S{index}Next {{\n        \
         match outcome {{\n{arms}        }}\n    }}\n}}\n"
    )
}
