//! A loop that never commits, so that its guardrail can be seen: `cargo run --example mvp_loop`.
//!
//! No issues lead back to the next task, and only `other` ends it. That is a trap unless `Other` is
//! written out: the implied one does not count as a way out.

use surefire::{Next, Position};

surefire::recipe! {
    /// Implement task, review, and fix issues in a loop.
    pub recipe ImplementNextTask {
        label: "Implement next task",
        initial: Implement,
        guardrails: { max_total_steps: 5 },

        step Implement {
            prompt: "Run bd ready and implement the task.",
            outcomes: [Complete, Other],
            Complete => CodeReview,
            Other => exit UserProvidedOther,
        }

        step CodeReview {
            prompt: "Perform a code review on the task that you just completed.",
            outcomes: [NoIssues, IssuesFound],
            NoIssues => Implement,
            IssuesFound => Fix,
        }

        step Fix {
            prompt: "Address the issues found.",
            outcomes: [Complete],
            Complete => CodeReview,
        }
    }
}

fn main() -> Result<(), surefire::UnknownName> {
    let mut position = Position::<ImplementNextTask>::begin();
    println!("1. {}", position.outline().name);
    for outcome in ["complete", "issues-found", "complete", "no-issues", "complete"] {
        match position.report(outcome)? {
            Next::Step(step) => println!("{}. {} (after {outcome})", position.steps(), step.name),
            Next::Restart(restart) => println!("restart: {}", restart.recipe.outline().id),
            Next::Exit(exit) => {
                println!("{} [{}]: {}", exit.code(), exit.category(), exit.message());
                println!("{}", exit.definition().hint);
            }
        }
    }
    Ok(())
}
