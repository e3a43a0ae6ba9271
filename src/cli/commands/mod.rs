//! The commands, one file each.

pub(super) mod completions;
pub(super) mod discard;
pub(super) mod key;
pub(super) mod man;
pub(super) mod merge;
pub(super) mod new;
pub(super) mod prompts;
pub(super) mod prune;
pub(super) mod read;
pub(super) mod reasons;
pub(super) mod recipes;
mod recipes_check;
pub(super) mod resume;
pub(super) mod run;
pub(super) mod runs;
pub(super) mod serve;
pub(super) mod show;
pub(super) mod trust;
pub(super) mod untrust;
pub(super) mod why;
