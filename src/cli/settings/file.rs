//! The operator's configuration file.

use std::ffi::OsString;
use std::io::{Error, ErrorKind, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::entry::Entry;
use super::setting::{Kind, SETTINGS, Setting};
use super::source::Origin;
use super::surroundings::Surroundings;
use crate::cli::usage::cli_error::CliError;
use crate::cli::usage::program::program_name;
use crate::recipe::closest;

/// The variable with the path of the file.
pub(in crate::cli) const VARIABLE: &str = "SUREFIRE_CONFIG";

/// The file's name in the configuration directory.
const CONFIG_FILE: &str = "config.toml";

/// The maximum file size in KiB. All settings together fill a few dozen lines.
const MAX_FILE_KIB: u64 = 1024;

/// The path of the configuration file.
pub(in crate::cli) struct Place {
    pub(in crate::cli) path: PathBuf,
    /// The option or variable that names it. The default file may be missing; a named file may not.
    pub(in crate::cli) named: Option<&'static str>,
}

/// The named file, or else the one in the platform's configuration directory.
pub(in crate::cli) fn place(surroundings: &Surroundings, config: Option<&Path>) -> Option<Place> {
    let named = config.map(|path| (path.to_owned(), "--config"));
    let named = named.or_else(|| Some((PathBuf::from(surroundings.get(VARIABLE)?), VARIABLE)));
    if let Some((path, by)) = named {
        return Some(Place { path: std::path::absolute(&path).unwrap_or(path), named: Some(by) });
    }
    let home = surroundings.home.as_ref();
    let directory = if cfg!(target_os = "macos") {
        home?.join("Library/Application Support")
    } else {
        let named = surroundings
            .get("XDG_CONFIG_HOME")
            .map(PathBuf::from)
            .filter(|path| path.is_absolute());
        named.or_else(|| Some(home?.join(".config")))?
    };
    Some(Place { path: directory.join("surefire").join(CONFIG_FILE), named: None })
}

/// The settings in the file.
pub(in crate::cli) fn entries(
    surroundings: &Surroundings,
    config: Option<&Path>,
) -> Vec<Result<Entry, CliError>> {
    let Some(Place { path, named }) = place(surroundings, config) else { return Vec::new() };
    match read(&path) {
        Ok(text) => File { path: &path, text: &text, home: surroundings.home.as_deref() }.entries(),
        Err(error) if error.kind() == ErrorKind::NotFound && named.is_none() => Vec::new(),
        Err(error) => {
            let fix = named.map_or_else(
                || "fix that, or choose another file with `--config`".to_owned(),
                |by| format!("name a readable file, or remove `{by}`"),
            );
            let what = format!("the configuration file `{}` cannot be read", path.display());
            vec![Err(CliError::usage(what, error.to_string(), fix))]
        }
    }
}

fn read(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    std::fs::File::open(path)?.take((MAX_FILE_KIB << 10) + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_FILE_KIB << 10 {
        return Err(Error::other(format!("it is larger than {MAX_FILE_KIB} KiB")));
    }
    Ok(text)
}

/// A file that was read.
struct File<'a> {
    path: &'a Path,
    text: &'a str,
    home: Option<&'a Path>,
}

impl File<'_> {
    /// All of its settings, in the order of the file.
    fn entries(&self) -> Vec<Result<Entry, CliError>> {
        let table = match DeTable::parse(self.text) {
            Ok(table) => table,
            Err(error) => {
                let line = error
                    .span()
                    .map_or_else(String::new, |span| format!("line {}: ", self.line(&span)));
                return vec![Err(CliError::usage(
                    format!(
                        "the configuration file `{}` cannot be understood",
                        self.path.display()
                    ),
                    format!("{line}{}", error.message()),
                    "write one setting per line, such as `listen = \"127.0.0.1:9000\"`",
                ))];
            }
        };
        let mut pairs: Vec<_> = table.get_ref().iter().collect();
        pairs.sort_by_key(|(key, _)| key.span().start);
        pairs
            .into_iter()
            .filter_map(|(key, value)| self.entry(key, value.get_ref()).transpose())
            .collect()
    }

    fn entry(
        &self,
        key: &Spanned<DeString<'_>>,
        value: &DeValue<'_>,
    ) -> Result<Option<Entry>, CliError> {
        let name = key.get_ref().as_ref();
        let origin = Origin::Line { file: self.path.to_owned(), line: self.line(&key.span()) };
        if value.is_table() {
            let fix = "write the settings themselves, without a `[section]` or dots in their names";
            return Err(CliError::usage(
                format!("`{name}` is a section"),
                format!("{origin} starts it"),
                fix,
            ));
        }
        let Some(setting) = Setting::find(name) else {
            let fix = match closest(name, SETTINGS.iter().map(|setting| setting.name)) {
                Some(close) => format!("did you mean `{close}`?"),
                None => {
                    format!("remove it; `{} doctor` lists the settings", program_name())
                }
            };
            return Err(CliError::usage(
                format!("there is no setting `{name}`"),
                format!("it is set in {origin}"),
                fix,
            ));
        };
        match self.values(setting.kind, value) {
            Ok(values) if values.is_empty() => Ok(None),
            Ok(values) => Ok(Some(Entry { setting, values, origin })),
            Err(wrong) => {
                let verb = if wrong.same_type(value) { "be" } else { "hold" };
                let what = format!("`{name}` cannot {verb} {}", a_or_an(wrong.type_str()));
                Err(CliError::usage(what, format!("it is set in {origin}"), wanted(setting)))
            }
        }
    }

    /// The value as arguments on the command line, or the part of it that has the wrong type.
    fn values<'a, 'i>(
        &self,
        kind: Kind,
        value: &'a DeValue<'i>,
    ) -> Result<Vec<OsString>, &'a DeValue<'i>> {
        let one = |value: &'a DeValue<'i>| {
            let word = match kind {
                Kind::Switch => value.as_bool().map(|on| on.to_string().into()),
                Kind::Number => number(value).map(OsString::from),
                // A fraction is not a size, and clap's message about it would be less clear.
                Kind::Size if value.is_integer() => number(value).map(OsString::from),
                Kind::Text | Kind::Size | Kind::Names => value.as_str().map(OsString::from),
                Kind::Path | Kind::Paths => value.as_str().map(|path| self.resolve(path)),
            };
            word.ok_or(value)
        };
        match (kind, value.as_array()) {
            (Kind::Paths | Kind::Names, Some(values)) => {
                values.iter().map(|value| one(value.get_ref())).collect()
            }
            _ => Ok(vec![one(value)?]),
        }
    }

    /// Resolves a path in this file: `~/` is the home directory, and other relative paths start at
    /// the file's directory. An empty path stays empty, and the option rejects it.
    fn resolve(&self, path: &str) -> OsString {
        if path.is_empty() {
            return OsString::new();
        }
        let below_home =
            path.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let resolved = match (below_home, self.home) {
            (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
            _ => self.path.parent().unwrap_or(Path::new("")).join(path),
        };
        resolved.into()
    }

    fn line(&self, span: &Range<usize>) -> usize {
        self.text.get(..span.start).unwrap_or_default().matches('\n').count() + 1
    }
}

/// A number as typed on a command line.
fn number(value: &DeValue<'_>) -> Option<String> {
    if let Some(integer) = value.as_integer() {
        let digits = i128::from_str_radix(integer.as_str(), integer.radix());
        return Some(
            digits.map_or_else(|_| integer.as_str().to_owned(), |number| number.to_string()),
        );
    }
    value.as_float().map(|float| float.as_str().to_owned())
}

/// How to write a setting.
fn wanted(setting: &Setting) -> String {
    let name = setting.name;
    match setting.kind {
        Kind::Switch => format!("write `{name} = true` or `{name} = false`"),
        Kind::Number => format!("write a number, such as `{name} = 3`"),
        Kind::Size => {
            format!("write `{name} = \"256KiB\"`, or a number of bytes: `{name} = 262144`")
        }
        Kind::Text | Kind::Path => format!("write a text in quotes: `{name} = \"…\"`"),
        Kind::Paths | Kind::Names => format!("write a list of texts: `{name} = [\"…\", \"…\"]`"),
    }
}

fn a_or_an(kind: &str) -> String {
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {kind}")
}
