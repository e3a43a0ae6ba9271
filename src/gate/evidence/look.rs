//! Checks one piece of evidence.

use std::path::{Path, PathBuf};

use super::exists::exists;
use super::looked::Looked;
use super::words::{head, list, list_commits, short};
use crate::Evidence;
use crate::gate::git::{CommitRange, GitError, Repository, TreeSnapshot};

/// What is needed about a run to check evidence in its repository.
#[derive(Debug, Clone, Copy)]
pub struct GitContext<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// The snapshot from when the run began.
    pub base: &'a TreeSnapshot,
    /// The current snapshot.
    pub now: &'a TreeSnapshot,
    /// The commit ranges of the run's turns.
    pub windows: &'a [CommitRange],
}

/// Why evidence could not be checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LookError {
    /// The evidence requires a git repository.
    #[error(
        "`{evidence}` can only be seen in a git repository, and `{}` is in none; run `git init` there, or start in another \
         directory",
        directory.display()
    )]
    NoRepository {
        /// The evidence.
        evidence: Evidence,
        /// The working directory.
        directory: PathBuf,
    },
    /// The evidence is a command, which has to be run: see [`Commands`](crate::gate::Commands).
    #[error("`{evidence}` is a command; it has to be run")]
    IsCommand {
        /// The evidence.
        evidence: Evidence,
    },
    /// Git failed.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// Checks evidence in a working directory. `git` is `None` if the directory is not in a repository.
///
/// # Errors
/// The evidence needs a repository and there is none, it is a command, or git fails. None of these
/// says anything about the outcome.
pub async fn look(
    evidence: &Evidence,
    directory: &Path,
    git: Option<GitContext<'_>>,
) -> Result<Looked, LookError> {
    let needed = || {
        let no_repository = || LookError::NoRepository {
            evidence: evidence.clone(),
            directory: directory.to_owned(),
        };
        git.ok_or_else(no_repository)
    };
    let looked = match evidence {
        Evidence::Commit => commit(needed()?).await?,
        Evidence::NoCommit => no_commit(needed()?),
        Evidence::Clean => clean(needed()?).await?,
        Evidence::CleanTree => clean_tree(needed()?).await?,
        Evidence::Changed => changed(needed()?).await?,
        Evidence::RebasedOnMain => rebased_on_main(needed()?).await?,
        Evidence::Exists(path) => {
            let top = git.map_or(directory, |git| git.repository.top());
            exists(directory, top, path).await
        }
        Evidence::Command(_) => return Err(LookError::IsCommand { evidence: evidence.clone() }),
    };
    Ok(looked)
}

async fn commit(git: GitContext<'_>) -> Result<Looked, GitError> {
    let (base, now) = (git.base.head.commit.as_deref(), git.now.head.commit.as_deref());
    let commits = git.repository.commits(base, now, git.windows).await?;
    if !commits.is_empty() {
        return Ok(Looked::met(list_commits(&commits)));
    }
    let found = match (base, now) {
        _ if base == now => {
            let still = head("HEAD is still", git.base);
            let lock = git.repository.lock_file().await.as_deref().map(locked).unwrap_or_default();
            format!("{still}; there is no new commit{lock}")
        }
        (_, None) => {
            format!("HEAD has no commit any more, and was at {} when the run began", short(base))
        }
        (_, Some(_)) if git.windows.iter().all(|window| window.before == window.after) => format!(
            "HEAD is at {} instead of {}, but it was not moved while this run worked",
            short(now),
            short(base)
        ),
        (_, Some(_)) => format!(
            "HEAD is at {} instead of {}, but no commit that this run made can be reached from it",
            short(now),
            short(base)
        ),
    };
    Ok(Looked::missing(found))
}

/// The reminder to the agent contains this text, so that the agent can remove the file.
fn locked(file: &Path) -> String {
    let file = file.display();
    format!("; `{file}` exists: if no git process works there, a killed one left it: remove it")
}

fn no_commit(git: GitContext<'_>) -> Looked {
    let (base, now) = (&git.base.head.commit, &git.now.head.commit);
    if base == now {
        return Looked::met(head("HEAD is", git.base));
    }
    let (base, now) = (short(base.as_deref()), short(now.as_deref()));
    Looked::missing(format!("HEAD is at {now}, and was at {base} when the run began"))
}

async fn clean(git: GitContext<'_>) -> Result<Looked, GitError> {
    let changed = git.repository.changed_paths(&git.base.tree, &git.now.tree).await?;
    if changed.is_empty() {
        return Ok(Looked::met("the run changed no file".to_owned()));
    }
    let uncommitted = uncommitted(git).await?;
    let both: Vec<_> = changed.intersection(&uncommitted).collect();
    Ok(if both.is_empty() {
        Looked::met("every file that the run changed is committed".to_owned())
    } else {
        Looked::missing(format!("uncommitted files of this run: {}", list(&both)))
    })
}

async fn clean_tree(git: GitContext<'_>) -> Result<Looked, GitError> {
    let uncommitted = uncommitted(git).await?;
    Ok(if uncommitted.is_empty() {
        Looked::met("every file is committed".to_owned())
    } else {
        let uncommitted: Vec<_> = uncommitted.iter().collect();
        Looked::missing(format!("uncommitted files: {}", list(&uncommitted)))
    })
}

async fn changed(git: GitContext<'_>) -> Result<Looked, GitError> {
    let changed = git.repository.changed_paths(&git.base.tree, &git.now.tree).await?;
    Ok(if changed.is_empty() {
        Looked::missing("all files are as they were when the run began".to_owned())
    } else {
        let changed: Vec<_> = changed.iter().collect();
        Looked::met(format!("changed files: {}", list(&changed)))
    })
}

async fn rebased_on_main(git: GitContext<'_>) -> Result<Looked, GitError> {
    let Some(main) = git.repository.main_branch().await? else {
        return Ok(Looked::missing(
            "there is neither a branch `main` nor a HEAD of `origin`".to_owned(),
        ));
    };
    let at = format!("`{}` at {}", main.name, short(Some(&main.commit)));
    let Some(commit) = &git.now.head.commit else {
        return Ok(Looked::missing(format!("HEAD has no commit, and {at} is not in it")));
    };
    let is_ancestor = git.repository.is_ancestor(&main.commit, commit).await?;
    Ok(if is_ancestor {
        Looked::met(format!("{at} is an ancestor of HEAD"))
    } else {
        Looked::missing(format!(
            "{at} is not an ancestor of HEAD, which is at {}",
            short(Some(commit))
        ))
    })
}

/// The paths whose content differs from HEAD.
async fn uncommitted(git: GitContext<'_>) -> Result<std::collections::BTreeSet<PathBuf>, GitError> {
    let committed = git.now.head.commit.as_deref().unwrap_or(git.repository.empty_tree());
    git.repository.changed_paths(committed, &git.now.tree).await
}
