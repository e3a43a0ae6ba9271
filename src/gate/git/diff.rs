//! What differs between two snapshots, as text.

use super::error::GitError;
use super::repository::{Repository, checked};

/// A unified diff.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Diff {
    /// Its text, in which bytes that are not UTF-8 are replaced. It contains what the files
    /// contain, so a program that shows it in a terminal has to strip control sequences.
    pub text: String,
    /// Whether it is only the beginning.
    pub cut: bool,
}

impl Repository {
    /// The diff between two trees, whose ids come from [`snapshot`](Self::snapshot), cut after a
    /// whole line to at most this many bytes.
    ///
    /// # Errors
    /// What is given is not an id, an object was deleted meanwhile, or git fails.
    pub async fn diff(&self, from: &str, to: &str, max_bytes: usize) -> Result<Diff, GitError> {
        const ARGUMENTS: [&str; 9] = [
            "diff-tree",
            "-r",
            "-p",
            "-M",
            "-l400",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--submodule=short",
        ];
        if checked(from)? == checked(to)? {
            return Ok(Diff::default());
        }
        let call = self.program().call(&ARGUMENTS).argument(from).argument(to);
        let answer = call.cut_at(max_bytes).answer().await?;
        if answer.cut {
            let whole =
                answer.stdout.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            let bytes = answer.stdout.get(..whole).unwrap_or_default();
            return Ok(Diff { text: String::from_utf8_lossy(bytes).into_owned(), cut: true });
        }
        if answer.code != Some(0) {
            return Err(answer.into_error());
        }
        Ok(Diff { text: String::from_utf8_lossy(&answer.stdout).into_owned(), cut: false })
    }
}
