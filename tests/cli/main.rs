//! The `surefire` command as people and scripts use it: the real binary, what it prints, and its
//! exit status.

mod checking;
mod command;
mod completing;
mod diagnosing;
mod ending;
mod isolating;
mod keys;
mod lists;
mod manual;
mod new_crate;
#[cfg(unix)]
mod pages;
mod past_runs;
mod process;
mod prompts;
mod reading;
#[cfg(unix)]
mod readme;
#[cfg(target_os = "linux")]
mod real_cli;
#[cfg(target_os = "linux")]
mod reasons;
mod remote;
mod running;
mod serving;
mod settings;
mod snapshot;
mod terminal;
mod trusting;
#[cfg(unix)]
mod walk;
mod wire_client;
mod wrong_usage;
mod years;

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// The example of a command with custom recipes.
pub(crate) fn own_command() -> PathBuf {
    example("own_command")
}

/// An example. It is built with the same flags as the whole test suite, so that a run of the suite
/// finds it built already.
pub(crate) fn example(name: &str) -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let build = || {
        let tests = std::env::current_exe().expect("a running test has a path");
        let profile = tests.ancestors().nth(2).expect("it lies in `<target>/<profile>/deps`");
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["build", "--quiet", "--offline", "--workspace", "--target-dir"]);
        cargo.arg(profile.parent().expect("a profile is in the target folder"));
        for example in ["own_command", "proof_of_work", "every_reason"] {
            cargo.args(["--example", example]);
        }
        if cfg!(feature = "__crash-points") {
            cargo.args(["--features", "surefire/__crash-points"]);
        }
        assert!(
            cargo.status().expect("cargo can be run").success(),
            "the examples cannot be built"
        );
        profile.join("examples")
    };
    BUILT.get_or_init(build).join(name)
}
