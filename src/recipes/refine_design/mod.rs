//! Refine Design: five focused passes over an existing design document, and a final review.

use super::tools::{BUILD, TEST, TRACKER};

pub use self::refine_design::*;

surefire::recipe! {
    /// Iteratively improve an existing design document through focused review passes.
    pub recipe RefineDesign {
        id: "refine-design",
        label: "Refine Design",
        tools: [read, ..TRACKER],
        initial: LocateDesign,
        guardrails: { max_step_visits: 5, max_total_steps: 150 },
        proves: {
            FinalReview needs ReviewPolish.NoIssues since FixPolish,
            Commit needs ReviewCompleteness.NoIssues since FixCompleteness,
            Commit needs ReviewBreadth.NoIssues since FixBreadth,
            Commit needs ReviewSimplicity.NoIssues since FixSimplicity,
            Commit needs ReviewConsistency.NoIssues since FixConsistency,
            Commit needs FinalReview.NoIssues since FixFinal,
            exit DesignRefinedAndCommitted needs Commit.Committed,
        },

        /// Finds the document to work on.
        step LocateDesign {
            prompt: include_str!("locate-design.md"),
            outcomes: [Found, NotFound],
            Found => ReviewCompleteness,
            NotFound => exit NoDesignDocumentFound,
        }

        /// Looks for what is missing; changes nothing.
        step ReviewCompleteness {
            prompt: include_str!("review-completeness.md"),
            outcomes: [NoIssues, IssuesFound],
            NoIssues => ReviewBreadth,
            IssuesFound(findings) => FixCompleteness,
        }

        /// Fixes what that pass found.
        step FixCompleteness {
            prompt: include_str!("fix-completeness.md"),
            tools: [edit, ..TRACKER],
            outcomes: [Complete],
            Complete => ReviewCompleteness,
        }

        /// Looks at alternatives, edge cases and neighbours; changes nothing.
        step ReviewBreadth {
            prompt: include_str!("review-breadth.md"),
            outcomes: [NoIssues, IssuesFound],
            NoIssues => ReviewSimplicity,
            IssuesFound(findings) => FixBreadth,
        }

        /// Fixes what that pass found.
        step FixBreadth {
            prompt: include_str!("fix-breadth.md"),
            tools: [edit, ..TRACKER],
            outcomes: [Complete],
            Complete => ReviewBreadth,
        }

        /// Looks for what can be left out; changes nothing.
        step ReviewSimplicity {
            prompt: include_str!("review-simplicity.md"),
            outcomes: [NoIssues, IssuesFound],
            NoIssues => ReviewConsistency,
            IssuesFound(findings) => FixSimplicity,
        }

        /// Fixes what that pass found.
        step FixSimplicity {
            prompt: include_str!("fix-simplicity.md"),
            tools: [edit, ..TRACKER],
            outcomes: [Complete],
            Complete => ReviewSimplicity,
        }

        /// Looks for contradictions; changes nothing.
        step ReviewConsistency {
            prompt: include_str!("review-consistency.md"),
            outcomes: [NoIssues, IssuesFound],
            NoIssues => ReviewPolish,
            IssuesFound(findings) => FixConsistency,
        }

        /// Fixes what that pass found.
        step FixConsistency {
            prompt: include_str!("fix-consistency.md"),
            tools: [edit, ..TRACKER],
            outcomes: [Complete],
            Complete => ReviewConsistency,
        }

        /// Looks at wording, structure and examples; changes nothing.
        step ReviewPolish {
            prompt: include_str!("review-polish.md"),
            tools: [read, ..TEST],
            outcomes: [NoIssues, IssuesFound],
            NoIssues => FinalReview,
            IssuesFound(findings) => FixPolish,
        }

        /// Fixes what that pass found.
        step FixPolish {
            prompt: include_str!("fix-polish.md"),
            tools: [edit, ..BUILD],
            outcomes: [Complete],
            Complete => ReviewPolish,
        }

        /// Reads the whole document once more; changes nothing.
        step FinalReview {
            prompt: include_str!("final-review.md"),
            outcomes: [NoIssues, IssuesFound],
            NoIssues => Commit,
            IssuesFound(findings) => FixFinal,
        }

        /// Fixes what the final review found.
        step FixFinal {
            prompt: include_str!("fix-final.md"),
            tools: [edit, ..BUILD],
            outcomes: [Complete],
            Complete => FinalReview,
        }

        /// Commits the document.
        step Commit {
            prompt: include_str!("commit.md"),
            tools: ["git add *", "git commit *"],
            outcomes: [Committed, NothingToCommit],
            Committed => exit DesignRefinedAndCommitted if commit,
            NothingToCommit => exit NoChangesToCommit if no_commit && clean,
        }
    }
}
