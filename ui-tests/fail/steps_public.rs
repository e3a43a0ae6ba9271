surefire::steps! {
    pub steps review_loop(clean) {
        step Review {
            prompt: "Review.",
            outcomes: [NoIssues, Unclear],
            NoIssues => clean,
            Unclear => restart Example,
        }
    }
}

surefire::recipe! {
    recipe Example {
        initial: Review,
        guardrails: { max_restarts: 3 },
        include review_loop(clean => exit TaskCommitted);
    }
}

fn main() {}
