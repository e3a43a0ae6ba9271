//! Which tracked files have uncommitted changes.

use std::path::PathBuf;

use super::error::GitError;
use super::program::{path, unexpected};
use super::repository::Repository;

const ARGUMENTS: [&str; 6] = [
    "status",
    "--porcelain=v2",
    "-z",
    "--no-renames",
    "--untracked-files=no",
    "--ignore-submodules=untracked",
];

impl Repository {
    /// The tracked files that differ from HEAD, staged or not, sorted by path. Untracked files are
    /// not included; a submodule is if it is at another commit or has tracked files with
    /// uncommitted changes itself.
    ///
    /// # Errors
    /// Git fails.
    pub async fn dirty_tracked(&self) -> Result<Vec<PathBuf>, GitError> {
        let output = self.program().call(&ARGUMENTS).output().await?;
        parse(&output).ok_or_else(|| unexpected("git status", &output))
    }
}

/// `1 <XY> <sub> <mH> <mI> <mW> <hH> <hI> <path>`, or `u` and two more fields for a path in
/// conflict.
fn parse(output: &[u8]) -> Option<Vec<PathBuf>> {
    let records = output.split(|byte| *byte == 0).filter(|record| !record.is_empty());
    let name = |record: &[u8]| {
        let fields = match record.first()? {
            b'1' => 9,
            b'u' => 11,
            _ => return None,
        };
        record.splitn(fields, |byte| *byte == b' ').nth(fields - 1).map(path)
    };
    let mut names = records.map(name).collect::<Option<Vec<_>>>()?;
    names.sort();
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_record() {
        let id = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        let output = format!(
            "u UU N... 100644 100644 100644 100644 {id} {id} {id} z in conflict\x001 .M N... 100644 100644 100644 {id} {id} a b\0"
        );
        assert_eq!(
            parse(output.as_bytes()).unwrap(),
            [PathBuf::from("a b"), "z in conflict".into()]
        );
        assert_eq!(parse(b"").unwrap(), Vec::<PathBuf>::new());
        for wrong in ["x", "1 .M N...", "? untracked", "u UU N... 1 1 1 1 1 1 1"] {
            assert_eq!(parse(format!("{wrong}\0").as_bytes()), None, "{wrong}");
        }
    }
}
