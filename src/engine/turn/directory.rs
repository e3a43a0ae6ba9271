//! The directories that agents may work in.

use std::path::{Path, PathBuf};

use crate::recipe::advice;
use crate::{Advise, Remedy};

/// Why agents may not work in a directory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DirectoryError {
    /// The path is relative, and the client does not know this process's working directory.
    #[error("working directory `{}` is relative{}", .0.display(), advice(self))]
    Relative(PathBuf),
    /// It does not exist.
    #[error("working directory `{}` does not exist{}", .0.display(), advice(self))]
    Missing(PathBuf),
    /// It is not a directory.
    #[error("working directory `{}` is not a directory{}", .0.display(), advice(self))]
    NotADirectory(PathBuf),
    /// It cannot be accessed.
    #[error("working directory `{}` cannot be used: {why}", path.display())]
    Unusable {
        /// The requested path.
        path: PathBuf,
        /// The system's error message.
        why: String,
    },
    /// The directory was replaced by a symbolic link to another one.
    #[error("working directory `{}` now leads to `{}`{}", path.display(), real.display(), advice(self))]
    Moved {
        /// Where the agent was to work.
        path: PathBuf,
        /// Where the path leads now.
        real: PathBuf,
    },
    /// It lies outside the roots, perhaps through a symbolic link.
    #[error(
        "working directory `{}` is outside of the allowed roots ({}){}",
        path.display(), .roots.iter().map(|root| root.display().to_string()).collect::<Vec<_>>().join(", "), advice(self)
    )]
    Outside {
        /// Its real path.
        path: PathBuf,
        /// The roots.
        roots: Vec<PathBuf>,
    },
}

impl Advise for DirectoryError {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Relative(_) => Some(Remedy::AbsolutePath),
            Self::Missing(_) => Some(Remedy::CreateDirectory),
            Self::NotADirectory(_) => Some(Remedy::UseParentDirectory),
            Self::Unusable { .. } => None,
            Self::Moved { .. } => Some(Remedy::StartAtLinkTarget),
            Self::Outside { .. } => Some(Remedy::AllowRoot),
        }
    }
}

/// Checks that agents may work in a directory, and returns its real path.
///
/// Symbolic links are resolved first, and whole components are compared: `/home/ann2` is not inside
/// `/home/ann`.
pub(in crate::engine) fn check(path: &Path, roots: &[PathBuf]) -> Result<PathBuf, DirectoryError> {
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
    // A root may itself be reached through a link, so its real path is compared.
    let inside =
        roots.iter().filter_map(|root| root.canonicalize().ok()).any(|root| real.starts_with(root));
    if inside {
        Ok(real)
    } else {
        Err(DirectoryError::Outside { path: real, roots: roots.to_vec() })
    }
}

/// Checks a directory again before a turn: it may have been moved or replaced by a link since.
pub(in crate::engine) fn recheck(path: &Path, roots: &[PathBuf]) -> Result<(), DirectoryError> {
    let real = check(path, roots)?;
    if real == path { Ok(()) } else { Err(DirectoryError::Moved { path: path.to_owned(), real }) }
}

/// A directory to suggest: `near` if agents may work in it, otherwise the first root that exists.
/// Returns its real path.
pub(in crate::engine) fn propose(near: Option<&Path>, roots: &[PathBuf]) -> Option<PathBuf> {
    // A root may be relative, so its real path is proposed.
    let real = roots.iter().filter_map(|root| root.canonicalize().ok());
    near.map(Path::to_owned).into_iter().chain(real).find_map(|path| check(&path, roots).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bad_directory_has_its_message() {
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

    #[test]
    fn a_proposed_directory_passes_the_check() {
        let place = tempfile::tempdir().unwrap();
        let base = place.path().canonicalize().unwrap();
        for folder in ["first/inner", "second/inner", "elsewhere"] {
            std::fs::create_dir_all(base.join(folder)).unwrap();
        }
        std::fs::write(base.join("file"), "").unwrap();
        std::os::unix::fs::symlink(base.join("first"), base.join("alias")).unwrap();
        let proposed = |near: Option<&str>, roots: &[&str]| {
            let roots: Vec<_> = roots.iter().map(|root| base.join(root)).collect();
            let found = propose(near.map(|near| base.join(near)).as_deref(), &roots)?;
            assert_eq!(check(&found, &roots).as_ref(), Ok(&found));
            Some(found.strip_prefix(&base).unwrap().display().to_string())
        };
        let table: [(Option<&str>, &[&str], Option<&str>); 9] = [
            (Some("first/inner"), &["first"], Some("first/inner")),
            (Some("second/inner"), &["first", "second"], Some("second/inner")),
            (Some("alias/inner"), &["first"], Some("first/inner")),
            (Some("elsewhere"), &["first", "second"], Some("first")),
            (Some("elsewhere"), &["missing", "file", "alias"], Some("first")),
            (Some("first/gone"), &["second"], Some("second")),
            (None, &["second", "first"], Some("second")),
            (Some("elsewhere"), &["missing", "file"], None),
            (None, &[], None),
        ];
        for (near, roots, expected) in table {
            assert_eq!(proposed(near, roots).as_deref(), expected, "{near:?} {roots:?}");
        }
        // The tests' own working directory, as a relative path.
        let here = std::env::current_dir().unwrap().canonicalize().unwrap();
        assert_eq!(propose(None, &[PathBuf::from(".")]), Some(here));
    }
}
