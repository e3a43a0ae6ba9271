//! A release train: what is ready goes on it, and nothing leaves before every gate has passed.
//!
//! ```sh
//! cargo run --example release_train -- show release-train
//! cargo run --example release_train -- run release-train --rehearse \
//!     "collected, passed, no-issues, committed, passed, passed, passed, nothing-new"
//! ```
//!
//! Three gates are commands: the tests, a dry run of the package, and `release/sign-off`. The last
//! one is the project's own: it may ask for a file that a person writes, or for the result of a
//! pipeline. For a real run the project also needs `release/publish`, which tags and uploads.

use std::process::ExitCode;

surefire::recipe! {
    /// Collects what is ready, tests and reviews it, and publishes it once it is signed off. Then
    /// the next train is prepared, until nothing new is left.
    pub recipe ReleaseTrain {
        initial: Collect,
        guardrails: { max_step_visits: 4, max_restarts: 5 },
        scope: { deny: ["release/**"] }, // the gates are not the agent's to change
        allow_lockfiles: true,
        needs: { clean_tree },
        proves: {
            // Checked by commands, so these are facts and not reports.
            Commit needs Test.Passed since Repair,
            Commit needs Test.Passed since Revise,
            Publish needs Package.Passed since Commit,
            Publish needs SignOff.Passed since Commit,
            restart ReleaseTrain needs Publish.Passed,
            // As a reviewer reports it: what changed after the review was reviewed again.
            Publish needs Review.NoIssues since Repair,
            Publish needs Review.NoIssues since Revise,
        },

        /// Decides what goes on this train.
        step Collect {
            prompt: "Look at what was merged since the last tag. Choose the next version, write it \
                     into the manifest, and add the changes to the changelog as a user notices \
                     them. Do not commit.",
            tools: [edit, "git log *", "git diff *", "git tag --list *", "cargo update *"],
            outcomes: [
                /// There is something to release, and version and changelog say so.
                Collected,
                /// Nothing was merged since the last tag that a user would notice.
                NothingNew,
            ],
            Collected => Test,
            NothingNew => exit NoChangesToCommit if no_commit && clean,
        }

        step Test { run: "cargo test --workspace", time: 30m, Passed => Review, Failed => Repair }

        /// Repairs what a gate found. After three times, the train is given up.
        step Repair {
            prompt: "The last command failed. Repair the cause; if that is not small, take the \
                     change off this train and out of the changelog. Do not commit.",
            max_visits: 3 => exit ImplementationBlocked,
            tools: [edit, "cargo *", "git log *", "git diff *", "git revert --no-commit *"],
            outcomes: [Repaired, TakenOff],
            Repaired | TakenOff => Test,
        }

        /// Compares the changelog with the changes.
        step Review {
            prompt: "Compare the changelog and the version with what changed since the last tag. \
                     Is each entry true, is any missing, does the version fit? Change nothing.",
            tools: ["git log *", "git diff *"],
            outcomes: [NoIssues, IssuesFound],
            NoIssues => Commit,
            IssuesFound(findings) => Revise,
        }

        step Revise {
            prompt: "Correct what the review found.",
            tools: [edit, "git log *", "git diff *"],
            outcomes: [Revised],
            Revised => Test,
        }

        step Commit {
            prompt: "Commit everything as the release of this version.",
            tools: ["git add *", "git commit *"],
            outcomes: [Committed],
            Committed => Package if commit && clean,
        }

        step Package { run: "cargo publish --dry-run", time: 30m, Passed => SignOff, Failed => Repair }

        /// No agent can open this gate, and none is asked.
        step SignOff { run: "release/sign-off", time: 1m, Passed => Publish, Failed => exit ReviewRejected }

        step Publish { run: "release/publish", time: 30m, Passed => restart ReleaseTrain, Failed => exit WorkerBlocked }
    }
}

fn main() -> ExitCode {
    surefire::cli::main(surefire::catalog![ReleaseTrain])
}

#[cfg(test)]
mod tests {
    use surefire::ClaimBasis;
    use surefire::paths::{Coverage, assert_path};

    use super::ReleaseTrain;

    /// From the first step to the gates.
    const COMMITTED: &str = "collected, passed, no-issues, committed";

    #[test]
    fn a_train_leaves_when_every_gate_has_passed() {
        let mut coverage = Coverage::of(&ReleaseTrain);
        for (outcomes, end) in [
            ("nothing-new", "exit no-changes-to-commit"),
            ("collected, failed, repaired, passed", "review"),
            ("collected, failed, taken-off, passed", "review"),
            ("collected, passed, issues-found, revised", "test"),
            (&format!("{COMMITTED}, failed, repaired, passed, no-issues"), "commit"),
            (&format!("{COMMITTED}, passed, failed"), "exit review_rejected"),
            (&format!("{COMMITTED}, passed, passed, failed"), "exit worker_blocked"),
            (&format!("{COMMITTED}, passed, passed, passed"), "restart release-train"),
            (
                &format!("{COMMITTED}, passed, passed, passed, nothing-new"),
                "exit no-changes-to-commit",
            ),
        ] {
            coverage.add(&assert_path(&ReleaseTrain, outcomes, end));
        }
        // What takes many rounds, the library finds.
        coverage.extend(ReleaseTrain::paths());
        assert!(coverage.is_complete(), "{coverage}");
    }

    #[test]
    fn a_train_that_cannot_be_repaired_stays() {
        let repairs = ["failed, repaired"; 3].join(", ");
        assert_path(
            &ReleaseTrain,
            &format!("collected, {repairs}, failed"),
            "exit implementation-blocked",
        );
    }

    #[test]
    fn the_gates_are_facts() {
        let outline = ReleaseTrain::OUTLINE;
        let commands =
            outline.claims.iter().filter(|claim| claim.basis(outline) == ClaimBasis::Command);
        assert_eq!(commands.count(), 5);
    }
}
