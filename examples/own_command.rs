//! The whole `surefire` command for recipes of your own:
//!
//! ```sh
//! cargo run --example own_command -- run check-release --rehearse happy
//! cargo run --example own_command -- show check-release
//! cargo run --example own_command -- --help
//! ```

use std::process::ExitCode;

surefire::recipe! {
    /// Looks at a release before it goes out, and says what stands in its way.
    recipe CheckRelease {
        initial: Check,
        guardrails: { max_total_steps: 3 },

        /// Checks everything that a person would check, again after each fix.
        step Check {
            prompt: "Check whether this release can go out: the notes, the version, what is still open.",
            // Only the agent can report these: nothing in the working directory shows them. What is
            // written about an outcome tells the agent when to choose it.
            outcomes: [
                /// Nothing stands in its way.
                Ready,
                /// Something stood in its way and you fixed it; it is checked once more.
                Mended,
                /// Something stands in its way that only a person may decide.
                Rejected,
                /// The check itself cannot be done, for instance because a tool is missing.
                Stuck,
            ],
            Ready => exit ChangesCommitted,
            Mended => Check,
            Rejected => exit ReviewRejected,
            Stuck => exit WorkerBlocked,
        }
    }
}

surefire::recipe! {
    /// Checks one release after the other, each in a conversation of its own.
    recipe CheckAllReleases {
        initial: Next,
        guardrails: { max_total_steps: 3, max_restarts: 1 },

        step Next {
            prompt: "Check the next release that waits.",
            outcomes: [Checked, NoneLeft],
            Checked => restart CheckAllReleases,
            NoneLeft => exit NoChangesToCommit,
        }
    }
}

fn main() -> ExitCode {
    surefire::cli::main(surefire::catalog![CheckRelease, CheckAllReleases])
}
