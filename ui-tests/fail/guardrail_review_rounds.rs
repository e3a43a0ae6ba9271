surefire::recipe! {
    recipe Nothing {
        initial: Review,
        guardrails: { max_step_visits: 3, max_review_rounds: 3 },
        step Review {
            prompt: "Review.",
            outcomes: [NoIssues, IssuesFound],
            NoIssues => exit ChangesCommitted,
            IssuesFound => Review,
        }
    }
}

surefire::recipe! {
    recipe Zero {
        initial: Review,
        guardrails: { max_step_visits: 3, max_review_rounds: 0 },
        step Review {
            prompt: "Review.",
            outcomes: [NoIssues, IssuesFound],
            NoIssues => exit ChangesCommitted,
            IssuesFound(findings) => Review,
        }
    }
}

surefire::recipe! {
    recipe Misspelt {
        initial: Review,
        guardrails: { max_step_visits: 3, max_review_round: 2, max_review_rounds: true },
        step Review {
            prompt: "Review.",
            outcomes: [NoIssues, IssuesFound],
            NoIssues => exit ChangesCommitted,
            IssuesFound(findings) => Review,
        }
    }
}

fn main() {
    drop((Nothing::begin(), Zero::begin(), Misspelt::begin()));
}
