//! Settings in the environment: `SUREFIRE_LISTEN` for `--listen`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use super::entry::Entry;
use super::setting::{Kind, SETTINGS, Setting};
use super::source::Origin;
use super::surroundings::Surroundings;
use crate::cli::usage::cli_error::CliError;
use crate::recipe::closest;

/// The prefix of all our variables.
const PREFIX: &str = "SUREFIRE_";

/// Our variables that are not settings.
const OTHERS: [&str; 6] = [
    super::file::VARIABLE,
    "SUREFIRE_ATTEMPT",
    "SUREFIRE_CRASH_AT",
    // Set for the command of `--on-end`.
    "SUREFIRE_RUN",
    "SUREFIRE_REASON",
    "SUREFIRE_EXIT_CODE",
];

/// The settings in the environment.
pub(in crate::cli) fn entries(surroundings: &Surroundings) -> Vec<Result<Entry, CliError>> {
    let entry = |setting: &'static Setting| {
        let variable = setting.variable();
        let values = values(setting.kind, surroundings.get(&variable)?);
        (!values.is_empty()).then_some(Ok(Entry {
            setting,
            values,
            origin: Origin::Variable(variable),
        }))
    };
    SETTINGS.iter().filter_map(entry).collect()
}

/// The values of a variable: directories are separated as in `PATH`, names by commas.
fn values(kind: Kind, value: &OsStr) -> Vec<OsString> {
    match kind {
        Kind::Switch | Kind::Text | Kind::Number | Kind::Size | Kind::Path => {
            vec![value.to_owned()]
        }
        Kind::Paths => {
            let paths = std::env::split_paths(value).filter(|path| !path.as_os_str().is_empty());
            paths.map(OsString::from).collect()
        }
        Kind::Names => {
            let names = value.as_bytes().split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
            names
                .filter(|name| !name.is_empty())
                .map(|name| OsString::from_vec(name.to_vec()))
                .collect()
        }
    }
}

/// Variables with our prefix that are unknown, each with the closest known name.
pub(in crate::cli) fn unknown() -> Vec<(String, Option<String>)> {
    unknown_of(std::env::vars_os().map(|(name, _)| name))
}

fn unknown_of(names: impl Iterator<Item = OsString>) -> Vec<(String, Option<String>)> {
    let known: Vec<String> =
        SETTINGS.iter().map(Setting::variable).chain(OTHERS.map(ToOwned::to_owned)).collect();
    let ours = names
        .map(|name| name.to_string_lossy().into_owned())
        .filter(|name| name.starts_with(PREFIX));
    let mut unknown: Vec<_> = ours
        .filter(|name| !known.contains(name))
        .map(|name| {
            let close =
                closest(&name[PREFIX.len()..], known.iter().map(|known| &known[PREFIX.len()..]));
            let close = close.map(|close| format!("{PREFIX}{close}"));
            (name, close)
        })
        .collect();
    unknown.sort();
    unknown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_list_counts_as_unset() {
        for (name, value) in [("SUREFIRE_ROOT", "::"), ("SUREFIRE_ALLOW_HOST", " , ")] {
            let surroundings =
                Surroundings { variables: vec![(name.into(), value.into())], home: None };
            assert!(entries(&surroundings).is_empty(), "{name}");
        }
    }

    #[test]
    fn lists_are_split_and_an_empty_variable_counts_as_unset() {
        let pairs = [
            ("SUREFIRE_ROOT", "/one:/two words::"),
            ("SUREFIRE_ALLOW_HOST", "box.local, other,"),
            ("SUREFIRE_AGENT_PATH", "/a:b"),
            ("SUREFIRE_LISTEN", ""),
        ];
        let variables = pairs.map(|(name, value)| (name.into(), value.into())).to_vec();
        let found = entries(&Surroundings { variables, home: None });
        let found: Vec<_> = found.into_iter().map(|entry| entry.unwrap()).collect();
        let found: Vec<_> =
            found.iter().map(|entry| (entry.setting.name, entry.values.clone())).collect();
        let expected: [(&str, &[&str]); 3] = [
            ("allow-host", &["box.local", "other"]),
            ("agent-path", &["/a:b"]),
            ("root", &["/one", "/two words"]),
        ];
        assert_eq!(
            found,
            expected.map(|(name, values)| (name, values.iter().map(OsString::from).collect()))
        );
    }

    #[test]
    fn an_unknown_variable_is_reported() {
        let names = ["SUREFIRE_LISTN", "SUREFIRE_LISTEN", "SUREFIRE_ATTEMPT", "PATH", "SUREFIRE_X"];
        let found = unknown_of(names.into_iter().map(OsString::from));
        let expected = [
            ("SUREFIRE_LISTN".to_owned(), Some("SUREFIRE_LISTEN".to_owned())),
            ("SUREFIRE_X".to_owned(), None),
        ];
        assert_eq!(found, expected);
    }
}
