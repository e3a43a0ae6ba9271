surefire::steps! {
    steps review_loop(clean) {
        step Review {
            prompt: "",
            outcomes: [NoIssues, IssuesFound]
            NoIssues => clean,
            IssuesFound -> Fix,
        }

        step Fix {
            prompt: include_str!("prompts/werk.md"),
            outcomes: [Complete],
            Complete => Review,
        }
    }
}

surefire::recipe! {
    recipe Example {
        initial: Review,
        guardrails: { max_step_visits: 3 },
        include review_loop(clean => exit TaskCommitted);
    }
}

fn main() {}
