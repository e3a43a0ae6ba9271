//! The runtime directories of one user, shared by all data directories: for lock files and sockets,
//! which a reboot removes.

#[cfg(feature = "engine")]
use std::fs::DirBuilder;
use std::fs::Metadata;
use std::io;
#[cfg(feature = "engine")]
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The candidates for a runtime directory with this name, in order of preference.
///
/// `XDG_RUNTIME_DIR` is used only if it belongs to this user: after `sudo` it may still name
/// another user's directory.
pub(crate) fn runtime_directories(name: &str) -> Vec<PathBuf> {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    candidates(runtime.as_deref(), &std::env::temp_dir(), name)
}

fn candidates(runtime: Option<&Path>, temporary: &Path, name: &str) -> Vec<PathBuf> {
    let runtime = runtime.filter(|path| path.is_absolute());
    let own =
        runtime.filter(|path| std::fs::metadata(path).is_ok_and(|found| problem(&found).is_none()));
    // Other users can write to the temporary directory too, so a directory there is checked before
    // it is used.
    let shared = temporary.join(format!("{name}-{}", rustix::process::getuid().as_raw()));
    own.map(|path| path.join(name)).into_iter().chain([shared]).collect()
}

/// Creates a directory, or checks that it is private: a user with write access could hold any lock,
/// or put a link in the place of a file.
#[cfg(feature = "engine")]
pub(crate) fn make_private(directory: &Path) -> io::Result<()> {
    match DirBuilder::new().recursive(true).mode(0o700).create(directory) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        Ok(()) | Err(_) => {}
    }
    check_private(directory)
}

/// Checks that a directory exists and is private.
pub(crate) fn check_private(directory: &Path) -> io::Result<()> {
    problem(&std::fs::symlink_metadata(directory)?)
        .map_or(Ok(()), |problem| Err(io::Error::other(problem)))
}

fn problem(found: &Metadata) -> Option<&'static str> {
    if !found.is_dir() {
        Some("it is not a directory; remove it")
    } else if found.uid() != rustix::process::getuid().as_raw() {
        Some("it belongs to another user; remove it, or set XDG_RUNTIME_DIR")
    } else if found.mode() & 0o022 != 0 {
        Some("other users can write to it; make it yours alone with chmod 700")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_runtime_directory_is_used_only_if_other_users_cannot_write_to_it() {
        let place = tempfile::tempdir().unwrap();
        let (runtime, temporary) = (place.path().join("run"), place.path().join("tmp"));
        let uid = rustix::process::getuid().as_raw();
        let fallback = temporary.join(format!("surefire-sessions-{uid}"));
        let found = |runtime: &Path| candidates(Some(runtime), &temporary, "surefire-sessions");
        assert_eq!(found(&runtime), std::slice::from_ref(&fallback), "it does not exist yet");
        std::fs::create_dir(&runtime).unwrap();
        for (mode, own) in
            [(0o700, true), (0o755, true), (0o777, false), (0o1777, false), (0o770, false)]
        {
            std::fs::set_permissions(&runtime, std::fs::Permissions::from_mode(mode)).unwrap();
            let expected: Vec<_> =
                own.then(|| runtime.join("surefire-sessions")).into_iter().collect();
            assert_eq!(found(&runtime), [expected, vec![fallback.clone()]].concat(), "{mode:o}");
        }
        let file = place.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert_eq!(found(&file), std::slice::from_ref(&fallback));
        assert_eq!(found(Path::new("run")), std::slice::from_ref(&fallback));
        assert_eq!(candidates(None, &temporary, "surefire-sessions"), [fallback]);
    }

    /// Only the superuser can create a directory that belongs to another user, so the test does
    /// nothing for anyone else.
    #[test]
    fn a_runtime_directory_of_another_user_is_not_used() {
        let place = tempfile::tempdir().unwrap();
        let foreign = place.path().join("foreign");
        std::fs::create_dir(&foreign).unwrap();
        if std::os::unix::fs::chown(&foreign, Some(1000), None).is_err()
            || rustix::process::getuid().as_raw() == 1000
        {
            return;
        }
        let found = candidates(Some(&foreign), place.path(), "surefire-sessions");
        assert_eq!(found.len(), 1);
        assert!(!found[0].starts_with(&foreign), "{found:?}");
    }
}
