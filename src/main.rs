//! The `surefire` command with the bundled recipes.

use std::process::ExitCode;

fn main() -> ExitCode {
    surefire::cli::main(surefire::recipes::BUNDLED)
}
