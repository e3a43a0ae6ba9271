//! A claim is written in the words of another language.

surefire::recipe! {
    pub recipe Ship {
        initial: Review,
        guardrails: { max_step_visits: 3 },
        proves: {
            Commit requires Review.NoIssues,
            Commit needs Review::NoIssues after Fix,
            Fix needs Review.IssuesFound || Fix.Complete,
            Review.NoIssues => Commit,
            exit TaskCommitted needs NoIssues,
            exit TaskCommitted needs Review.NoIssues && Commit.Committed,
            exit ReviewRejected needs Fix.Stuck
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
