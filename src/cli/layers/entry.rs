//! A setting that was found, with its words and where they stand.

use std::ffi::OsString;

use super::setting::Setting;
use super::source::Origin;

/// One setting that was found somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) setting: &'static Setting,
    /// As words of a command line.
    pub(super) values: Vec<OsString>,
    pub(super) origin: Origin,
}
