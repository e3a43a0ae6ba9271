surefire::recipe! {
    recipe Example {
        id: 5,
        initial: Work,
        guardrails: { max_restarts: 2 },

        step Work {
            prompt: "Work.",
            outcomes: [Complete, Again, Blocked],
            Complete => exit TaskCommitted,
            Again => restart 5,
            Blocked => 5,
        }
    }
}

fn main() {}
