//! A part of a claim changes nothing.

surefire::recipe! {
    pub recipe Ship {
        initial: Review,
        guardrails: { max_step_visits: 3 },
        proves: {
            exit ReviewRejected needs Review.IssuesFound since Commit,
            exit TaskCommitted needs Review.NoIssues | Fix.Stuck,
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
