surefire::recipe! {
    recipe Example {
        initial: Work,
        guardrails: { max_step_visits: 3 },

        step Work {
            prompt: "Work.",
            outcomes: [Again],
            Again => Work,
        }

    }
}

fn main() {}
