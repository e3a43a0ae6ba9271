//! The name that the program was started by: other crates' binaries call `cli::main` too.

use std::ffi::OsString;
use std::path::Path;

/// The default name of the command.
const USUAL: &str = "surefire";

/// The file name that this process was called by.
pub(in crate::cli) fn program_name() -> String {
    name_of(std::env::args_os().next())
}

fn name_of(called: Option<OsString>) -> String {
    let called = called.unwrap_or_default();
    let name = Path::new(&called).file_name().unwrap_or_default().to_string_lossy();
    if name.is_empty() { USUAL.to_owned() } else { name.into_owned() }
}

/// The command under the name it was called by, which its help uses, too.
pub(in crate::cli) fn named(command: clap::Command) -> clap::Command {
    let name = program_name();
    let command = command.bin_name(&name);
    if name == USUAL { command } else { renamed(command, &name) }
}

fn renamed(command: clap::Command, name: &str) -> clap::Command {
    let examples =
        command.get_after_help().map(|examples| examples.to_string().replace(USUAL, name));
    let command = command.after_help(examples.unwrap_or_default());
    let command = command.mut_args(|arg| {
        let help = arg
            .get_help()
            .map(|help| help.to_string().replace(&format!("`{USUAL} "), &format!("`{name} ")));
        arg.help(help.unwrap_or_default())
    });
    command.mut_subcommands(|command| renamed(command, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_name_is_the_name() {
        let table = [
            (Some("/usr/local/bin/mill"), "mill"),
            (Some("mill"), "mill"),
            (Some("./a/"), "a"),
            (Some("/"), "surefire"),
            (Some(""), "surefire"),
            (None, "surefire"),
        ];
        for (called, name) in table {
            assert_eq!(name_of(called.map(OsString::from)), name, "{called:?}");
        }
    }

    #[test]
    fn examples_use_the_name_of_the_program() {
        let one = clap::Command::new("x")
            .after_help("Examples:\n  surefire x\n  cat reply | surefire read");
        let command = renamed(clap::Command::new("surefire").subcommand(one), "mill");
        let help =
            command.get_subcommands().next().and_then(clap::Command::get_after_help).unwrap();
        assert_eq!(help.to_string(), "Examples:\n  mill x\n  cat reply | mill read");
    }
}
