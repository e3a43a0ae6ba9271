//! A setting that was found, with its words and where they stand.

use std::ffi::OsString;

use super::setting::Setting;
use super::source::Origin;

/// One setting that was found somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct Entry {
    pub(in crate::cli) setting: &'static Setting,
    /// As words of a command line.
    pub(in crate::cli) values: Vec<OsString>,
    pub(in crate::cli) origin: Origin,
}
