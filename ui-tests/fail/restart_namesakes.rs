mod elsewhere {
    surefire::recipe! {
        pub recipe Example {
            initial: Work,
            step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
        }
    }
}

surefire::recipe! {
    recipe Example {
        initial: Work,
        guardrails: { max_restarts: 3 },

        step Work {
            prompt: "Work.",
            outcomes: [Complete, Again],
            Complete => restart Example,
            Again => restart elsewhere::Example,
        }

    }
}

fn main() {}
