//! The machine in `smlang`, twice: the graph alone, and with the limits that every other contender
//! has.
//!
//! Its guards and actions don't know the target, so the limits need a guard and two actions per
//! step, as in the machine whose transitions are counted.

use super::graph;

pub fn dependencies() -> String {
    "smlang = \"0.8.0\"\n".into()
}

/// States, events and where they lead, without limits.
pub fn graph_only(steps: usize) -> String {
    let lines = lines(steps, |from, outcome, target| match target {
        Some(target) => format!("{from} + {outcome} = S{target},"),
        None => format!("{from} + {outcome} = Exited,"),
    });
    format!("smlang::statemachine! {{\n    transitions: {{\n{lines}    }}\n}}\n")
}

/// The same with visits and steps counted and bounded.
pub fn with_limits(steps: usize) -> String {
    let lines = lines(steps, |from, outcome, target| match target {
        Some(target) => format!(
            "{from} + {outcome} [may_enter_{target}] / enter_{target} = S{target},\n        \
             {from} + {outcome} / trip_{target} = Exited,"
        ),
        None => format!("{from} + {outcome} / stop = Exited,"),
    });
    let mut methods = String::new();
    for step in 0..steps {
        methods += &format!(
            "    fn may_enter_{step}(&self) -> Result<bool, ()> {{ Ok(self.check({step}).is_ok()) }}\n    \
             fn enter_{step}(&mut self) -> Result<(), ()> {{ self.count({step}) }}\n    \
             fn trip_{step}(&mut self) -> Result<(), ()> {{ self.trip({step}) }}\n"
        );
    }
    format!(
        r"smlang::statemachine! {{
    transitions: {{
{lines}    }}
}}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {{ Stopped, MaxStepVisits(usize), MaxTotalSteps }}

pub struct Ledger {{
    visits: [u32; {steps}],
    total: u32,
    pub exit: Option<Exit>,
}}

impl Ledger {{
    pub fn new() -> Self {{
        let mut visits = [0; {steps}];
        visits[0] = 1;
        Ledger {{ visits, total: 1, exit: None }}
    }}

    fn check(&self, step: usize) -> Result<(), Exit> {{
        if self.visits[step] >= 3 {{
            return Err(Exit::MaxStepVisits(step));
        }}
        if self.total >= 10_000 {{
            return Err(Exit::MaxTotalSteps);
        }}
        Ok(())
    }}

    fn count(&mut self, step: usize) -> Result<(), ()> {{
        self.visits[step] += 1;
        self.total += 1;
        Ok(())
    }}

    fn trip(&mut self, step: usize) -> Result<(), ()> {{
        self.exit = self.check(step).err();
        Ok(())
    }}
}}

impl StateMachineContext for Ledger {{
    fn stop(&mut self) -> Result<(), ()> {{
        self.exit = Some(Exit::Stopped);
        Ok(())
    }}
{methods}}}
"
    )
}

fn lines(steps: usize, line: impl Fn(&str, &str, Option<usize>) -> String) -> String {
    let mut lines = String::new();
    for step in graph::steps(steps) {
        for outcome in &step.outcomes {
            // The star marks the initial state, at its first mention.
            let star = if lines.is_empty() { "*" } else { "" };
            let from = format!("{star}S{}", step.index);
            let text =
                line(&from, outcome.name, outcome.target).replace("\n        *", "\n        ");
            lines += &format!("        {text}\n");
        }
    }
    lines
}
