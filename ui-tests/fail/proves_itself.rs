//! A claim is about itself, is written twice, or there is none.

surefire::recipe! {
    pub recipe Ship {
        initial: Review,
        guardrails: { max_step_visits: 3 },
        proves: {
            Commit needs Commit.Committed,
            exit TaskCommitted needs Review.NoIssues since Fix,
            exit TaskCommitted needs Review.NoIssues since Fix,
        },

        step Review {
            prompt: "Review the changes.",
            outcomes: [NoIssues, IssuesFound],
            NoIssues => Commit,
            IssuesFound => Fix,
        }
        step Fix {
            prompt: "Fix what the review found.",
            outcomes: [Complete, Stuck],
            Complete => Review,
            Stuck => exit ReviewRejected,
        }
        step Commit {
            prompt: "Commit the changes.",
            outcomes: [Committed],
            Committed => exit TaskCommitted,
        }
    }
}

fn main() {}
