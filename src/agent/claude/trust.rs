//! The directories that the user has trusted in the CLI's own dialog.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::environment::Environment;
use super::repository::up_to_top;

/// The size limit of the CLI's configuration file. It has a few kilobytes per project, but
/// megabytes if its history contains pasted pictures.
const MAX_CONFIGURATION_BYTES: u64 = 64 << 20;

/// Whether the user trusted this directory, or one above it in the same repository, in the CLI's
/// dialog.
///
/// A missing, oversized or unreadable record trusts nothing.
pub(super) fn trusted_in_dialog(directory: &Path, environment: &Environment) -> bool {
    // The CLI cannot have asked about a path that does not resolve.
    if directory.canonicalize().is_err() {
        return false;
    }
    let Some(Configuration { projects }) = configuration(environment).and_then(|file| read(&file))
    else {
        return false;
    };
    up_to_top(directory).iter().any(|directory| {
        let project = directory.to_str().and_then(|directory| projects.get(directory));
        project.is_some_and(|project| project.is_trusted)
    })
}

/// The relevant part of the CLI's file; the rest is skipped.
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

/// The CLI's configuration file. A relative path is refused: it could point into the directory in
/// question, which must not vouch for itself.
fn configuration(environment: &Environment) -> Option<PathBuf> {
    let folder = environment.get("CLAUDE_CONFIG_DIR").or_else(|| environment.get("HOME"))?;
    Some(Path::new(folder).join(".claude.json")).filter(|file| file.is_absolute())
}

fn read(file: &Path) -> Option<Configuration> {
    let metadata = file.metadata().ok()?;
    if !metadata.is_file() || metadata.len() > MAX_CONFIGURATION_BYTES {
        return None;
    }
    // The file may have grown since.
    let file = File::open(file).ok()?.take(MAX_CONFIGURATION_BYTES);
    serde_json::from_reader(BufReader::new(file)).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;
    use tempfile::TempDir;

    use super::*;

    /// A home directory, and next to it a repository with a subdirectory.
    struct Sandbox(TempDir);

    impl Sandbox {
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
            let project = json!({ "allowedTools": [], "hasTrustDialogAccepted": answer, "history": [{ "x": 1 }] });
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
    fn an_answer_counts_for_directories_below_it_in_the_repository() {
        let table = [
            ("repository", json!(true), "repository", true),
            ("repository", json!(true), "repository/inside", true),
            ("repository/inside", json!(true), "repository/inside", true),
            ("repository/inside", json!(true), "repository", false),
            ("repository", json!(false), "repository", false),
            ("repository", json!(null), "repository", false),
            ("repository", json!("true"), "repository", false),
            ("repository", json!(1), "repository", false),
            // An answer for a directory above the repository does not count for it.
            ("", json!(true), "repository", false),
            ("home", json!(true), "repository", false),
            ("repository", json!(true), "repository/missing", false),
        ];
        for (answered, answer, directory, expected) in table {
            let sandbox = Sandbox::new();
            sandbox.writes("home/.claude.json", &sandbox.answered(answered, &answer));
            assert_eq!(
                sandbox.trusts(directory),
                expected,
                "{answered:?} {answer} for {directory:?}"
            );
        }
    }

    #[test]
    fn a_link_is_not_the_directory_that_the_user_was_asked_about() {
        let sandbox = Sandbox::new();
        std::os::unix::fs::symlink(sandbox.path("repository"), sandbox.path("link")).unwrap();
        sandbox.writes("home/.claude.json", &sandbox.answered("link", &json!(true)));
        assert!(!sandbox.trusts("link"), "the CLI asks about the directory that the link leads to");
        sandbox.writes("home/.claude.json", &sandbox.answered("repository", &json!(true)));
        assert!(sandbox.trusts("link"));
    }

    #[test]
    fn an_unreadable_record_trusts_nothing() {
        let sandbox = Sandbox::new();
        assert!(!sandbox.trusts("repository"), "there is no file");
        let good = sandbox.answered("repository", &json!(true));
        let deep = format!("{{\"x\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        for text in [
            "",
            "{",
            "null",
            "[]",
            "{}",
            r#"{"projects":[]}"#,
            r#"{"projects":{"/":7}}"#,
            &deep,
            &good[..60],
        ] {
            sandbox.writes("home/.claude.json", text);
            assert!(!sandbox.trusts("repository"), "{text:.60}");
        }
        sandbox.writes("home/.claude.json", &good);
        assert!(sandbox.trusts("repository"));
        // The record stays valid JSON, so only its size can be the reason.
        let file =
            fs::OpenOptions::new().write(true).open(sandbox.path("home/.claude.json")).unwrap();
        file.set_len(MAX_CONFIGURATION_BYTES + 1).unwrap();
        assert!(!sandbox.trusts("repository"));
        fs::remove_file(sandbox.path("home/.claude.json")).unwrap();
        fs::create_dir(sandbox.path("home/.claude.json")).unwrap();
        assert!(!sandbox.trusts("repository"), "it is a directory");
    }

    #[test]
    fn the_record_is_read_where_the_cli_writes_it() {
        let sandbox = Sandbox::new();
        sandbox.writes("home/moved/.claude.json", &sandbox.answered("repository", &json!(true)));
        let (home, moved) =
            (sandbox.path("home").into_os_string(), sandbox.path("home/moved").into_os_string());
        let trusts = |pairs: &[(&str, &std::ffi::OsString)]| {
            let environment =
                pairs.iter().map(|(name, value)| ((*name).into(), (*value).clone())).collect();
            trusted_in_dialog(&sandbox.path("repository"), &environment)
        };
        assert!(!trusts(&[]));
        assert!(!trusts(&[("HOME", &home)]));
        assert!(trusts(&[("HOME", &home), ("CLAUDE_CONFIG_DIR", &moved)]));
        assert!(!trusts(&[("HOME", &moved), ("CLAUDE_CONFIG_DIR", &home)]));
        assert!(!trusts(&[("CLAUDE_CONFIG_DIR", &".".into())]));
    }
}
