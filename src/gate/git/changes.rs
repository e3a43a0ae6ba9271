//! Which files differ between two snapshots, and by how many lines.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use super::error::GitError;
use super::program::{path, unexpected};
use super::repository::{Repository, checked};
use crate::gate::files::PathKind;

/// How many files are listed.
pub const MAX_LISTED_FILES: usize = 200;

/// Among how many files renames are detected: the time grows with its square.
const RENAME_LIMIT: &str = "-l400";

/// What differs between two snapshots.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TreeChanges {
    /// The first files that differ, sorted by path: at most [`MAX_LISTED_FILES`].
    pub files: Vec<TreeChange>,
    /// How many files differ in total.
    pub total_files: usize,
    /// How many lines were added in all of them.
    pub added: u64,
    /// How many lines were removed in all of them.
    pub removed: u64,
}

/// A file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TreeChange {
    /// Relative to the top of the work tree. It may not be UTF-8; show it with
    /// [`display`](std::path::Path::display).
    pub path: PathBuf,
    /// How it differs.
    pub kind: ChangeKind,
    /// How many lines were added; `None` for a binary file.
    pub added: Option<u32>,
    /// How many lines were removed; `None` for a binary file.
    pub removed: Option<u32>,
}

/// How a file differs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChangeKind {
    /// It was added.
    Added,
    /// Its content or its executable bit changed.
    Modified,
    /// It was deleted.
    Deleted,
    /// It was renamed, and its content may have changed as well.
    Renamed {
        /// Its earlier path.
        from: PathBuf,
    },
    /// Its type changed: a symbolic link, a submodule or a file became another of these.
    TypeChanged,
}

impl Repository {
    /// Which files differ between two trees, whose ids come from [`snapshot`](Self::snapshot).
    ///
    /// # Errors
    /// What is given is not an id, an object was deleted meanwhile, or git fails.
    pub async fn changes(&self, from: &str, to: &str) -> Result<TreeChanges, GitError> {
        if checked(from)? == checked(to)? {
            return Ok(TreeChanges::default());
        }
        let arguments =
            ["diff-tree", "-r", "-z", "--raw", "--numstat", "-M", RENAME_LIMIT, "--no-ext-diff"];
        let call = self.program().call(&arguments).argument(from).argument(to);
        let output = call.output().await?;
        parse(&output).ok_or_else(|| unexpected("git diff-tree", &output))
    }

    /// The paths that differ between two trees, or commits, each with whether it is a link or a
    /// repository on either side. A file that was renamed is two of them.
    pub(super) async fn changed_places(
        &self,
        from: &str,
        to: &str,
    ) -> Result<Vec<(PathBuf, PathKind)>, GitError> {
        if checked(from)? == checked(to)? {
            return Ok(Vec::new());
        }
        let call = self.program().call(&[
            "diff-tree",
            "-r",
            "-z",
            "--raw",
            "--no-renames",
            "--no-ext-diff",
        ]);
        let output = call.argument(from).argument(to).output().await?;
        places(&output).ok_or_else(|| unexpected("git diff-tree", &output))
    }

    /// The paths that differ between two trees, or commits. A file that was renamed is two of them.
    pub(in crate::gate) async fn changed_paths(
        &self,
        from: &str,
        to: &str,
    ) -> Result<BTreeSet<PathBuf>, GitError> {
        if checked(from)? == checked(to)? {
            return Ok(BTreeSet::new());
        }
        let call = self.program().call(&["diff-tree", "-r", "-z", "--name-only", "--no-renames"]);
        let output = call.argument(from).argument(to).output().await?;
        Ok(output.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(path).collect())
    }
}

/// Parses raw records without renames: `:<mode> <mode> <id> <id> <kind>`, then a path.
fn places(output: &[u8]) -> Option<Vec<(PathBuf, PathKind)>> {
    let mut fields = output.split(|byte| *byte == 0).filter(|field| !field.is_empty());
    let mut places = Vec::new();
    while let Some(field) = fields.next() {
        let mut modes = field.strip_prefix(b":")?.split(|byte| *byte == b' ');
        let modes = [modes.next()?, modes.next()?];
        let kind = if modes.contains(&b"160000".as_slice()) {
            PathKind::Repository
        } else if modes.contains(&b"120000".as_slice()) {
            PathKind::Link
        } else {
            PathKind::File
        };
        places.push((path(fields.next()?), kind));
    }
    Some(places)
}

