//! Where an agent may work.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

/// Where agents may work: in these directories and below.
///
/// Clones share one list, so that a directory can be allowed while the engine is open.
///
/// ```
/// use std::path::PathBuf;
/// use surefire::engine::Roots;
///
/// let roots = Roots::from(vec![PathBuf::from("/srv/one")]);
/// roots.clone().allow("/srv/two");
/// assert_eq!(roots.all(), [PathBuf::from("/srv/one"), PathBuf::from("/srv/two")]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Roots(Arc<RwLock<Vec<PathBuf>>>);

impl Roots {
    /// Allows one more directory.
    pub fn allow(&self, directory: impl Into<PathBuf>) {
        let directory = directory.into();
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if !all.contains(&directory) {
            all.push(directory);
        }
    }

    /// All of them, in the order in which they were allowed.
    #[must_use]
    pub fn all(&self) -> Vec<PathBuf> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl From<Vec<PathBuf>> for Roots {
    fn from(directories: Vec<PathBuf>) -> Self {
        Self(Arc::new(RwLock::new(directories)))
    }
}

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
pub(super) fn check(path: &Path, roots: &Roots) -> Result<PathBuf, DirectoryError> {
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
    let roots = roots.all();
    // A root that is itself reached by a link is compared where it really is.
    let inside = roots.iter().filter_map(|root| root.canonicalize().ok()).any(|root| real.starts_with(root));
    if inside { Ok(real) } else { Err(DirectoryError::Outside { path: real, roots }) }
}

/// The real path of a directory to begin with: this one if it may be worked in, otherwise the first root that is there.
pub(super) fn propose(near: Option<&Path>, roots: &Roots) -> Option<PathBuf> {
    let all = roots.all();
    // A root may be relative, and is compared where it really is, so it is proposed by its real path as well.
    let real = all.iter().filter_map(|root| root.canonicalize().ok());
    near.map(Path::to_owned).into_iter().chain(real).find_map(|path| check(&path, roots).ok())
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
        let roots = Roots::from(vec![base.join("alias")]);

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
    fn what_is_proposed_can_be_worked_in() {
        let place = tempfile::tempdir().unwrap();
        let base = place.path().canonicalize().unwrap();
        for folder in ["first/inner", "second/inner", "elsewhere"] {
            std::fs::create_dir_all(base.join(folder)).unwrap();
        }
        std::fs::write(base.join("file"), "").unwrap();
        std::os::unix::fs::symlink(base.join("first"), base.join("alias")).unwrap();
        let proposed = |near: Option<&str>, roots: &[&str]| {
            let roots = Roots::from(roots.iter().map(|root| base.join(root)).collect::<Vec<_>>());
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
        // The tests' own directory, by a path that is relative to it.
        let here = std::env::current_dir().unwrap().canonicalize().unwrap();
        assert_eq!(propose(None, &vec![PathBuf::from(".")].into()), Some(here));
    }
}
