//! Checks for git, which recipes that commit need.

use std::io::ErrorKind;

use super::finding::Finding;
use super::program;
use super::program::NoOutput;

const PROGRAM: &str = "git";

pub(super) async fn check() -> Finding {
    let version = match program::output_of("git", &["--version"]).await {
        Ok(output) if output.success => output.first_line(),
        Ok(_) => return doubtful("installed, but `git --version` failed"),
        Err(NoOutput::NotRun(error)) if error.kind() == ErrorKind::NotFound => {
            return doubtful("not found on the `PATH`: recipes cannot commit");
        }
        Err(why) => return doubtful(&format!("cannot run `git --version`: {why}")),
    };
    let inside = program::output_of("git", &["rev-parse", "--is-inside-work-tree"]).await;
    let inside = inside.is_ok_and(|output| output.success && output.first_line() == "true");
    let here = if inside {
        "this directory is inside a working tree"
    } else {
        "this directory is not inside a working tree"
    };
    Finding::good(PROGRAM, format!("{version}; {here}"))
}

fn doubtful(words: &str) -> Finding {
    Finding::doubtful(PROGRAM, words, "install git, and check that `git --version` works")
}
