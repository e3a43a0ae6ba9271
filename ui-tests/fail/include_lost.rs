//! Steps that could not be included are not reported once more where they are named.

surefire::steps! {
    steps review_loop(clean) {
        step Review {
            prompt: "Review.",
            outcomes: [NoIssues, IssuesFound],
            NoIssues => clean,
            IssuesFound => Fix,
        }
        step Fix { prompt: "Fix.", outcomes: [Complete], Complete => Review }
    }
}

surefire::recipe! {
    recipe Ship {
        initial: Work,
        guardrails: { max_step_visits: 3 },
        proves: { exit TaskCommitted needs Review.NoIssues since Fix },
        step Work { prompt: "Work.", outcomes: [Complete], Complete => Review }
        use review_loop(clean => exit TaskCommitted);
    }
}

fn main() {
    let _ = Ship::begin().complete();
}
