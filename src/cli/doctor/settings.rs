//! The value and the source of each setting.

use std::ffi::OsStr;
use std::path::PathBuf;

use crate::cli::commands::serve::ServeOptions;
use crate::cli::context::Context;
use crate::cli::settings;
use crate::cli::settings::SETTINGS;

/// A setting with its effective value.
pub(super) struct Row {
    pub(super) name: &'static str,
    /// `None` if the setting has no value and no default.
    pub(super) value: Option<String>,
    pub(super) source: String,
}

pub(super) fn all(context: &Context, command: &clap::Command, options: &ServeOptions) -> Vec<Row> {
    let row = |name| Row {
        name,
        value: given(context, command, name).or_else(|| usual(name, options)),
        source: context.source(name),
    };
    SETTINGS.iter().map(|setting| row(setting.name)).collect()
}

/// The configured value, or the option's default.
fn given(context: &Context, command: &clap::Command, name: &str) -> Option<String> {
    let parsed = context.options().try_get_raw(&name.replace('-', "_")).ok().flatten();
    let values: Vec<&OsStr> = match (parsed, context.layers.values(name)) {
        (Some(values), _) => values.collect(),
        (None, Some(values)) => values.iter().map(AsRef::as_ref).collect(),
        (None, None) => settings::option(command, name)?
            .get_default_values()
            .iter()
            .map(clap::builder::OsStr::as_os_str)
            .collect(),
    };
    let values: Vec<_> = values.into_iter().map(|value| value.to_string_lossy()).collect();
    (!values.is_empty()).then(|| values.join(", "))
}

/// The default paths, which clap does not know.
fn usual(name: &str, options: &ServeOptions) -> Option<String> {
    let path: Option<PathBuf> = match name {
        "data" => options.paths.data().ok(),
        "key-file" => options.paths.key_file().ok(),
        "log-file" => options.log_file().ok(),
        "root" => std::env::home_dir(),
        _ => None,
    };
    path.map(|path| path.display().to_string())
}
