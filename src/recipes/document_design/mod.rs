//! Document Design: from an idea to a design document.

use super::tools::{BUILD, TEST};

pub use self::document_design::*;

surefire::recipe! {
    /// Create a detailed design document with examples and verification.
    pub recipe DocumentDesign {
        id: "document-design",
        label: "Document Design",
        model: "opus",
        initial: Document,
        guardrails: { max_step_visits: 3, max_total_steps: 100 },
        proves: {
            Commit needs Review.NoIssues since Fix,
            exit DesignCommitted needs Commit.Committed,
        },

        /// Writes the design document.
        step Document {
            prompt: include_str!("document.md"),
            tools: [edit, ..BUILD],
            outcomes: [Complete, NeedsInput],
            Complete => Review,
            NeedsInput => exit ClarificationNeeded,
        }

        /// Reads the document and reports what is wrong with it; changes nothing.
        step Review {
            prompt: include_str!("review.md"),
            tools: [read, ..TEST],
            outcomes: [NoIssues, IssuesFound],
            NoIssues => Commit,
            IssuesFound(findings) => Fix,
        }

        /// Fixes what the review found.
        step Fix {
            prompt: include_str!("fix.md"),
            tools: [edit, ..BUILD],
            outcomes: [Complete],
            Complete => Review,
        }

        /// Commits the document.
        step Commit {
            prompt: include_str!("commit.md"),
            tools: ["git add *", "git commit *"],
            outcomes: [Committed, NothingToCommit],
            Committed => exit DesignCommitted if commit,
            NothingToCommit => exit NoChangesToCommit if no_commit && clean,
        }
    }
}
