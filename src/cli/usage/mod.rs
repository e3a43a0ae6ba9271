//! The command line: arguments, options, help and usage errors.

pub(super) mod arguments;
pub(super) mod bad_value;
pub(super) mod check;
pub(super) mod cli_error;
pub(super) mod command_path;
#[cfg(test)]
pub(super) mod named;
pub(super) mod options;
pub(super) mod program;
pub(super) mod rehearse;
#[cfg(test)]
mod remedies;
pub(super) mod usage_error;
