//! Reads files from HEAD, regardless of the work tree.

use super::error::GitError;
use super::program::unexpected;
use super::repository::{Repository, checked};
use crate::gate::files::TRUSTED_FILES;

/// What HEAD has at a path.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    path: String,
    kind: Kind,
    id: String,
    bytes: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Link,
    Submodule,
    Directory,
}

impl Repository {
    /// The content of a file in HEAD; `None` if HEAD has no such file, or there is no commit. The
    /// path is relative to the top.
    ///
    /// # Errors
    /// The path is a symbolic link or a submodule, the file is too large, or git fails.
    pub async fn head_file(
        &self,
        path: &str,
        max_bytes: usize,
    ) -> Result<Option<Vec<u8>>, GitError> {
        let entries = self.entries(&[path]).await?;
        let Some(entry) = entries.into_iter().find(|entry| entry.path == path) else {
            return Ok(None);
        };
        let Entry { kind, id, bytes, .. } = entry;
        if !is_file(path, kind)? {
            return Ok(None);
        }
        if bytes > max_bytes as u64 {
            return Err(GitError::FileTooLarge { path: path.to_owned(), bytes, max_bytes });
        }
        Ok(Some(self.program().call(&["cat-file", "blob", &id]).output().await?))
    }

    /// The files in HEAD that trust in the repository depends on: each as its path relative to the
    /// top and the id of its content, sorted by path. Files that HEAD does not have are left out.
    ///
    /// # Errors
    /// One of them is a symbolic link or is reached through one, so that its content could
    /// change without changing these ids; or git fails.
    pub async fn trusted_ids(&self) -> Result<Vec<(String, String)>, GitError> {
        let above =
            TRUSTED_FILES.iter().filter_map(|path| path.split_once('/')).map(|(folder, _)| folder);
        let asked: Vec<_> = TRUSTED_FILES.into_iter().chain(above).collect();
        let mut ids = Vec::new();
        for Entry { path, kind, id, .. } in self.entries(&asked).await? {
            if is_file(&path, kind)? && TRUSTED_FILES.contains(&path.as_str()) {
                ids.push((path, id));
            }
        }
        ids.sort();
        Ok(ids)
    }

    /// The entries of HEAD at these paths; none if there is no commit.
    async fn entries(&self, paths: &[&str]) -> Result<Vec<Entry>, GitError> {
        let Some(commit) = self.head().await?.commit else { return Ok(Vec::new()) };
        let call = self.program().call(&["ls-tree", "-z", "--long", "--full-tree", &commit, "--"]);
        // Paths are literal: they may contain characters that are special in a pathspec.
        let output = call.arguments(paths).variable("GIT_LITERAL_PATHSPECS", "1").output().await?;
        let records = output.split(|byte| *byte == 0).filter(|record| !record.is_empty());
        records.map(entry).collect::<Option<_>>().ok_or_else(|| unexpected("git ls-tree", &output))
    }
}

/// Whether the entry is a file; a link or a submodule is an error.
fn is_file(path: &str, kind: Kind) -> Result<bool, GitError> {
    let refused = |what| Err(GitError::NotAFile { path: path.to_owned(), what });
    match kind {
        Kind::File => Ok(true),
        Kind::Directory => Ok(false),
        Kind::Link => refused("a symbolic link"),
        Kind::Submodule => refused("a submodule"),
    }
}

/// `<mode> <type> <id> <size> TAB <path>`, with spaces before the size.
fn entry(record: &[u8]) -> Option<Entry> {
    let text = String::from_utf8_lossy(record);
    let (fields, path) = text.split_once('\t')?;
    let mut fields = fields.split_ascii_whitespace();
    let (mode, _, id, size) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let kind = match mode {
        "120000" => Kind::Link,
        "160000" => Kind::Submodule,
        "040000" => Kind::Directory,
        _ => Kind::File,
    };
    let bytes = if kind == Kind::File { size.parse().ok()? } else { 0 };
    Some(Entry { path: path.to_owned(), kind, id: checked(id).ok()?.to_owned(), bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_entry() {
        let id = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        let table = [
            (format!("100644 blob {id}      12\ta b"), Some((Kind::File, 12))),
            (format!("100755 blob {id}       0\ta b"), Some((Kind::File, 0))),
            (format!("120000 blob {id}       3\ta b"), Some((Kind::Link, 0))),
            (format!("160000 commit {id}       -\ta b"), Some((Kind::Submodule, 0))),
            (format!("040000 tree {id}       -\ta b"), Some((Kind::Directory, 0))),
            (format!("100644 blob {id}       -\ta b"), None),
            ("100644 blob main 3\ta b".to_owned(), None),
            (format!("100644 blob {id} 3"), None),
        ];
        for (record, expected) in table {
            let entry = entry(record.as_bytes());
            assert!(entry.iter().all(|entry| entry.path == "a b" && entry.id == id));
            assert_eq!(entry.map(|entry| (entry.kind, entry.bytes)), expected, "{record}");
        }
    }
}
