surefire::recipe! {
    recipe Example {
        initial: Work,
        guardrails: { max_step_visits: 3 },

        step Work {
            prompt: "Work.",
            outcomes: [Complete, Blocked],
            Complete => Review,
            Blocked => exit ImplementationBlocked,
        }

        step Review {
            prompt: "Review.",
            outcomes: [IssuesFound, Unsure],
            IssuesFound => Fix,
            Unsure => Review,
        }

        step Fix {
            prompt: "Fix.",
            outcomes: [Complete],
            Complete => Review,
        }

    }
}

fn main() {}
