//! A test-first loop: a test is seen failing before anything is implemented, and seen passing
//! before anything is cleaned up. The engine looks, and not the agent.
//!
//! ```sh
//! cargo run --example test_first_loop -- show test-first
//! cargo run --example test_first_loop -- run test-first --rehearse \
//!     "written, failed, complete, failed, complete, passed, cleaner, passed, committed, nothing-missing"
//! cargo run --example test_first_loop -- run test-first "what a cart with a voucher costs"
//! ```
//!
//! The last one is the real thing: it needs Claude Code, and a Rust project in git with its tests
//! in `tests/`.

use std::process::ExitCode;

surefire::recipe! {
    /// Adds one behaviour after the other: a failing test, the code that makes it pass, and then
    /// better code that still passes.
    pub recipe TestFirst {
        initial: WriteTest,
        guardrails: { max_step_visits: 5, max_restarts: 20 },
        needs: { clean_tree, task },
        proves: {
            // All of these rest on commands: what is claimed has happened.
            Implement needs SeenFailing.Failed since WriteTest,
            Implement needs SeenFailing.Failed since Sharpen,
            Refactor needs SeenPassing.Passed since Implement,
            Commit needs StillPassing.Passed since Refactor,
            restart TestFirst needs SeenFailing.Failed,
            restart TestFirst needs StillPassing.Passed since Implement,
        },

        /// Commits a test that fails. It has to compile, or it would fail for another reason.
        step WriteTest {
            prompt: "Find the next behaviour that the task asks for and no test in `tests/` covers. \
                     Write one test for it. If it needs a function that does not exist yet, add its \
                     signature with `todo!()`. Change nothing else, and commit.",
            tools: [edit, "cargo test --no-run *", "git add *", "git commit *"],
            verify: ["cargo test --no-run"],
            outcomes: [
                Written,
                /// Tests cover all that the task asks for.
                NothingMissing,
            ],
            Written => SeenFailing if commit && clean,
            NothingMissing => exit NoTasksAvailable if no_commit && clean,
        }

        /// Here a failure leads on.
        step SeenFailing { run: "cargo test", time: 10m, Failed => Implement, Passed => Sharpen }

        /// A test that passes before there is anything to test says nothing.
        step Sharpen {
            prompt: "The new test passes although nothing is implemented yet, so it does not test \
                     the new behaviour. Correct the test and commit it.",
            max_visits: 2 => exit ClarificationNeeded,
            tools: [edit, "cargo test *", "git add *", "git commit *"],
            verify: ["cargo test --no-run"],
            outcomes: [Sharpened],
            Sharpened => SeenFailing if commit && clean,
        }

        step Implement {
            prompt: "Make the failing test pass with as little code as it takes. Do not change \
                     anything in `tests/`, and do not commit.",
            max_visits: 4 => exit ImplementationBlocked,
            tools: [edit, "cargo *"],
            outcomes: [Complete],
            Complete => SeenPassing,
        }

        /// The test that was seen failing is the one that passes: `tests/` is as it was committed.
        step SeenPassing {
            run: "git diff --exit-code HEAD -- tests && cargo test",
            time: 10m,
            Passed => Refactor,
            Failed => Implement,
        }

        step Refactor {
            prompt: "All tests pass. Say it better: names, duplicates, needless cases. Do not change \
                     what the code does, nor anything in `tests/`, and do not commit.",
            tools: [edit, "cargo *"],
            outcomes: [Cleaner, NothingToClean],
            Cleaner | NothingToClean => StillPassing,
        }

        step StillPassing {
            run: "git diff --exit-code HEAD -- tests && cargo test",
            time: 10m,
            Passed => Commit,
            Failed => Refactor,
        }

        /// The next behaviour begins in a fresh conversation.
        step Commit {
            prompt: "Commit the implementation.",
            tools: ["git add *", "git commit *"],
            outcomes: [Committed],
            Committed => restart TestFirst if commit && clean,
        }
    }
}

fn main() -> ExitCode {
    surefire::cli::main(surefire::catalog![TestFirst])
}

#[cfg(test)]
mod tests {
    use surefire::paths::{Coverage, RunPath, assert_path};
    use surefire::{ClaimBasis, Next};

    use super::TestFirst;

    #[test]
    fn a_behaviour_is_tested_implemented_and_cleaned_up() {
        let mut coverage = Coverage::of(&TestFirst);
        for (outcomes, end) in [
            ("nothing-missing", "exit no-tasks-available"),
            // A test that passes at once is corrected, and looked at again.
            ("written, passed, sharpened, failed", "implement"),
            ("written, passed, sharpened, passed, sharpened, passed", "exit clarification-needed"),
            ("written, failed, complete, failed, complete, passed", "refactor"),
            (
                "written, failed, complete, failed, complete, failed, complete, failed, complete, failed",
                "exit implementation-blocked",
            ),
            (
                "written, failed, complete, passed, cleaner, failed, nothing-to-clean, passed",
                "commit",
            ),
            (
                "written, failed, complete, passed, cleaner, passed, committed, nothing-missing",
                "exit no-tasks-available",
            ),
        ] {
            coverage.add(&assert_path(&TestFirst, outcomes, end));
        }
        let missing: Vec<_> = coverage.missing().map(|goal| goal.to_string()).collect();
        assert_eq!(missing, ["the guardrail max_step_visits", "the guardrail max_restarts"]);
    }

    #[test]
    fn a_refactoring_that_never_passes_and_a_chain_without_end_are_stopped() {
        let ends: Vec<_> = TestFirst::paths().iter().map(RunPath::end).collect();
        let stopped = |code: &str| {
            ends.iter().any(|end| matches!(end, Next::Exit(exit) if exit.code() == code))
        };
        assert!(stopped("max-step-visits-exceeded:refactor"), "{ends:?}");
        assert!(stopped("max-restarts"), "{ends:?}");
    }

    #[test]
    fn every_claim_rests_on_a_command() {
        let outline = TestFirst::OUTLINE;
        for claim in outline.claims {
            assert_eq!(claim.basis(outline), ClaimBasis::Command, "{}", claim.in_words(outline));
        }
    }
}
