//! A setting with its values and its origin.

use std::ffi::OsString;

use super::setting::Setting;
use super::source::Origin;

/// A setting that is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct Entry {
    pub(in crate::cli) setting: &'static Setting,
    /// As arguments on the command line.
    pub(in crate::cli) values: Vec<OsString>,
    pub(in crate::cli) origin: Origin,
}
