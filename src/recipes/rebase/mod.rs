//! Rebase: the current branch on top of local main.

use super::tools::{BUILD, TEST};
use crate::Tool;

pub use self::rebase_on_main::*;

/// Commands that compare branches, in addition to the git commands that every agent may run.
const COMPARE: &[Tool] = &[
    Tool::command("git merge-base *"),
    Tool::command("git range-diff *"),
    Tool::command("git grep *"),
];

surefire::recipe! {
    /// Rebase current branch on local main with conflict resolution.
    pub recipe RebaseOnMain {
        id: "rebase",
        label: "Rebase",
        tools: [read, ..TEST, ..COMPARE],
        allow_lockfiles: true,
        needs: { clean_tree },
        initial: Rebase,
        guardrails: { max_step_visits: 3, max_total_steps: 100 },
        proves: {
            exit RebaseComplete needs Review.NoIssues since Fix,
            exit RebaseComplete needs Complete.Done,
        },

        /// Rebases the branch and resolves conflicts.
        step Rebase {
            prompt: include_str!("rebase.md"),
            tools: [
                edit,
                ..BUILD,
                ..COMPARE,
                "git branch *",
                "git rebase *",
                "GIT_EDITOR=true git rebase *",
                "git add *",
                "git rm *",
            ],
            outcomes: [Complete, AskQuestions, ConflictsUnresolvable],
            Complete => Review if rebased_on_main,
            AskQuestions => exit ClarificationNeeded,
            ConflictsUnresolvable => exit ConflictsRequireHumanIntervention,
        }

        /// Reads the result and reports what is wrong with it; changes nothing.
        step Review {
            prompt: include_str!("review.md"),
            outcomes: [NoIssues, IssuesFound],
            NoIssues => Complete,
            IssuesFound(findings) => Fix,
        }

        /// Fixes what the review found.
        step Fix {
            prompt: include_str!("fix.md"),
            tools: [
                edit,
                ..BUILD,
                ..COMPARE,
                "git cherry-pick *",
                "GIT_EDITOR=true git cherry-pick *",
                "git add *",
                "git rm *",
                "git commit *",
            ],
            outcomes: [Complete],
            Complete => Review,
        }

        /// Confirms the final state of the branch and reports it.
        step Complete {
            prompt: include_str!("complete.md"),
            tools: [read, ..COMPARE],
            outcomes: [Done],
            Done => exit RebaseComplete if rebased_on_main,
        }
    }
}
