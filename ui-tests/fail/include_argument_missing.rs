surefire::steps! {
    /// Review, and fix until nothing is left to fix.
    steps review_loop(clean) {
        step Review {
            prompt: "Review.",
            outcomes: [NoIssues, IssuesFound],
            NoIssues => clean,
            IssuesFound => Fix,
        }

        step Fix {
            prompt: "Fix.",
            outcomes: [Complete],
            Complete => Review,
        }
    }
}

surefire::recipe! {
    recipe Example {
        initial: Review,
        guardrails: { max_step_visits: 3 },
        include review_loop();
    }
}

fn main() {}
