//! Worktrees: created, inspected and discarded, even after an interruption.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use surefire::gate::{Discarded, GitError, WorktreeState};
use surefire_testkit::sandbox::{GitSandbox, listing};

const BRANCH: &str = "surefire/run-1";

fn path(sandbox: &GitSandbox) -> PathBuf {
    sandbox.folder.path().join("data/worktrees/run-1")
}

async fn add(sandbox: &GitSandbox) -> Result<(), GitError> {
    sandbox.program().add_worktree(&sandbox.top(), &path(sandbox), BRANCH, "HEAD").await
}

async fn state(sandbox: &GitSandbox) -> WorktreeState {
    sandbox.program().worktree_state(&sandbox.top(), &path(sandbox), BRANCH).await.unwrap()
}

async fn discard(sandbox: &GitSandbox) -> Discarded {
    sandbox.program().discard_worktree(&sandbox.top(), &path(sandbox), BRANCH).await.unwrap()
}

/// A repository with a worktree.
async fn with_worktree() -> GitSandbox {
    let sandbox = GitSandbox::with_a_commit();
    add(&sandbox).await.unwrap();
    sandbox
}

/// The worktree is there, whole and clean, and the repository knows no other.
fn assert_whole(sandbox: &GitSandbox) {
    assert_eq!(sandbox.git_in(&path(sandbox), &["status", "--porcelain"]), "");
    assert_eq!(sandbox.git_in(&path(sandbox), &["symbolic-ref", "--short", "HEAD"]), BRANCH);
    assert_eq!(std::fs::read_to_string(path(sandbox).join("a.txt")).unwrap(), "one\ntwo\nthree\n");
    let list = sandbox.git(&["worktree", "list", "--porcelain"]);
    assert_eq!(list.matches("worktree ").count(), 2, "{list}");
    assert!(!list.contains("locked") && !list.contains("prunable"), "{list}");
}

#[tokio::test]
async fn a_worktree_is_created_on_a_new_branch() {
    let sandbox = GitSandbox::with_a_commit();
    let head = sandbox.git(&["rev-parse", "HEAD"]);
    sandbox.write("a.txt", "not committed\n");
    assert_eq!(state(&sandbox).await, WorktreeState::default());
    add(&sandbox).await.unwrap();
    assert_whole(&sandbox);
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&sandbox.folder.path().join("data")), 0o700);
    assert_eq!(mode(&sandbox.folder.path().join("data/worktrees")), 0o700);
    let expected = WorktreeState { present: true, branch: Some(head), uncommitted: 0, ahead: 0 };
    assert_eq!(state(&sandbox).await, expected);
}

#[tokio::test]
async fn a_worktree_can_be_created_from_a_subdirectory_and_of_another_commit() {
    let sandbox = GitSandbox::with_a_commit();
    let first = sandbox.git(&["rev-parse", "HEAD"]);
    sandbox.write("a.txt", "later\n");
    sandbox.commit("Second");
    let git = sandbox.program();
    git.add_worktree(&sandbox.top().join("dir"), &path(&sandbox), BRANCH, &first).await.unwrap();
    assert_whole(&sandbox);
    for wrong in ["missing", "--orphan", ""] {
        let other = sandbox.folder.path().join("other");
        let error = git.add_worktree(&sandbox.top(), &other, "other", wrong).await.unwrap_err();
        assert!(matches!(error, GitError::Failed { .. }), "{error}");
        assert!(!other.exists(), "{wrong}");
    }
}

#[tokio::test]
async fn no_hook_runs_when_a_worktree_is_created() {
    let sandbox = GitSandbox::with_a_commit();
    let (hook, ran) =
        (sandbox.top().join(".git/hooks/post-checkout"), sandbox.folder.path().join("ran"));
    std::fs::write(&hook, format!("#!/bin/sh\ntouch '{}'\n", ran.display())).unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    add(&sandbox).await.unwrap();
    assert!(!ran.exists());
    sandbox.git(&["worktree", "add", "--quiet", "../by-hand"]);
    assert!(ran.exists(), "an ordinary `git worktree add` runs the hook");
}

#[tokio::test]
async fn an_existing_worktree_is_left_unchanged() {
    let sandbox = with_worktree().await;
    std::fs::write(path(&sandbox).join("work.txt"), "work\n").unwrap();
    let before = listing(&path(&sandbox));
    add(&sandbox).await.unwrap();
    assert!(listing(&path(&sandbox)) == before);
    // Detached, as in the middle of a rebase.
    sandbox.git_in(&path(&sandbox), &["checkout", "--quiet", "--detach"]);
    add(&sandbox).await.unwrap();
    sandbox.git_in(&path(&sandbox), &["checkout", "--quiet", "-b", "another"]);
    let error = add(&sandbox).await.unwrap_err();
    assert!(error.to_string().contains("it is on the branch `another`"), "{error}");
    assert!(path(&sandbox).join("work.txt").exists());
}

