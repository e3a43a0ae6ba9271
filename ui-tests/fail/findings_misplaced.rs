surefire::steps! {
    /// Mistakes in shared steps are told once, where they are written.
    steps review(clean) {
        step Review {
            prompt: "Review.",
            outcomes: [NoIssues, IssuesFound(findings)],
            NoIssues => clean,
            IssuesFound(findigs) => exit ReviewRejected,
        }
    }
}

surefire::recipe! {
    recipe Example {
        initial: Test,
        guardrails: { max_review_rounds: 3 },
        step Test { run: "cargo test", Passed => Work, Failed(findings) => exit ImplementationBlocked }
        step Work {
            prompt: "Work.",
            outcomes: [Complete(findings), Blocked, Other],
            Complete => Review,
            Blocked => exit ImplementationBlocked,
            Other(findings) => exit ReviewRejected,
        }
        include review(clean(findings) => exit TaskCommitted);
    }
}

fn main() {
    drop(Example::begin());
}
