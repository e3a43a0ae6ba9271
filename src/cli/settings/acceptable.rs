//! Checks a setting's value with the parser of its option.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction};

use super::entry::Entry;
use crate::cli::usage::bad_value::BadValue;
use crate::cli::usage::cli_error::CliError;
use crate::cli::usage::program::program_name;

/// Returns an error for a value that the option would reject. A setting without an option is not
/// checked.
pub(in crate::cli) fn check(command: &clap::Command, entry: &Entry) -> Result<(), CliError> {
    let name = entry.setting.name;
    let Some(option) = option(command, name) else { return Ok(()) };
    let alone = Arg::new(name)
        .long(name)
        .action(ArgAction::Append)
        .num_args(1)
        .require_equals(true)
        .value_parser(option.get_value_parser().clone());
    let alone =
        clap::Command::new("surefire").no_binary_name(true).disable_help_flag(true).arg(alone);
    for value in &entry.values {
        let mut word = OsString::from(format!("--{name}="));
        word.push(value);
        if let Err(error) = alone.clone().try_get_matches_from([word]) {
            let what = match value.to_string_lossy() {
                value if value.is_empty() => format!("`{name}` cannot be empty"),
                value => format!("`{name}` cannot be `{value}`"),
            };
            let (why, fix) = reason(&error, name);
            return Err(CliError::usage(what, format!("{}: {why}", entry.origin), fix));
        }
    }
    Ok(())
}

/// The option with this name, of the first command that has one.
pub(in crate::cli) fn option<'a>(command: &'a clap::Command, name: &str) -> Option<&'a Arg> {
    let own = command.get_arguments().find(|arg| arg.get_long() == Some(name));
    own.or_else(|| command.get_subcommands().find_map(|command| option(command, name)))
}

/// Why the value is rejected, and what to do. A parser brings its own message and may know what to
/// write instead.
fn reason(error: &clap::Error, name: &str) -> (String, String) {
    let usual =
        format!("write it as after `--{name}`; `{} --help` explains the format", program_name());
    if error.kind() == ErrorKind::InvalidUtf8 {
        return ("it is not valid UTF-8".to_owned(), "write it in UTF-8".to_owned());
    }
    if let Some((why, fix)) = BadValue::from_clap(error) {
        return (why, fix.map_or(usual, str::to_owned));
    }
    match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(values)) if !values.is_empty() => {
            let values: Vec<_> = values.iter().map(|value| format!("`{value}`")).collect();
            ("invalid value".to_owned(), format!("use one of {}", values.join(", ")))
        }
        _ => ("it needs a value".to_owned(), "give one, or remove the setting".to_owned()),
    }
}
