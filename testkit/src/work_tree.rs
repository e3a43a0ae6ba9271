//! Git work trees for tests: no configuration of the machine's user reaches them.

use std::path::Path;
use std::process::Command;

/// Makes a directory a git work tree on a branch `main`, with one empty commit. Git ignores the
/// names in `ignored`.
///
/// # Panics
/// If git is missing.
pub fn make_work_tree(directory: &Path, ignored: &[&str]) {
    git(directory, &["init", "--quiet", "--initial-branch=main"]);
    let exclude = directory.join(".git/info/exclude");
    std::fs::write(exclude, ignored.join("\n")).expect("a new repository can be written to");
    commit(directory, "First");
}

/// Commits everything in a work tree, even if nothing changed.
///
/// # Panics
/// If that cannot be committed.
pub fn commit(directory: &Path, message: &str) {
    git(directory, &["add", "--all"]);
    git(directory, &["commit", "--quiet", "--allow-empty", "--message", message]);
}

/// Calls git in a directory, and returns what it printed.
///
/// # Panics
/// If it fails.
#[expect(clippy::must_use_candidate, reason = "most calls are for what they do")]
pub fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args([
            "-c",
            "user.name=A Person",
            "-c",
            "user.email=person@example.com",
            "-c",
            "gc.auto=0",
        ])
        .args(arguments)
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .expect("git is installed");
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?} in {}: {words}", directory.display());
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}
