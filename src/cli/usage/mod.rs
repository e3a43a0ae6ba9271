//! The command line's own words: arguments, help, and what is wrong with them.

pub(super) mod arguments;
pub(super) mod bad_value;
pub(super) mod check;
pub(super) mod command_path;
pub(super) mod complaint;
#[cfg(test)]
pub(super) mod named;
pub(super) mod options;
pub(super) mod program;
#[cfg(test)]
mod remedies;
pub(super) mod usage_error;
