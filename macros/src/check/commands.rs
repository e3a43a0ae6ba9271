//! The errors for a command that cannot be run; three rules use them.

use crate::diagnostic::Diagnostics;
use crate::resolve::{CommandFlaw, judge_command};
use crate::syntax::Command;

/// Reports what is wrong with a command.
pub(super) fn check(command: &Command, diagnostics: &mut Diagnostics) {
    if let Err(flaw) = judge_command(command) {
        report(command, &flaw, diagnostics);
    }
}

pub(super) fn report(command: &Command, flaw: &CommandFlaw, diagnostics: &mut Diagnostics) {
    match flaw {
        CommandFlaw::Nothing => diagnostics.error(
            command,
            "this command is empty: name a program and its arguments, e.g. `[\"cargo\", \"test\"]`",
        ),
        CommandFlaw::Blank(text) => {
            let message = match command {
                Command::Shell(_) => "this command is empty: write one, e.g. `\"cargo test\"`",
                Command::Program { .. } => {
                    "this part of the command is empty: fill it in, or remove it"
                }
            };
            diagnostics.error(text, message);
        }
        CommandFlaw::Zero(text) => {
            diagnostics.error(text, "no command can have a zero byte: remove `\\0`");
        }
        CommandFlaw::Line(text) => {
            let line = text.value();
            let words: Vec<_> = line.split_whitespace().map(|word| format!("{word:?}")).collect();
            let message = format!(
                "there is hardly a program called `{}`: write `[{}]`, or the line alone for a shell, `{line:?}`",
                line.escape_debug(),
                words.join(", "),
            );
            diagnostics.error(text, message);
        }
    }
}
