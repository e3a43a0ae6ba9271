surefire::recipe! {
    recipe Example {
        initial: Work,
        guardrails: { max_step_visits: 3 },

        step Work {
            prompt: "Work.",
            outcomes: [Complete, Again],
            Complete => exit TaskCommitted,
            Again => Work,
        }
    }
}

fn main() {
    let work = Example::begin();
    if let example::WorkNext::End(end) = work.on(example::WorkOutcome::Again) {
        match end {
            example::End::TaskCommitted | example::End::UserProvidedOther => {}
        }
    }
}
