surefire::recipe! {
    /// Implements a change, reviews and tests it, and commits it.
    pub recipe Change {
        initial: Implement,
        guardrails: { max_step_visits: 3 },
        proves: {
            Commit needs Review.NoIssues since Fix,
            Commit needs Test.Passed since Fix,
            exit ChangesCommitted needs Commit.Committed,
        },

        step Implement { prompt: "Implement the task.", outcomes: [Complete], Complete => Review }
        step Review {
            prompt: "Review the changes.",
            outcomes: [NoIssues, IssuesFound],
            NoIssues => Test,
            IssuesFound => Fix,
        }
        step Fix {
            prompt: "Fix what was found.",
            outcomes: [Complete, Typo],
            Complete => Review,
            Typo => Test,
        }
        step Test { run: "cargo test", Passed => Commit, Failed => Fix }
        step Commit {
            prompt: "Commit the changes.",
            outcomes: [Committed],
            Committed => exit ChangesCommitted if commit,
        }
    }
}

fn main() {}
