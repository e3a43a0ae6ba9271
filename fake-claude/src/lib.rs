//! For tests: the path of the fake CLI, its plan, and its log of calls.
//!
//! ```text
//! let answers = json!([{ "pick": "issues-found" }, { "act": "silence" }]);
//! let plan = json!({ "answers": answers, "default": {} });
//! std::fs::write(folder.join("plan.json"), plan.to_string())?;
//! // Run `fake_claude::program()` with CLAUDE_CODE_FAKE_PLAN=<folder>/plan.json, then look at the
//! // oracle:
//! let calls = fake_claude::calls(&folder.join("calls.jsonl"));
//! ```
//!
//! What a plan can say is in `plan.rs`; what the fake can do wrong is the list of `Act`s there.

mod plan;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

pub use plan::{Act, Answer, Plan, Try, Version, When};
use serde_json::Value;

/// The variable that names the plan file; its name is one that Surefire passes on to the CLI.
pub const PLAN_VARIABLE: &str = "CLAUDE_CODE_FAKE_PLAN";

/// The fake's path. The first call builds it, into the target directory of the running test.
///
/// # Panics
/// If it cannot be built.
pub fn program() -> PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(build).clone()
}

/// The calls of the fake, one JSON object each, in order: the oracle for how often the agent really
/// ran.
///
/// # Panics
/// If a line of the log is not JSON.
#[must_use]
pub fn calls(log: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str(line).expect("the fake writes one object a line"))
        .collect()
}

/// How many calls have reached this phase: `began`, `answered` or `refused`. Each tool that a call
/// tried has its own line, with the phase `tried`.
#[must_use]
pub fn count(log: &Path, phase: &str) -> usize {
    calls(log).iter().filter(|call| call["phase"] == phase).count()
}

fn build() -> PathBuf {
    // A test is in `<target>/<profile>/deps/`; a doctest or a binary is one level higher.
    let own = std::env::current_exe().expect("a running test has a path");
    let mut profile = own.parent().expect("a program is in a folder");
    if profile.file_name().is_some_and(|name| name == "deps") {
        profile = profile.parent().expect("`deps` is in a profile's folder");
    }
    let target = profile.parent().expect("a profile's folder is in the target folder");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--offline", "--bin", "fake-claude", "--manifest-path"]);
    command
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
        .arg("--target-dir")
        .arg(target);
    if profile.file_name().is_some_and(|name| name == "release") {
        command.arg("--release");
    }
    let status = command.status().expect("cargo can be run");
    assert!(status.success(), "the fake CLI cannot be built");
    profile.join("fake-claude")
}
