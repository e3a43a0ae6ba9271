//! A recipe that does not rely on the agent's word: the engine runs the project's own checks, and
//! looks for the commit.
//!
//! ```sh
//! cargo run --example proof_of_work -- show polish-a-file
//! cargo run --example proof_of_work -- run polish-a-file --rehearse checks-fail-once
//! cargo run --example proof_of_work -- run polish-a-file "README.md" --dir ~/projects/shop
//! ```
//!
//! The last one is the real thing: it needs Claude Code, and a git work tree with an executable
//! `check` at its top.

use std::process::ExitCode;

surefire::recipe! {
    /// Polish one file, test the project, and commit.
    recipe PolishAFile {
        initial: Polish,
        guardrails: { max_step_visits: 3, max_verify_time_per_milestone: 5m },

        /// May edit files. Before it leads on, the engine runs `./check quick`; if that fails, the
        /// agent gets its output and continues.
        step Polish {
            prompt: "Polish the file that this run is about: correct it, and leave its meaning alone.",
            tools: [edit, "./check *"],
            verify: ["./check quick"],
            outcomes: [Polished, NothingToPolish],
            Polished => Test,
            NothingToPolish => exit NoChangesToCommit if no_commit && clean,
        }

        /// No agent and no cost: the exit status of the command is the outcome.
        step Test { run: "./check all", time: 10m, Passed => Commit, Failed => Polish }

        /// May commit, and nothing else. The run ends well only if there is a new commit and
        /// nothing is left behind.
        step Commit {
            prompt: "Commit the polished file, with a message that says why.",
            tools: ["git add *", "git commit *"],
            outcomes: [Committed],
            Committed => exit ChangesCommitted if commit && clean,
        }
    }
}

fn main() -> ExitCode {
    surefire::cli::main(surefire::catalog![PolishAFile])
}
