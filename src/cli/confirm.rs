//! Asking at the terminal before something is deleted.

use std::io::{IsTerminal, Write};

use super::context::Context;
use super::usage::cli_error::CliError;

/// Asks whether to delete what would be lost: `2 uncommitted files`. `what` is the first line of
/// the error without a terminal.
pub(super) fn is_agreed_to(context: &Context, what: &str, lost: &str) -> Result<bool, CliError> {
    if !(std::io::stdin().is_terminal() && context.console.is_terminal()) {
        let why = format!("{lost} would be lost, and there is no terminal to ask at");
        return Err(CliError::usage(what, why, "confirm with `--yes`"));
    }
    context.console.put(format!("Delete {lost}? [y/N] "));
    let _ = std::io::stdout().flush();
    let mut answer = String::new();
    let read = std::io::stdin().read_line(&mut answer);
    Ok(read.is_ok() && is_yes(&answer))
}

fn is_yes(answer: &str) -> bool {
    ["y", "yes"].contains(&answer.trim().to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_y_and_yes_confirm() {
        for (answer, yes) in
            [("y\n", true), ("YES\n", true), ("\n", false), ("", false), ("yep\n", false)]
        {
            assert_eq!(is_yes(answer), yes, "{answer:?}");
        }
    }
}
