surefire::recipe! {
    recipe Example {
        initial: Plan,

        step Plan {
            prompt: "Plan.",
            outcomes: [Complete],
            Complete => Review,
        }

        step Review {
            prompt: "Review.",
            outcomes: [NoIssues, IssuesFound],
            NoIssues => exit TaskCommitted,
            IssuesFound => FixReview,
        }

    }
}

fn main() {}
