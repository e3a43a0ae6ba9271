//! Drives a recipe by the outcomes that are known at run time only, in the typed form:
//! `cargo run --example typed_driver`.

use std::ops::ControlFlow;

use surefire::{ExitReason, UnknownName};

surefire::recipe! {
    /// Translates a chapter, and has it checked by a reader.
    pub recipe Translate {
        initial: Draft,
        guardrails: { max_step_visits: 3, max_total_steps: 50, max_restarts: 2 },

        step Draft {
            prompt: "Translate the next chapter.",
            outcomes: [Complete, NoneLeft],
            Complete => Check,
            NoneLeft => exit NoTasksAvailable,
        }
        step Check {
            prompt: "Read it as a native speaker. What sounds translated?",
            outcomes: [Fluent, Stilted],
            Fluent => restart Translate,
            Stilted => Draft,
        }
    }
}

use translate::{AnyStep, End};

/// The loop: the same for any number of steps.
fn drive(mut step: AnyStep, agent: &mut Agent) -> Result<End, UnknownName> {
    loop {
        let outcome = agent.ask(&step);
        match step.report(outcome)? {
            ControlFlow::Continue(next) => step = next,
            ControlFlow::Break(end) => break Ok(end),
        }
    }
}

fn main() -> Result<(), UnknownName> {
    let mut agent = Agent { chapters: 2 };
    let mut step = AnyStep::from(Translate::begin());
    // Every end of the recipe, and no `_`: with another one, this would not compile. There is none
    // for `max_total_steps`, which is proven never to trip.
    loop {
        match drive(step, &mut agent)? {
            End::Translate(restart) => step = restart.begin().into(),
            End::NoTasksAvailable => break println!("all chapters are translated"),
            End::UserProvidedOther => break println!("the agent stopped"),
            End::MaxStepVisits(tripped) => break println!("no progress: {tripped}"),
            End::MaxRestarts(tripped) => break println!("to be continued: {tripped}"),
        }
    }
    // The same for people and scripts, whichever end it is.
    assert_eq!(End::NoTasksAvailable.exit().reason(), Some(ExitReason::NoTasksAvailable));
    Ok(())
}

/// Stands for an agent: it translates each chapter without a fault.
struct Agent {
    chapters: u32,
}

impl Agent {
    fn ask(&mut self, step: &AnyStep) -> &'static str {
        println!("{}", step.position().outline().prompt);
        match step {
            AnyStep::Draft(_) if self.chapters == 0 => "none-left",
            AnyStep::Draft(_) => {
                self.chapters -= 1;
                "complete"
            }
            AnyStep::Check(_) => "fluent",
        }
    }
}
