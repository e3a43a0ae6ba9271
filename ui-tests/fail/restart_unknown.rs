surefire::recipe! {
    recipe Example {
        initial: Work,
        guardrails: { max_restarts: 3 },

        step Work {
            prompt: "Work.",
            outcomes: [Complete],
            Complete => restart Nowhere,
        }

    }
}

fn main() {}
