//! Whether there is git, which recipes that commit need.

use std::io::ErrorKind;

use super::finding::Finding;
use super::program;
use super::program::Mute;

const NAME: &str = "git";

pub(super) async fn check() -> Finding {
    let version = match program::said("git", &["--version"]).await {
        Ok(said) if said.success => said.first_line(),
        Ok(_) => return doubtful("it is there, but does not tell its version"),
        Err(Mute::NotRun(error)) if error.kind() == ErrorKind::NotFound => {
            return doubtful("it is not there: recipes that commit cannot do so");
        }
        Err(why) => return doubtful(&format!("it cannot be asked for its version: {why}")),
    };
    let inside = program::said("git", &["rev-parse", "--is-inside-work-tree"]).await;
    let inside = inside.is_ok_and(|said| said.success && said.first_line() == "true");
    let here =
        if inside { "this directory is in a working tree" } else { "this directory is in no working tree" };
    Finding::good(NAME, format!("{version}; {here}"))
}

fn doubtful(words: &str) -> Finding {
    Finding::doubtful(NAME, words, "install git, and see that `git --version` works")
}
