//! Which changed files break the rules.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use super::error::GitError;
use super::repository::Repository;
use crate::gate::files::{PathKind, Rules};
use crate::process::run_blocking;
use crate::{FileRules, Violation};

/// How many violations are listed.
pub const MAX_LISTED_VIOLATIONS: usize = 200;

impl Repository {
    /// The files that differ between two trees against the rules, sorted by path: at most
    /// [`MAX_LISTED_VIOLATIONS`]. The ids come from [`snapshot`](Self::snapshot).
    ///
    /// A file that was renamed is judged at both places, and one that was changed and changed back
    /// does not differ. A submodule is judged by its own path. `written` are the paths that the
    /// agent's own tools wrote, absolute or relative to the top; those outside the work tree are
    /// ignored.
    ///
    /// # Errors
    /// A pattern of the rules cannot be parsed, what is given is not an id, an object was deleted
    /// meanwhile, or git fails.
    pub async fn violations(
        &self,
        from_tree: &str,
        to_tree: &str,
        rules: &FileRules,
        written: &[PathBuf],
    ) -> Result<Vec<Violation>, GitError> {
        let rules = Rules::new(rules)?;
        let changed = self.changed_places(from_tree, to_tree).await?;
        let (top, written) = (self.top().to_owned(), written.to_owned());
        Ok(run_blocking(move || judge(&top, changed, &rules, &written)).await)
    }
}

fn judge(
    top: &Path,
    changed: Vec<(PathBuf, PathKind)>,
    rules: &Rules,
    written: &[PathBuf],
) -> Vec<Violation> {
    let written = if changed.is_empty() { HashSet::new() } else { below(top, written) };
    let mut violations = Vec::new();
    for (path, kind) in changed {
        let name = path.to_string_lossy().into_owned();
        // A submodule with uncommitted changes is a text in a snapshot, so its kind is read from
        // the disk.
        let is_directory =
            || top.join(&path).symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
        let kind =
            if kind == PathKind::File && is_directory() { PathKind::Repository } else { kind };
        let broken = rules.judge(&name, kind, &written);
        violations.extend(broken.map(|rule| Violation { path: name, rule }));
    }
    violations.sort_by(|one, other| one.path.cmp(&other.path));
    violations.truncate(MAX_LISTED_VIOLATIONS);
    violations
}

/// The paths below the top, each as given and with links resolved: a tool that writes through a
/// link changes the link's target.
fn below(top: &Path, paths: &[PathBuf]) -> HashSet<String> {
    let real_top = top.canonicalize();
    let tops: Vec<_> = std::iter::once(top).chain(real_top.as_deref().ok()).collect();
    let mut found = HashSet::new();
    for path in paths {
        let path = top.join(path);
        let candidates = [Some(flat(&path)), path.canonicalize().ok(), parent_followed(&path)];
        for candidate in candidates.into_iter().flatten() {
            let relative = tops.iter().find_map(|top| candidate.strip_prefix(top).ok());
            found.extend(relative.map(|path| path.to_string_lossy().into_owned()));
        }
    }
    found
}

/// The path with the links in its parent resolved, for a file that no longer exists or is a link
/// itself.
fn parent_followed(path: &Path) -> Option<PathBuf> {
    Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?))
}

/// The path without `.` and `..`.
fn flat(path: &Path) -> PathBuf {
    let mut flat = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(flat.pop()),
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                flat.push(component);
            }
        }
    }
    flat
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_file_is_found_by_any_path_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().join("top");
        std::fs::create_dir_all(top.join("src")).unwrap();
        std::fs::write(top.join("src/a.rs"), "").unwrap();
        std::os::unix::fs::symlink("src", top.join("link")).unwrap();
        std::os::unix::fs::symlink(&top, folder.path().join("other")).unwrap();
        let others = folder.path().join("other");
        // path, as which it is found
        let table = [
            (PathBuf::from("src/a.rs"), vec!["src/a.rs"]),
            ("src/../src/./a.rs".into(), vec!["src/a.rs"]),
            (top.join("src/a.rs"), vec!["src/a.rs"]),
            (others.join("src/a.rs"), vec!["src/a.rs"]),
            ("link/a.rs".into(), vec!["link/a.rs", "src/a.rs"]),
            ("link".into(), vec!["link", "src"]),
            ("link/gone.rs".into(), vec!["link/gone.rs", "src/gone.rs"]),
            ("gone/deep.rs".into(), vec!["gone/deep.rs"]),
            ("/etc/passwd".into(), vec![]),
            ("../outside".into(), vec![]),
            (folder.path().join("top2/a"), vec![]),
        ];
        for (path, expected) in table {
            let mut found: Vec<_> = below(&top, std::slice::from_ref(&path)).into_iter().collect();
            found.sort();
            assert_eq!(found, expected, "{}", path.display());
        }
    }
}
