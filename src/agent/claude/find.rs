//! Where the CLI is.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use super::environment::Environment;
use crate::Remedy;
use crate::agent::Failure;

/// The program's name, where only a name is known.
const NAME: &str = "claude";

/// The environment variable that says where the CLI is.
const VARIABLE: &str = "CLAUDE_CLI_PATH";

/// The CLI's path: the one that was asked for, or the first place where it is.
///
/// A path that somebody wrote down is never passed over in silence: if it is wrong, that is the answer.
pub(super) fn find(agent_path: Option<&Path>, environment: &Environment) -> Result<PathBuf, Failure> {
    if let Some(path) = agent_path {
        return usable(path);
    }
    if let Some(path) = environment.get(VARIABLE) {
        return usable(Path::new(path));
    }
    let places = places(environment);
    match places.iter().find(|path| check(path).is_ok()) {
        Some(path) => Ok(absolute(path)),
        None => Err(Failure::BadProgram { path: NAME.into(), why: nowhere(&places), remedy: install() }),
    }
}

/// This path, if it can be run.
pub(super) fn usable(path: &Path) -> Result<PathBuf, Failure> {
    match check(path) {
        Ok(()) => Ok(absolute(path)),
        Err((why, remedy)) => Err(Failure::BadProgram { path: path.to_owned(), why, remedy }),
    }
}

fn check(path: &Path) -> Result<(), (String, Remedy)> {
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(("there is no such file".to_owned(), install()));
        }
        Err(error) => return Err((error.to_string(), install())),
    };
    if metadata.is_dir() {
        return Err(("it is a directory".to_owned(), Remedy::ProgramInside { name: NAME.to_owned() }));
    }
    if access(path, Access::EXEC_OK).is_err() {
        return Err(("it is not executable".to_owned(), Remedy::MakeExecutable));
    }
    Ok(())
}

/// A turn's process works in a directory of its own, so a relative path would mean something else there.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn places(environment: &Environment) -> Vec<PathBuf> {
    let local = environment.get("HOME").map(|home| Path::new(home).join(".claude/local").join(NAME));
    let path = environment.get("PATH").unwrap_or(OsStr::new(""));
    // An empty entry of `PATH` means the current directory; a program from there is not one the operator chose.
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    local.into_iter().chain(folders.map(|folder| folder.join(NAME))).collect()
}

fn nowhere(places: &[PathBuf]) -> String {
    let tried: Vec<_> = places.iter().map(|path| format!("`{}`", path.display())).collect();
    format!("it is in none of the usual places (tried {})", tried.join(", "))
}

fn install() -> Remedy {
    Remedy::Install { program: "Claude Code".to_owned(), variable: VARIABLE.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn program(path: &Path) -> PathBuf {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        path.to_owned()
    }

    fn environment(pairs: &[(&str, &Path)]) -> Environment {
        pairs.iter().map(|(name, value)| ((*name).into(), value.as_os_str().to_owned())).collect()
    }

    #[test]
    fn the_first_place_that_has_it_wins() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        let bin = folder.path().join("bin");
        let named = program(&folder.path().join("named"));
        let asked = program(&folder.path().join("asked"));
        let local = program(&home.join(".claude/local/claude"));
        let on_path = program(&bin.join("claude"));

        let full = environment(&[("CLAUDE_CLI_PATH", &named), ("HOME", &home), ("PATH", &bin)]);
        assert_eq!(find(Some(&asked), &full), Ok(asked));
        assert_eq!(find(None, &full), Ok(named));
        assert_eq!(find(None, &environment(&[("HOME", &home), ("PATH", &bin)])), Ok(local));
        assert_eq!(find(None, &environment(&[("HOME", folder.path()), ("PATH", &bin)])), Ok(on_path));
    }

    #[test]
    fn a_wrong_path_that_was_given_is_not_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let bin = folder.path().join("bin");
        program(&bin.join("claude"));
        let missing = folder.path().join("missing");
        let plain = folder.path().join("plain");
        fs::write(&plain, "").unwrap();
        let environment = environment(&[("PATH", &bin), ("CLAUDE_CLI_PATH", &missing)]);
        for (path, words) in [(&missing, "no such file"), (&plain, "chmod +x"), (&bin, "directory")] {
            let failure = find(Some(path), &environment).unwrap_err();
            assert!(failure.to_string().contains(words), "{failure}");
        }
        assert!(find(None, &environment).unwrap_err().to_string().contains("no such file"));
    }

    #[test]
    fn when_it_is_nowhere_every_place_is_named() {
        let environment = environment(&[
            ("HOME", Path::new("/nowhere/home")),
            ("PATH", Path::new("/nowhere/bin::relative")),
        ]);
        let words = find(None, &environment).unwrap_err().to_string();
        for place in ["`/nowhere/home/.claude/local/claude`", "`/nowhere/bin/claude`", "--agent-path"] {
            assert!(words.contains(place), "{words}");
        }
        assert!(!words.contains("relative"), "{words}");
    }
}
