//! Where an agent may work.

use std::path::{Path, PathBuf};

/// Why a directory cannot be worked in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DirectoryError {
    /// It is relative, and this process's own directory means nothing to whoever asked.
    #[error("working directory `{}` is relative; give an absolute path", .0.display())]
    Relative(PathBuf),
    /// It is not there.
    #[error("working directory `{}` does not exist; create it, or name another one", .0.display())]
    Missing(PathBuf),
    /// It is something else.
    #[error("working directory `{}` is not a directory; name the directory it lies in", .0.display())]
    NotADirectory(PathBuf),
    /// It cannot be looked at.
    #[error("working directory `{}` cannot be used: {why}", path.display())]
    Unusable {
        /// What was asked for.
        path: PathBuf,
        /// In the system's words.
        why: String,
    },
    /// It lies outside of the roots, perhaps by way of a link.
    #[error(
        "working directory `{}` is outside of the allowed roots ({}); work inside of one, or allow it with --root",
        path.display(), .roots.iter().map(|root| root.display().to_string()).collect::<Vec<_>>().join(", ")
    )]
    Outside {
        /// Where it really is.
        path: PathBuf,
        /// The roots.
        roots: Vec<PathBuf>,
    },
}

/// The real path of a directory that may be worked in.
///
/// Links are resolved first, and whole components are compared: `/home/ann2` is not inside of `/home/ann`.
pub(super) fn check(path: &Path, roots: &[PathBuf]) -> Result<PathBuf, DirectoryError> {
    if !path.is_absolute() {
        return Err(DirectoryError::Relative(path.to_owned()));
    }
    let real = path.canonicalize().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => DirectoryError::Missing(path.to_owned()),
        std::io::ErrorKind::NotADirectory => DirectoryError::NotADirectory(path.to_owned()),
        _ => DirectoryError::Unusable { path: path.to_owned(), why: error.to_string() },
    })?;
    if !real.is_dir() {
        return Err(DirectoryError::NotADirectory(path.to_owned()));
    }
    // A root that is itself reached by a link is compared where it really is.
    let inside = roots.iter().filter_map(|root| root.canonicalize().ok()).any(|root| real.starts_with(root));
    if inside { Ok(real) } else { Err(DirectoryError::Outside { path: real, roots: roots.to_vec() }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bad_directory_has_its_words() {
        let place = tempfile::tempdir().unwrap();
        let base = place.path().canonicalize().unwrap();
        for folder in ["root/inner", "root2", "elsewhere"] {
            std::fs::create_dir_all(base.join(folder)).unwrap();
        }
        std::fs::write(base.join("root/file"), "").unwrap();
        std::os::unix::fs::symlink(base.join("elsewhere"), base.join("root/way-out")).unwrap();
        std::os::unix::fs::symlink(base.join("root/inner"), base.join("root/way-in")).unwrap();
        std::os::unix::fs::symlink(base.join("root"), base.join("alias")).unwrap();
        let roots = [base.join("alias")];

        assert_eq!(check(&base.join("root/inner"), &roots), Ok(base.join("root/inner")));
        assert_eq!(check(&base.join("root/way-in"), &roots), Ok(base.join("root/inner")));
        assert_eq!(check(&base.join("root"), &roots), Ok(base.join("root")));
        let table = [
            ("root/missing", "does not exist"),
            ("root/file", "is not a directory"),
            ("root/file/below", "is not a directory"),
            ("root2", "is outside of the allowed roots"),
            ("root/way-out", "is outside of the allowed roots"),
            ("root/inner/../../elsewhere", "is outside of the allowed roots"),
        ];
        for (path, words) in table {
            let error = check(&base.join(path), &roots).unwrap_err().to_string();
            assert!(error.contains(words), "{path}: {error}");
        }
        assert!(matches!(check(Path::new("root/inner"), &roots), Err(DirectoryError::Relative(_))));
        assert!(matches!(check(Path::new(""), &roots), Err(DirectoryError::Relative(_))));
    }
}
