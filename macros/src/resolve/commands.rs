//! Whether a command can be run, as far as its text shows.

use syn::LitStr;

use crate::syntax::Command;

/// What is wrong with a command, with the text that is wrong.
#[derive(Clone)]
pub(crate) enum CommandFlaw {
    /// It has no program, and no text to point at.
    Nothing,
    /// This text is blank.
    Blank(LitStr),
    /// No command line can hold a zero byte.
    Zero(LitStr),
    /// The program has a space in its name: the author probably meant a line for a shell.
    Line(LitStr),
}

/// The command, if nothing is wrong with it.
pub(crate) fn judge(command: &Command) -> Result<&Command, CommandFlaw> {
    let words = match command {
        Command::Shell(line) => std::slice::from_ref(line),
        Command::Program { words, .. } => words.as_slice(),
    };
    if words.is_empty() {
        return Err(CommandFlaw::Nothing);
    }
    for word in words {
        let text = word.value();
        if text.trim().is_empty() {
            return Err(CommandFlaw::Blank(word.clone()));
        }
        if text.contains('\0') {
            return Err(CommandFlaw::Zero(word.clone()));
        }
    }
    match command {
        Command::Program { words, .. } if words[0].value().contains(char::is_whitespace) => {
            Err(CommandFlaw::Line(words[0].clone()))
        }
        Command::Program { .. } | Command::Shell(_) => Ok(command),
    }
}

/// The texts of a command, for comparison with another one.
pub(crate) fn texts(command: &Command) -> (bool, Vec<String>) {
    match command {
        Command::Shell(line) => (true, vec![line.value()]),
        Command::Program { words, .. } => (false, words.iter().map(LitStr::value).collect()),
    }
}
