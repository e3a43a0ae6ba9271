surefire::recipe! {
    recipe Example {
        initial: Work,
        guardrails: { max_step_visits: 0, max_total_steps: 0 },

        step Work {
            prompt: "Work.",
            outcomes: [Complete],
            Complete => Commit,
        }

        step Commit {
            prompt: "Commit.",
            outcomes: [Committed],
            Committed => exit TaskCommitted,
        }
    }
}

fn main() {}
