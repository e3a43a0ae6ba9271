//! Finding a program on a `PATH`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

/// The first program of this name in the folders of a `PATH`.
///
/// Relative and empty entries are skipped, because they depend on the working directory.
///
/// ```
/// use surefire::process::find_on_path;
///
/// let shell = find_on_path("sh", "relative:/nowhere:/bin".as_ref());
/// assert_eq!(shell, Some("/bin/sh".into()));
/// assert_eq!(find_on_path("sh", "".as_ref()), None);
/// ```
#[must_use]
pub fn find_on_path(program: &str, path: &OsStr) -> Option<PathBuf> {
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(program)).find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    // For a directory, the execute permission means that it can be searched.
    file.metadata().is_ok_and(|metadata| metadata.is_file())
        && access(file, Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn directories_and_files_that_cannot_be_executed_are_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let folders = ["directory", "plain", "program"].map(|name| folder.path().join(name));
        let [directory, plain, program] = folders.each_ref().map(|folder| folder.join("bd"));
        fs::create_dir_all(directory).unwrap();
        for (file, mode) in [(&plain, 0o644), (&program, 0o755)] {
            fs::create_dir(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
            fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
        }
        let path = std::env::join_paths(&folders).unwrap();
        assert_eq!(find_on_path("bd", &path), Some(program));
        let path = std::env::join_paths(&folders[..2]).unwrap();
        assert_eq!(find_on_path("bd", &path), None);
    }
}
