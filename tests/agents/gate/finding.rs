//! Finding the repository of a directory, HEAD and the main branch.

use std::path::Path;
use std::process::Command;

use surefire::gate::{GitError, Head, MainBranch};
use surefire_testkit::sandbox::GitSandbox;

#[tokio::test]
async fn only_a_directory_in_a_work_tree_has_a_repository() {
    let sandbox = GitSandbox::with_a_commit();
    for directory in [sandbox.top(), sandbox.top().join("dir")] {
        assert_eq!(
            sandbox.repository_in(&directory).await.top(),
            sandbox.top().canonicalize().unwrap()
        );
    }
    let bare = sandbox.folder.path().join("bare.git");
    sandbox.git(&["init", "--quiet", "--bare", bare.to_str().unwrap()]);
    let plain = tempfile::tempdir().unwrap();
    for directory in [bare.as_path(), &sandbox.top().join(".git"), plain.path()] {
        let found = sandbox.program().find(directory, &sandbox.objects()).await.unwrap();
        assert!(found.is_none(), "{}", directory.display());
    }
}

#[tokio::test]
async fn a_repository_that_git_cannot_or_will_not_read() {
    let find = async |sandbox: &GitSandbox, directory: &Path| {
        sandbox.program().find(directory, &sandbox.objects()).await.unwrap_err()
    };
    let sandbox = GitSandbox::with_a_commit();
    let missing = sandbox.folder.path().join("missing");
    assert!(matches!(find(&sandbox, &missing).await, GitError::NoDirectory { .. }));

    std::fs::remove_file(sandbox.top().join(".git/HEAD")).unwrap();
    let error = find(&sandbox, &sandbox.top().join("dir")).await;
    assert!(matches!(error, GitError::Damaged { .. }), "without HEAD: {error}");

    let sandbox = GitSandbox::new();
    let worktree = sandbox.folder.path().join("worktree");
    std::fs::create_dir(&worktree).unwrap();
    std::fs::write(worktree.join(".git"), "gitdir: /nowhere/at/all\n").unwrap();
    let error = find(&sandbox, &worktree).await;
    assert!(matches!(error, GitError::Damaged { .. }), "its repository is gone: {error}");
    assert!(error.to_string().contains("/nowhere/at/all"), "{error}");

    // Only root can give a directory to another user, so other users skip this part.
    let given = Command::new("chown").args(["-R", "4711"]).arg(sandbox.top()).output().unwrap();
    if given.status.success() {
        let error = find(&sandbox, &sandbox.top()).await;
        assert!(matches!(error, GitError::DubiousOwnership { .. }), "{error}");
        assert!(error.to_string().contains("git config --global --add safe.directory"), "{error}");
    }
}

#[tokio::test]
async fn where_head_is() {
    let sandbox = GitSandbox::new();
    let branch = |name: &str| Some(name.to_owned());
    assert_eq!(sandbox.head().await, Head { commit: None, branch: branch("main") });
    assert_eq!(sandbox.snapshot().await.head, sandbox.head().await);

    let commit = Some(sandbox.commit("First"));
    sandbox.git(&["checkout", "--quiet", "-b", "topic/x"]);
    assert_eq!(sandbox.head().await, Head { commit: commit.clone(), branch: branch("topic/x") });
    assert_eq!(sandbox.snapshot().await.head, sandbox.head().await);

    sandbox.git(&["checkout", "--quiet", "--detach"]);
    assert_eq!(sandbox.head().await, Head { commit, branch: None });
    assert_eq!(sandbox.snapshot().await.head, sandbox.head().await);
}

#[tokio::test]
async fn the_main_branch_is_main_or_that_of_origin() {
    let sandbox = GitSandbox::with_a_commit();
    let first = sandbox.git(&["rev-parse", "HEAD"]);
    let main = |name: &str, commit: &str| {
        Some(MainBranch { name: name.to_owned(), commit: commit.to_owned() })
    };
    let repository = sandbox.repository().await;
    assert_eq!(repository.main_branch().await.unwrap(), main("main", &first));

    sandbox.git(&["branch", "--move", "main", "trunk"]);
    assert_eq!(repository.main_branch().await.unwrap(), None);
    sandbox.git(&["branch", "main/folder"]);
    assert_eq!(repository.main_branch().await.unwrap(), None);
    sandbox.git(&["branch", "--delete", "main/folder"]);

    sandbox.git(&["update-ref", "refs/remotes/origin/trunk", "HEAD"]);
    assert_eq!(repository.main_branch().await.unwrap(), None);
    sandbox.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk"]);
    assert_eq!(repository.main_branch().await.unwrap(), main("origin/trunk", &first));
    sandbox.write("a.txt", "other");
    let second = sandbox.commit("Second");
    sandbox.git(&["branch", "main"]);
    assert_eq!(
        repository.main_branch().await.unwrap(),
        main("main", &second),
        "a local branch comes first"
    );

    assert!(repository.is_ancestor(&first, &second).await.unwrap());
    assert!(repository.is_ancestor(&second, &second).await.unwrap());
    assert!(!repository.is_ancestor(&second, &first).await.unwrap());
    let error = repository.is_ancestor("HEAD", &first).await.unwrap_err();
    assert!(matches!(error, GitError::InvalidId { .. }), "{error}");
    let error = repository.is_ancestor(&"1".repeat(40), &first).await.unwrap_err();
    assert!(matches!(error, GitError::Failed { .. }), "{error}");
}
