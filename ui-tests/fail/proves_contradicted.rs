//! Something that a recipe claims does not hold on every path.

surefire::recipe! {
    pub recipe Ship {
        initial: Implement,
        guardrails: { max_step_visits: 3, max_restarts: 2 },
        proves: {
            Commit needs CodeReview.NoIssues since Fix,
            exit TaskCommitted needs CodeReview.NoIssues | Fix.Small,
            restart Ship needs Commit.Committed,
            Implement needs CodeReview.NoIssues,
        },

        step Implement {
            prompt: "Implement the task.",
            outcomes: [Complete, Trivial, StartOver],
            Complete => CodeReview,
            Trivial => Commit,
            StartOver => restart Ship,
        }
        step CodeReview {
            prompt: "Review the changes.",
            outcomes: [NoIssues, IssuesFound],
            NoIssues => Commit,
            IssuesFound => Fix,
        }
        step Fix {
            prompt: "Fix what the review found.",
            outcomes: [Large, Small],
            Large => CodeReview,
            Small => Commit,
        }
        step Commit {
            prompt: "Commit the changes.",
            outcomes: [Committed],
            Committed => exit TaskCommitted,
        }
    }
}

surefire::recipe! {
    pub recipe Patch {
        initial: CodeReview,
        guardrails: { max_step_visits: 3 },
        proves: { Commit needs CodeReview.NoIssues since Fix },

        step CodeReview {
            prompt: "Review the changes.",
            outcomes: [NoIssues, IssuesFound],
            NoIssues => Commit,
            IssuesFound => Fix,
        }
        step Fix {
            prompt: "Fix what the review found.",
            outcomes: [Large, Small],
            Large => CodeReview,
            Small => Commit,
        }
        step Commit {
            prompt: "Commit the changes.",
            outcomes: [Committed],
            Committed => exit TaskCommitted,
        }
    }
}

surefire::recipe! {
    pub recipe Hurry {
        initial: Implement,
        guardrails: { max_step_visits: 9 },
        proves: { Commit needs CodeReview.NoIssues },

        step Implement { prompt: "Implement the task.", outcomes: [Complete], Complete => CodeReview }
        step CodeReview {
            prompt: "Review the changes.",
            max_visits: 3 => Commit,
            outcomes: [NoIssues, IssuesFound],
            NoIssues => Commit,
            IssuesFound => Implement,
        }
        step Commit {
            prompt: "Commit the changes.",
            outcomes: [Committed],
            Committed => exit TaskCommitted,
        }
    }
}

fn main() {}