#[tokio::test]
async fn a_worktree_of_a_commit_without_files_is_whole() {
    let sandbox = GitSandbox::new();
    let head = sandbox.commit("Nothing");
    for _ in 0..2 {
        add(&sandbox).await.unwrap();
        assert_eq!(state(&sandbox).await.branch, Some(head.clone()));
        assert!(state(&sandbox).await.present);
    }
}

#[tokio::test]
async fn a_partly_created_worktree_is_completed() {
    type Damage = fn(&GitSandbox);
    let table: [(&str, Damage); 7] = [
        ("killed in the middle of the checkout", |sandbox| {
            // Git leaves this lock until a worktree is whole.
            std::fs::write(sandbox.top().join(".git/worktrees/run-1/locked"), "initializing")
                .unwrap();
            std::fs::write(sandbox.top().join(".git/worktrees/run-1/index.lock"), "").unwrap();
            std::fs::remove_file(path(sandbox).join("a.txt")).unwrap();
            std::fs::remove_file(sandbox.top().join(".git/worktrees/run-1/index")).unwrap();
        }),
        ("killed before the directory was made", |sandbox| {
            std::fs::write(sandbox.top().join(".git/worktrees/run-1/locked"), "initializing")
                .unwrap();
            std::fs::remove_dir_all(path(sandbox)).unwrap();
        }),
        ("killed before the first file", |sandbox| {
            std::fs::write(sandbox.top().join(".git/worktrees/run-1/locked"), "initializing")
                .unwrap();
            std::fs::remove_dir_all(path(sandbox).join("dir")).unwrap();
            std::fs::remove_file(path(sandbox).join("a.txt")).unwrap();
        }),
        ("the directory is there and not registered", |sandbox| {
            std::fs::remove_dir_all(sandbox.top().join(".git/worktrees")).unwrap();
            std::fs::remove_dir_all(path(sandbox).join("dir")).unwrap();
            std::fs::remove_file(path(sandbox).join("a.txt")).unwrap();
        }),
        ("registered, and the directory is missing", |sandbox| {
            std::fs::remove_dir_all(path(sandbox)).unwrap();
        }),
        ("the branch is there and no worktree", |sandbox| {
            sandbox.git(&["worktree", "remove", path(sandbox).to_str().unwrap()]);
        }),
        ("the directory is there and empty, and nothing else", |sandbox| {
            sandbox.git(&["worktree", "remove", path(sandbox).to_str().unwrap()]);
            sandbox.git(&["branch", "--quiet", "-D", BRANCH]);
            std::fs::create_dir(path(sandbox)).unwrap();
        }),
    ];
    for (what, damage) in table {
        let sandbox = with_worktree().await;
        damage(&sandbox);
        add(&sandbox).await.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_whole(&sandbox);
    }
}

#[tokio::test]
async fn another_stale_worktree_stays_registered() {
    let sandbox = with_worktree().await;
    let other = sandbox.folder.path().join("unplugged");
    sandbox.git(&["worktree", "add", "--quiet", other.to_str().unwrap()]);
    std::fs::remove_dir_all(&other).unwrap();
    std::fs::remove_dir_all(path(&sandbox)).unwrap();
    add(&sandbox).await.unwrap();
    discard(&sandbox).await;
    assert!(sandbox.git(&["worktree", "list"]).contains("unplugged"));
}

#[tokio::test]
async fn files_that_are_not_a_worktree_are_not_touched() {
    let sandbox = GitSandbox::with_a_commit();
    std::fs::create_dir_all(path(&sandbox)).unwrap();
    std::fs::write(path(&sandbox).join("precious.txt"), "x").unwrap();
    let error = add(&sandbox).await.unwrap_err();
    assert!(matches!(error, GitError::InTheWay { .. }), "{error}");
    assert!(error.to_string().contains("move them elsewhere"), "{error}");
    assert!(path(&sandbox).join("precious.txt").exists());
    assert_eq!(sandbox.git(&["branch", "--list", BRANCH]), "");
}

#[tokio::test]
async fn a_link_in_the_place_of_a_worktree_is_refused() {
    let sandbox = GitSandbox::with_a_commit();
    let precious = sandbox.folder.path().join("precious");
    std::fs::create_dir_all(&precious).unwrap();
    std::fs::write(precious.join("a.txt"), "x").unwrap();
    std::fs::create_dir_all(path(&sandbox).parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&precious, path(&sandbox)).unwrap();
    let git = sandbox.program();
    let errors = [
        add(&sandbox).await.unwrap_err(),
        git.discard_worktree(&sandbox.top(), &path(&sandbox), BRANCH).await.unwrap_err(),
        git.worktree_state(&sandbox.top(), &path(&sandbox), BRANCH).await.unwrap_err(),
    ];
    for error in errors {
        assert!(error.to_string().contains("it is a symbolic link"), "{error}");
    }
    assert!(precious.join("a.txt").exists() && path(&sandbox).is_symlink());
}

