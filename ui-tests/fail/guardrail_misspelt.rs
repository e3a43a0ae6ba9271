surefire::recipe! {
    recipe Example {
        initial: Work,
        guardrails: { max_visits: 3 },

        step Work {
            prompt: "Work.",
            outcomes: [Complete, Again],
            Complete => exit TaskCommitted,
            Again => Work,
        }

    }
}

fn main() {}