/// Parses the raw records and the line counts after them; `None` if they are not in the documented
/// format.
fn parse(output: &[u8]) -> Option<TreeChanges> {
    let mut fields = output.split(|byte| *byte == 0);
    let mut kinds = Vec::new();
    let mut counts = HashMap::new();
    let (mut all_added, mut all_removed) = (0, 0);
    while let Some(field) = fields.next() {
        if field.is_empty() {
            continue;
        }
        // `:<mode> <mode> <id> <id> <kind><score>`, then a path, or two.
        if let Some(raw) = field.strip_prefix(b":") {
            let letter = *raw.split(|byte| *byte == b' ').nth(4)?.first()?;
            let mut name = || fields.next().filter(|name| !name.is_empty()).map(path);
            let first = name()?;
            kinds.push(match letter {
                b'A' => (first, ChangeKind::Added),
                b'M' => (first, ChangeKind::Modified),
                b'D' => (first, ChangeKind::Deleted),
                b'T' => (first, ChangeKind::TypeChanged),
                b'R' => (name()?, ChangeKind::Renamed { from: first }),
                _ => return None,
            });
            continue;
        }
        // `<added> TAB <removed> TAB <path>`; for a renamed file the path is empty, and both
        // follow.
        let mut parts = field.splitn(3, |byte| *byte == b'\t');
        let (added, removed, name) = (parts.next()?, parts.next()?, parts.next()?);
        let name = if name.is_empty() { fields.nth(1)? } else { name };
        let (added, removed) = (count(added)?, count(removed)?);
        all_added += u64::from(added.unwrap_or(0));
        all_removed += u64::from(removed.unwrap_or(0));
        counts.insert(name, (added, removed));
    }
    let total_files = kinds.len();
    kinds.truncate(MAX_LISTED_FILES);
    let files = kinds.into_iter().map(|(path, kind)| {
        use std::os::unix::ffi::OsStrExt;
        let (added, removed) =
            counts.get(path.as_os_str().as_bytes()).copied().unwrap_or((None, None));
        TreeChange { path, kind, added, removed }
    });
    Some(TreeChanges {
        files: files.collect(),
        total_files,
        added: all_added,
        removed: all_removed,
    })
}

/// A number, or `-` for a binary file.
#[expect(clippy::option_option, reason = "neither, no number, or one")]
fn count(text: &[u8]) -> Option<Option<u32>> {
    if text == b"-" { Some(None) } else { str::from_utf8(text).ok()?.parse().ok().map(Some) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAW: &str = ":100644 100644 4b825dc 4b825dc";

    #[test]
    fn records_are_combined_with_their_counts() {
        let output = format!(
            "{RAW} M\0a b\0{RAW} A\0bin\0{RAW} R091\0old\0new\0{RAW} T\0link\x003\t2\ta b\0-\t-\tbin\x001\t0\t\0old\0new\x001\t1\tlink\0"
        );
        let changes = parse(output.as_bytes()).unwrap();
        let file = |path: &str, kind, added, removed| TreeChange {
            path: path.into(),
            kind,
            added,
            removed,
        };
        let files = vec![
            file("a b", ChangeKind::Modified, Some(3), Some(2)),
            file("bin", ChangeKind::Added, None, None),
            file("new", ChangeKind::Renamed { from: "old".into() }, Some(1), Some(0)),
            file("link", ChangeKind::TypeChanged, Some(1), Some(1)),
        ];
        assert_eq!(changes, TreeChanges { files, total_files: 4, added: 5, removed: 3 });
    }

    #[test]
    fn a_link_or_a_repository_on_either_side_counts() {
        let record = |modes: &str, path: &str| format!(":{modes} 4b825dc 4b825dc M\0{path}\0");
        let output = [
            record("100644 100755", "file"),
            record("100644 120000", "became a link"),
            record("160000 000000", "was a repository"),
        ];
        let expected = [
            ("file".into(), PathKind::File),
            ("became a link".into(), PathKind::Link),
            ("was a repository".into(), PathKind::Repository),
        ];
        assert_eq!(places(output.concat().as_bytes()).unwrap(), expected);
        for wrong in ["x\0", ":100644\0a\0", ":100644 100644 a b M\0"] {
            assert_eq!(places(wrong.as_bytes()), None, "{wrong:?}");
        }
    }

    #[test]
    fn the_list_is_limited_and_the_totals_are_not() {
        let files = MAX_LISTED_FILES + 50;
        let raw: String = (0..files).map(|number| format!("{RAW} M\0{number:04}\0")).collect();
        let counts: String = (0..files).map(|number| format!("2\t1\t{number:04}\0")).collect();
        let changes = parse(format!("{raw}{counts}").as_bytes()).unwrap();
        assert_eq!((changes.files.len(), changes.total_files), (MAX_LISTED_FILES, files));
        assert_eq!((changes.added, changes.removed), (500, 250));
    }

    #[test]
    fn undocumented_output_is_refused() {
        for wrong in
            ["x", ":100644", &format!("{RAW} X\0a\0"), &format!("{RAW} R100\0a"), "1\t2", "x\t2\ta"]
        {
            assert_eq!(parse(format!("{wrong}\0").as_bytes()), None, "{wrong}");
        }
    }
}
