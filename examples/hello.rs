//! A recipe of two steps, walked through with the typed form: `cargo run --example hello`.

use surefire::Tripped;

surefire::recipe! {
    /// Writes a greeting and has it checked.
    pub recipe Hello {
        initial: Write,
        guardrails: { max_step_visits: 3 },

        /// Writes the greeting.
        step Write {
            prompt: "Write a greeting for a newcomer to this project.",
            outcomes: [Complete],
            Complete => Check,
        }

        /// Reads it as the newcomer would.
        step Check {
            prompt: "Read the greeting as a newcomer would. Is it friendly, and is it true?",
            outcomes: [NoIssues, IssuesFound],
            NoIssues => exit ChangesCommitted,
            IssuesFound => Write,
        }
    }
}

fn main() -> Result<(), Tripped> {
    println!("{} takes at most {} steps.", Hello::OUTLINE.label, Hello::MAX_STEPS);

    // The agent writes, the check finds something, the agent writes again, and then all is well.
    // Each call consumes the run; `?` would return a tripped guardrail.
    let check = Hello::begin().complete()?;
    println!("now at: {}", check.position().outline().name);
    let write = check.issues_found()?;
    println!("back at: {}", write.position().outline().name);
    let exit = write.complete()?.no_issues();

    // `Hello::begin().no_issues()` does not compile: a run at `Write` has no such outcome.
    println!("{}: {}", exit.code(), exit.message());
    Ok(())
}
