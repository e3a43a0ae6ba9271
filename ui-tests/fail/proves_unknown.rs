//! A claim names something that the recipe does not have.

surefire::recipe! {
    pub recipe Ship {
        initial: Review,
        guardrails: { max_step_visits: 3 },
        proves: {
            Comit needs Review.NoIssues,
            Commit needs Revew.NoIssues,
            Commit needs Review.NoIssue,
            Commit needs Review.NoIssues since Fxi,
            exit TaskComitted needs Review.NoIssues,
            TaskCommitted needs Review.NoIssues,
            restart Ship needs Review.NoIssues,
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
