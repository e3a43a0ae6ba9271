//! Rebase: the current branch on top of local main.

pub use self::rebase_on_main::*;

surefire::recipe! {
    /// Rebase current branch on local main with conflict resolution.
    pub recipe RebaseOnMain {
        id: "rebase",
        label: "Rebase",
        initial: Rebase,
        guardrails: { max_step_visits: 3, max_total_steps: 100 },

        /// Rebases the branch and resolves conflicts.
        step Rebase {
            prompt: include_str!("rebase.md"),
            outcomes: [Complete, AskQuestions, ConflictsUnresolvable],
            Complete => Review,
            AskQuestions => exit ClarificationNeeded,
            ConflictsUnresolvable => exit ConflictsRequireHumanIntervention,
        }

        /// Reads the result and reports what is wrong with it; changes nothing.
        step Review {
            prompt: include_str!("review.md"),
            outcomes: [NoIssues, IssuesFound],
            NoIssues => Complete,
            IssuesFound => Fix,
        }

        /// Fixes what the review found.
        step Fix {
            prompt: include_str!("fix.md"),
            outcomes: [Complete],
            Complete => Review,
        }

        /// Checks that the branch is as it should be, and says so.
        step Complete {
            prompt: include_str!("complete.md"),
            outcomes: [Done],
            Done => exit RebaseComplete,
        }
    }
}
