surefire::recipe! {
    recipe Example {
        inital: Work,
        guardrail: { max_step_visits: 3 },

        step Work {
            promt: "Work.",
            outcome: [Complete, Again],
            Complete => exit TaskCommitted,
            Again => Work,
        }
    }
}

fn main() {}
