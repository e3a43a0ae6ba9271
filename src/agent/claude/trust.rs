//! Which directories the user has trusted in the CLI's own dialog.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::environment::Environment;
use super::repository::up_to_top;

/// The CLI's own file has a few kilobytes for each project; with pasted pictures in its history it has had megabytes.
const MAX_CONFIGURATION_BYTES: u64 = 64 << 20;

/// Whether the user said in the CLI's dialog that this directory is trusted, or one above it in the same repository.
///
/// A record that is not there, is too large or cannot be read trusts nothing.
pub(super) fn trusted_in_dialog(directory: &Path, environment: &Environment) -> bool {
    // A path that cannot be resolved is not one that the CLI could have asked about.
    if directory.canonicalize().is_err() {
        return false;
    }
    let Some(Configuration { projects }) = configuration(environment).and_then(|file| read(&file)) else {
        return false;
    };
    up_to_top(directory).iter().any(|directory| {
        let project = directory.to_str().and_then(|directory| projects.get(directory));
        project.is_some_and(|project| project.is_trusted)
    })
}

/// The part of the CLI's file that says what was answered; the rest is skipped.
#[derive(Deserialize)]
struct Configuration {
    #[serde(default)]
    projects: HashMap<String, Project>,
}

#[derive(Deserialize)]
struct Project {
    #[serde(default, rename = "hasTrustDialogAccepted")]
    is_trusted: bool,
}

/// Where the CLI keeps its answers. A relative path would lead into the directory that is asked about, which must not
/// vouch for itself.
fn configuration(environment: &Environment) -> Option<PathBuf> {
    let folder = environment.get("CLAUDE_CONFIG_DIR").or_else(|| environment.get("HOME"))?;
    Some(Path::new(folder).join(".claude.json")).filter(|file| file.is_absolute())
}

fn read(file: &Path) -> Option<Configuration> {
    let metadata = file.metadata().ok()?;
    if !metadata.is_file() || metadata.len() > MAX_CONFIGURATION_BYTES {
        return None;
    }
    // It may grow meanwhile.
    let file = File::open(file).ok()?.take(MAX_CONFIGURATION_BYTES);
    serde_json::from_reader(BufReader::new(file)).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;
    use tempfile::TempDir;

    use super::*;

    /// A home, and beside it a repository with a directory in it.
    struct Place(TempDir);

    impl Place {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir_all(folder.path().join("repository/inside")).unwrap();
            fs::create_dir(folder.path().join("repository/.git")).unwrap();
            fs::create_dir_all(folder.path().join("home/moved")).unwrap();
            Self(folder)
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().canonicalize().unwrap().join(name)
        }

        fn writes(&self, name: &str, text: &str) {
            fs::write(self.path(name), text).unwrap();
        }

        fn answered(&self, directory: &str, answer: &serde_json::Value) -> String {
            let project =
                json!({ "allowedTools": [], "hasTrustDialogAccepted": answer, "history": [{ "x": 1 }] });
            let projects = json!({ self.path(directory).to_str().unwrap(): project });
            json!({ "numStartups": 7, "projects": projects, "tips": { "x": [1, 2] } }).to_string()
        }

        fn trusts(&self, directory: &str) -> bool {
            let home = self.path("home").into_os_string();
            let environment: Environment = [("HOME".into(), home)].into_iter().collect();
            trusted_in_dialog(&self.path(directory), &environment)
        }
    }

    #[test]
    fn an_answer_counts_for_what_is_below_it_in_the_repository() {
        let table = [
            ("repository", json!(true), "repository", true),
            ("repository", json!(true), "repository/inside", true),
            ("repository/inside", json!(true), "repository/inside", true),
            ("repository/inside", json!(true), "repository", false),
            ("repository", json!(false), "repository", false),
            ("repository", json!(null), "repository", false),
            ("repository", json!("true"), "repository", false),
            ("repository", json!(1), "repository", false),
            // What is above the repository's top says nothing of the repository.
            ("", json!(true), "repository", false),
            ("home", json!(true), "repository", false),
            ("repository", json!(true), "repository/missing", false),
        ];
        for (answered, answer, directory, expected) in table {
            let place = Place::new();
            place.writes("home/.claude.json", &place.answered(answered, &answer));
            assert_eq!(place.trusts(directory), expected, "{answered:?} {answer} for {directory:?}");
        }
    }

    #[test]
    fn a_link_is_not_the_directory_that_was_asked_about() {
        let place = Place::new();
        std::os::unix::fs::symlink(place.path("repository"), place.path("link")).unwrap();
        place.writes("home/.claude.json", &place.answered("link", &json!(true)));
        assert!(!place.trusts("link"), "the CLI asks about the directory that the link leads to");
        place.writes("home/.claude.json", &place.answered("repository", &json!(true)));
        assert!(place.trusts("link"));
    }

    #[test]
    fn what_cannot_be_read_trusts_nothing() {
        let place = Place::new();
        assert!(!place.trusts("repository"), "there is no file");
        let good = place.answered("repository", &json!(true));
        let deep = format!("{{\"x\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        for text in
            ["", "{", "null", "[]", "{}", r#"{"projects":[]}"#, r#"{"projects":{"/":7}}"#, &deep, &good[..60]]
        {
            place.writes("home/.claude.json", text);
            assert!(!place.trusts("repository"), "{text:.60}");
        }
        place.writes("home/.claude.json", &good);
        assert!(place.trusts("repository"));
        // Spaces behind it would be no mistake, if it were not for the size.
        let file = fs::OpenOptions::new().write(true).open(place.path("home/.claude.json")).unwrap();
        file.set_len(MAX_CONFIGURATION_BYTES + 1).unwrap();
        assert!(!place.trusts("repository"));
        fs::remove_file(place.path("home/.claude.json")).unwrap();
        fs::create_dir(place.path("home/.claude.json")).unwrap();
        assert!(!place.trusts("repository"), "it is a directory");
    }

    #[test]
    fn it_is_looked_for_where_the_cli_keeps_it() {
        let place = Place::new();
        place.writes("home/moved/.claude.json", &place.answered("repository", &json!(true)));
        let (home, moved) = (place.path("home").into_os_string(), place.path("home/moved").into_os_string());
        let trusts = |pairs: &[(&str, &std::ffi::OsString)]| {
            let environment = pairs.iter().map(|(name, value)| ((*name).into(), (*value).clone())).collect();
            trusted_in_dialog(&place.path("repository"), &environment)
        };
        assert!(!trusts(&[]));
        assert!(!trusts(&[("HOME", &home)]));
        assert!(trusts(&[("HOME", &home), ("CLAUDE_CONFIG_DIR", &moved)]));
        assert!(!trusts(&[("HOME", &moved), ("CLAUDE_CONFIG_DIR", &home)]));
        assert!(!trusts(&[("CLAUDE_CONFIG_DIR", &".".into())]));
    }
}
