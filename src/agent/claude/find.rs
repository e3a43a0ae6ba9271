//! Finding the CLI.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use super::environment::Environment;
use crate::Remedy;
use crate::agent::Failure;

/// The program's name.
const PROGRAM: &str = "claude";

/// The environment variable with the CLI's path.
const PATH_VARIABLE: &str = "CLAUDE_CLI_PATH";

/// The CLI's path: the configured one, or the first match in the usual places.
///
/// A configured path that is unusable is an error, and no other place is tried.
pub(super) fn find(
    agent_path: Option<&Path>,
    environment: &Environment,
) -> Result<PathBuf, Failure> {
    if let Some(path) = agent_path {
        return usable(path);
    }
    if let Some(path) = environment.get(PATH_VARIABLE) {
        return usable(Path::new(path));
    }
    let places = places(environment);
    match places.iter().find(|path| check(path).is_ok()) {
        Some(path) => Ok(absolute(path)),
        None => Err(Failure::BadProgram {
            path: PROGRAM.into(),
            why: not_found(&places),
            remedy: install(),
        }),
    }
}

/// The path, if it is executable.
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
        return Err((
            "it is a directory".to_owned(),
            Remedy::ProgramInside { name: PROGRAM.to_owned() },
        ));
    }
    if access(path, Access::EXEC_OK).is_err() {
        return Err(("it is not executable".to_owned(), Remedy::MakeExecutable));
    }
    Ok(())
}

/// A turn's process has another working directory, where a relative path would mean something else.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn places(environment: &Environment) -> Vec<PathBuf> {
    let local =
        environment.get("HOME").map(|home| Path::new(home).join(".claude/local").join(PROGRAM));
    let path = environment.get("PATH").unwrap_or(OsStr::new(""));
    // An empty entry of `PATH` means the current directory, which the operator did not choose.
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    let mut places: Vec<_> = local.into_iter().collect();
    for place in folders.map(|folder| folder.join(PROGRAM)) {
        // `PATH` often names a directory twice.
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

fn not_found(places: &[PathBuf]) -> String {
    let tried: Vec<_> = places.iter().map(|path| format!("`{}`", path.display())).collect();
    format!("it was not found (tried {})", tried.join(", "))
}

fn install() -> Remedy {
    Remedy::Install { program: "Claude Code".to_owned(), variable: PATH_VARIABLE.to_owned() }
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
    fn the_first_match_wins() {
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
        assert_eq!(
            find(None, &environment(&[("HOME", folder.path()), ("PATH", &bin)])),
            Ok(on_path)
        );
    }

    #[test]
    fn an_unusable_configured_path_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let bin = folder.path().join("bin");
        program(&bin.join("claude"));
        let missing = folder.path().join("missing");
        let plain = folder.path().join("plain");
        fs::write(&plain, "").unwrap();
        let environment = environment(&[("PATH", &bin), ("CLAUDE_CLI_PATH", &missing)]);
        for (path, words) in [(&missing, "no such file"), (&plain, "chmod +x"), (&bin, "directory")]
        {
            let failure = find(Some(path), &environment).unwrap_err();
            assert!(failure.to_string().contains(words), "{failure}");
        }
        assert!(find(None, &environment).unwrap_err().to_string().contains("no such file"));
    }

    #[test]
    fn if_it_is_not_found_the_error_names_every_place() {
        let environment = environment(&[
            ("HOME", Path::new("/nowhere/home")),
            ("PATH", Path::new("/nowhere/bin::relative:/nowhere/bin")),
        ]);
        let words = find(None, &environment).unwrap_err().to_string();
        for place in
            ["`/nowhere/home/.claude/local/claude`", "`/nowhere/bin/claude`", "--agent-path"]
        {
            assert!(words.contains(place), "{words}");
        }
        assert!(!words.contains("relative"), "{words}");
        assert_eq!(words.matches("`/nowhere/bin/claude`").count(), 1, "named once: {words}");
    }
}
