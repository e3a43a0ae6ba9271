//! The worktrees that a repository knows of.

use std::path::{Path, PathBuf};

use crate::gate::git::error::GitError;
use crate::gate::git::program::{Program, path, unexpected};

/// What git writes as the reason of a lock while it makes a worktree. Where it is left, git was
/// killed meanwhile.
const HALF_MADE: &str = "initializing";

/// A worktree as the repository knows it, whether its directory is there or not.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Registered {
    pub(super) path: PathBuf,
    /// Its commit; `None` without one.
    pub(super) head: Option<String>,
    /// Its branch, without `refs/heads/`; `None` where its HEAD is detached.
    pub(super) branch: Option<String>,
    /// Whether git was killed while it made it.
    pub(super) half_made: bool,
}

/// The worktree at this path, if the repository knows it. The path has to be [`real`].
pub(super) async fn registered(
    program: &Program,
    at: &Path,
) -> Result<Option<Registered>, GitError> {
    let output = program.call(&["worktree", "list", "--porcelain", "-z"]).output().await?;
    let all = parse(&output).ok_or_else(|| unexpected("git worktree", &output))?;
    Ok(all.into_iter().find(|it| it.path == at || real(&it.path) == at))
}

/// The path with the links above it followed, as far as it is there. Its last part is not followed.
pub(super) fn real(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (Some(above), Some(name)) = (path.parent(), path.file_name()) else { return path };
    match above.canonicalize() {
        Ok(above) => above.join(name),
        Err(_) => real(above).join(name),
    }
}

/// Records that end with an empty field: `worktree <path>`, `HEAD <id>`, `branch <ref>`,
/// `locked <reason>` and others.
fn parse(output: &[u8]) -> Option<Vec<Registered>> {
    let mut all = Vec::new();
    for field in output.split(|byte| *byte == 0) {
        if let Some(at) = field.strip_prefix(b"worktree ") {
            all.push(Registered { path: path(at), ..Registered::default() });
            continue;
        }
        let field = String::from_utf8_lossy(field);
        let (name, value) = field.split_once(' ').unwrap_or((&field, ""));
        if name.is_empty() {
            continue;
        }
        let worktree = all.last_mut()?;
        match name {
            // All zeros where there is no commit.
            "HEAD" => {
                worktree.head = value.contains(|digit| digit != '0').then(|| value.to_owned());
            }
            "branch" => {
                worktree.branch =
                    Some(value.strip_prefix("refs/heads/").unwrap_or(value).to_owned());
            }
            "locked" => worktree.half_made = value == HALF_MADE,
            // `bare`, `detached`, `prunable`, and what later versions may add.
            _ => {}
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_worktree() {
        let id = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        let zeros = "0".repeat(40);
        let output = format!(
            "worktree /a b\0HEAD {id}\0branch refs/heads/run/x\0\0worktree /c\0HEAD {id}\0detached\0locked\0\0\
             worktree /d\0HEAD {zeros}\0branch refs/heads/y\0locked initializing\0prunable gone\0\0"
        );
        let worktree =
            |path: &str, head: Option<&str>, branch: Option<&str>, half_made| Registered {
                path: path.into(),
                head: head.map(str::to_owned),
                branch: branch.map(str::to_owned),
                half_made,
            };
        let expected = [
            worktree("/a b", Some(id), Some("run/x"), false),
            worktree("/c", Some(id), None, false),
            worktree("/d", None, Some("y"), true),
        ];
        assert_eq!(parse(output.as_bytes()).unwrap(), expected);
        assert_eq!(parse(b"HEAD without a worktree\0"), None);
    }

    #[test]
    fn a_path_that_is_not_there_is_followed_as_far_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        std::fs::create_dir(folder.join("real")).unwrap();
        std::os::unix::fs::symlink("real", folder.join("link")).unwrap();
        assert_eq!(real(&folder.join("link/a/b")), folder.join("real/a/b"));
        assert_eq!(real(&folder.join("link")), folder.join("link"));
    }
}
