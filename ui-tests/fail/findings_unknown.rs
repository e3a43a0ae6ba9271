surefire::recipe! {
    recipe Example {
        initial: Review,
        guardrails: { max_step_visits: 3, max_review_rounds: 3 },
        step Review {
            prompt: "Review.",
            outcomes: [NoIssues, Minor, Major, Fatal, Odd],
            NoIssues => exit ChangesCommitted,
            Minor(finding) => Review,
            Major(report) => Review,
            Fatal() => exit ReviewRejected,
            Odd(findings, files) -> exit ReviewRejected,
        }
    }
}

fn main() {
    let _ = Example::begin().fatal();
}
