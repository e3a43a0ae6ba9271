surefire::recipe! {
    recipe Example {
        initial: Review,
        guardrails: { max_step_visits: 3 },

        step Review {
            prompt: "Review.",
            outcomes: [IssuesFound],
            IssuesFound => Fix,
        }

        step Fix {
            prompt: "Fix.",
            outcomes: [Complete],
            Complete => Review,
        }

    }
}

fn main() {}