#[tokio::test]
async fn the_repository_itself_is_never_discarded() {
    let sandbox = GitSandbox::with_a_commit();
    let git = sandbox.program();
    for path in [sandbox.top(), sandbox.folder.path().to_owned()] {
        let error = git.discard_worktree(&sandbox.top(), &path, BRANCH).await.unwrap_err();
        assert!(matches!(error, GitError::InTheWay { .. }), "{error}");
    }
    let other = GitSandbox::with_a_commit();
    let error = git.discard_worktree(&sandbox.top(), &other.top(), BRANCH).await.unwrap_err();
    assert!(matches!(error, GitError::Directory { .. }), "{error}");
    assert!(sandbox.top().join("a.txt").exists() && other.top().join("a.txt").exists());
}

#[tokio::test]
async fn a_discarded_worktree_is_gone_with_its_branch() {
    let sandbox = with_worktree().await;
    let outside = sandbox.folder.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("precious.txt"), "x").unwrap();
    std::os::unix::fs::symlink(&outside, path(&sandbox).join("link")).unwrap();
    std::fs::write(path(&sandbox).join("committed.txt"), "x").unwrap();
    sandbox.git_in(&path(&sandbox), &["add", "committed.txt"]);
    sandbox.git_in(&path(&sandbox), &["commit", "--quiet", "--message", "Work"]);
    std::fs::write(path(&sandbox).join("a.txt"), "changed\n").unwrap();
    let commit = sandbox.git(&["rev-parse", BRANCH]);
    let expected =
        WorktreeState { present: true, branch: Some(commit.clone()), uncommitted: 2, ahead: 1 };
    assert_eq!(state(&sandbox).await, expected);
    assert_eq!(discard(&sandbox).await, Discarded { commit, uncommitted: 2 });
    assert!(!path(&sandbox).exists() && outside.join("precious.txt").exists());
    assert_eq!(sandbox.git(&["branch", "--list", BRANCH]), "");
    assert_eq!(sandbox.git(&["worktree", "list"]).lines().count(), 1);
    assert_eq!(state(&sandbox).await, WorktreeState::default());
    // Once more, as after a crash.
    assert_eq!(discard(&sandbox).await, Discarded { commit: String::new(), uncommitted: 0 });
}

#[tokio::test]
async fn what_the_user_removed_can_be_discarded() {
    for (directory, branch) in [(true, false), (false, true), (true, true)] {
        let sandbox = with_worktree().await;
        let commit = sandbox.git(&["rev-parse", "HEAD"]);
        if directory {
            std::fs::remove_dir_all(path(&sandbox)).unwrap();
        }
        if branch {
            sandbox.git(&["update-ref", "-d", &format!("refs/heads/{BRANCH}")]);
        }
        let before = state(&sandbox).await;
        assert_eq!((before.present, before.branch.is_some()), (!directory, !branch));
        let discarded = discard(&sandbox).await;
        assert!(branch || discarded.commit == commit, "{discarded:?}");
        assert!(!path(&sandbox).exists());
        assert_eq!(sandbox.git(&["branch", "--list", BRANCH]), "");
        assert_eq!(sandbox.git(&["worktree", "list"]).lines().count(), 1);
    }
}

#[tokio::test]
async fn a_partly_removed_worktree_can_be_discarded() {
    let sandbox = with_worktree().await;
    std::fs::remove_file(path(&sandbox).join(".git")).unwrap();
    assert!(!state(&sandbox).await.present);
    discard(&sandbox).await;
    assert!(!path(&sandbox).exists());
    assert_eq!(sandbox.git(&["worktree", "list"]).lines().count(), 1);
}

#[tokio::test]
async fn a_locked_worktree_and_one_with_a_submodule_can_be_discarded() {
    let sandbox = GitSandbox::with_a_commit();
    let library = sandbox.folder.path().join("library");
    sandbox.git(&["clone", "--quiet", sandbox.top().to_str().unwrap(), library.to_str().unwrap()]);
    sandbox.git(&["submodule", "--quiet", "add", library.to_str().unwrap(), "sub"]);
    sandbox.commit("With a submodule");
    add(&sandbox).await.unwrap();
    sandbox.git_in(&path(&sandbox), &["submodule", "--quiet", "update", "--init"]);
    sandbox.git(&["worktree", "lock", path(&sandbox).to_str().unwrap()]);
    std::fs::write(path(&sandbox).join("sub/a.txt"), "changed\n").unwrap();
    assert_eq!(discard(&sandbox).await.uncommitted, 1);
    assert!(!path(&sandbox).exists());
    assert_eq!(sandbox.git(&["worktree", "list"]).lines().count(), 1);
}

#[tokio::test]
async fn a_branch_that_is_checked_out_elsewhere_is_named_in_the_error() {
    let sandbox = with_worktree().await;
    sandbox.git(&["worktree", "remove", path(&sandbox).to_str().unwrap()]);
    sandbox.git(&["checkout", "--quiet", BRANCH]);
    let error = add(&sandbox).await.unwrap_err();
    assert!(error.to_string().contains(BRANCH), "{error}");
    let error = sandbox
        .program()
        .discard_worktree(&sandbox.top(), &path(&sandbox), BRANCH)
        .await
        .unwrap_err();
    assert!(error.to_string().contains(BRANCH), "{error}");
    assert_eq!(sandbox.git(&["symbolic-ref", "--short", "HEAD"]), BRANCH);
}
