//! Merging the branch of a worktree, and everything that prevents it.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use surefire::gate::{Environment, Git, GitWorktreeError, Merged};
use surefire_testkit::sandbox::{GitSandbox, listing};

const BRANCH: &str = "surefire/run-1";

fn path(sandbox: &GitSandbox) -> PathBuf {
    sandbox.folder.path().join("worktree")
}

/// A repository with a worktree in which these files were committed.
async fn with_work(files: &[(&str, &str)]) -> GitSandbox {
    let sandbox = GitSandbox::with_a_commit();
    let git = sandbox.program();
    git.add_worktree(&sandbox.top(), &path(&sandbox), BRANCH, "HEAD").await.unwrap();
    for (name, content) in files {
        std::fs::write(path(&sandbox).join(name), content).unwrap();
    }
    commit_in(&sandbox, &path(&sandbox), "Work");
    sandbox
}

fn commit_in(sandbox: &GitSandbox, directory: &Path, message: &str) -> String {
    sandbox.git_in(directory, &["add", "--all"]);
    sandbox.git_in(directory, &["commit", "--quiet", "--allow-empty", "--message", message]);
    sandbox.git_in(directory, &["rev-parse", "HEAD"])
}

async fn merge(sandbox: &GitSandbox) -> Result<Merged, GitWorktreeError> {
    sandbox.program().merge_worktree(&sandbox.top(), &path(sandbox), BRANCH).await
}

/// What a refused merge must not change: HEAD and all branches, the index, and every file on both
/// sides.
fn everything(sandbox: &GitSandbox) -> impl PartialEq + use<> {
    let refs = sandbox.git(&["for-each-ref"]) + &sandbox.git(&["symbolic-ref", "HEAD"]);
    let index = sandbox.git(&["ls-files", "--stage"]);
    let status = sandbox.git(&["status", "--porcelain=v2"]);
    let mut files = listing(&sandbox.top());
    files.retain(|(file, _)| !file.starts_with(sandbox.top().join(".git")));
    (refs, index, status, files, path(sandbox).exists().then(|| listing(&path(sandbox))))
}

/// The merge is refused, and nothing is changed.
async fn refused(sandbox: &GitSandbox) -> GitWorktreeError {
    let before = everything(sandbox);
    let error = merge(sandbox).await.expect_err("it is refused");
    assert!(everything(sandbox) == before, "something changed: {error}");
    error
}

fn assert_gone(sandbox: &GitSandbox) {
    assert!(!path(sandbox).exists());
    assert_eq!(sandbox.git(&["branch", "--list", BRANCH]), "");
    assert_eq!(sandbox.git(&["worktree", "list"]).lines().count(), 1);
}

fn into_main(commit: String) -> Merged {
    Merged { into: Some("main".to_owned()), commit }
}

#[tokio::test]
async fn head_is_fast_forwarded_if_possible() {
    let sandbox = with_work(&[("a.txt", "work\n"), ("new.txt", "new\n")]).await;
    let tip = sandbox.git(&["rev-parse", BRANCH]);
    // What the merge does not touch may be changed, staged or untracked.
    sandbox.write("dir/b.txt", "mine\n");
    sandbox.write("staged.txt", "mine\n");
    sandbox.git(&["add", "staged.txt"]);
    sandbox.write("untracked.txt", "mine\n");
    assert_eq!(merge(&sandbox).await.unwrap(), into_main(tip.clone()));
    assert_eq!(sandbox.git(&["rev-parse", "HEAD"]), tip);
    assert_eq!(std::fs::read_to_string(sandbox.top().join("a.txt")).unwrap(), "work\n");
    let status = sandbox.git(&["status", "--porcelain"]);
    assert_eq!(status, " M dir/b.txt\nA  staged.txt\n?? untracked.txt");
    assert_gone(&sandbox);
}

#[tokio::test]
async fn otherwise_a_merge_commit_is_made_in_the_users_name() {
    let sandbox = with_work(&[("new.txt", "new\n")]).await;
    let tip = sandbox.git(&["rev-parse", BRANCH]);
    sandbox.write("a.txt", "meanwhile\n");
    let head = sandbox.commit("Meanwhile");
    sandbox.write("dir/b.txt", "mine\n");
    let merged = merge(&sandbox).await.unwrap();
    assert_eq!(merged, into_main(sandbox.git(&["rev-parse", "HEAD"])));
    let shown = sandbox.git(&["show", "--no-patch", "--format=%H%n%P%n%an <%ae>%n%cn%n%B", "HEAD"]);
    let commit = &merged.commit;
    let expected = format!(
        "{commit}\n{head} {tip}\nA Person <person@example.com>\nA Person\nMerge branch '{BRANCH}'"
    );
    assert_eq!(shown.trim_end(), expected);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), " M dir/b.txt");
    assert!(sandbox.top().join("new.txt").exists());
    assert_gone(&sandbox);
}

#[tokio::test]
async fn a_detached_head_is_moved_and_no_branch_is_named() {
    let sandbox = with_work(&[("new.txt", "new\n")]).await;
    sandbox.git(&["checkout", "--quiet", "--detach"]);
    assert_eq!(merge(&sandbox).await.unwrap().into, None);
    assert_gone(&sandbox);
}

#[tokio::test]
async fn no_hook_runs_and_no_setting_changes_how_a_merge_is_made() {
    let sandbox = with_work(&[("new.txt", "new\n")]).await;
    let tip = sandbox.git(&["rev-parse", BRANCH]);
    let ran = sandbox.folder.path().join("ran");
    for name in ["post-merge", "pre-merge-commit", "reference-transaction", "post-checkout"] {
        let hook = sandbox.top().join(".git/hooks").join(name);
        std::fs::write(&hook, format!("#!/bin/sh\ntouch '{}'\nexit 1\n", ran.display())).unwrap();
        std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    for (name, value) in [
        ("merge.ff", "false"),
        ("branch.main.mergeOptions", "--squash --no-commit"),
        ("merge.autoStash", "true"),
    ] {
        sandbox.git(&["config", name, value]);
    }
    assert_eq!(merge(&sandbox).await.unwrap().commit, tip);
    assert!(!ran.exists());
    assert_gone(&sandbox);
}

#[tokio::test]
async fn uncommitted_files_in_the_worktree_are_listed() {
    let sandbox = with_work(&[]).await;
    std::fs::write(path(&sandbox).join(".gitignore"), "*.log\n").unwrap();
    commit_in(&sandbox, &path(&sandbox), "Ignore");
    for name in ["a.txt", "untracked.txt", "noise.log"] {
        std::fs::write(path(&sandbox).join(name), "changed\n").unwrap();
    }
    let error = refused(&sandbox).await;
    assert!(
        matches!(&error, GitWorktreeError::Uncommitted { files, .. } if files.len() == 2),
        "{error}"
    );
    assert!(error.to_string().contains("`a.txt`, `untracked.txt`; commit them"), "{error}");
    sandbox.git_in(&path(&sandbox), &["checkout", "--quiet", "a.txt"]);
    std::fs::remove_file(path(&sandbox).join("untracked.txt")).unwrap();
    // Ignored files do not prevent a merge.
    merge(&sandbox).await.unwrap();
    assert_gone(&sandbox);
}

#[tokio::test]
async fn commits_that_are_not_on_the_branch_are_not_lost() {
    let sandbox = with_work(&[]).await;
    sandbox.git_in(&path(&sandbox), &["checkout", "--quiet", "--detach"]);
    std::fs::write(path(&sandbox).join("more.txt"), "more\n").unwrap();
    let commit = commit_in(&sandbox, &path(&sandbox), "Off the branch");
    let error = refused(&sandbox).await;
    assert!(matches!(&error, GitWorktreeError::OffBranch { .. }), "{error}");
    assert!(error.to_string().contains(&commit), "{error}");
}

#[tokio::test]
async fn commits_of_a_submodule_are_not_lost() {
    let sandbox = GitSandbox::with_a_commit();
    let library = sandbox.folder.path().join("library");
    sandbox.git(&["clone", "--quiet", sandbox.top().to_str().unwrap(), library.to_str().unwrap()]);
    sandbox.git(&["submodule", "--quiet", "add", library.to_str().unwrap(), "sub"]);
    sandbox.commit("With a submodule");
    let git = sandbox.program();
    git.add_worktree(&sandbox.top(), &path(&sandbox), BRANCH, "HEAD").await.unwrap();
    sandbox.git_in(&path(&sandbox), &["submodule", "--quiet", "update", "--init"]);
    let inside = commit_in(&sandbox, &path(&sandbox).join("sub"), "Inside");
    commit_in(&sandbox, &path(&sandbox), "Moved");
    let error = refused(&sandbox).await;
    assert!(matches!(&error, GitWorktreeError::Submodules { .. }), "{error}");
    assert!(
        error.to_string().starts_with("the branch moves `sub` to commits that only"),
        "{error}"
    );
    let copy = path(&sandbox).join("sub");
    sandbox
        .git_in(&sandbox.top().join("sub"), &["fetch", "--quiet", copy.to_str().unwrap(), &inside]);
    merge(&sandbox).await.unwrap();
    assert_gone(&sandbox);
}

#[tokio::test]
async fn changes_that_the_merge_would_overwrite_are_listed() {
    let sandbox = with_work(&[("a.txt", "work\n"), ("new.txt", "new\n")]).await;
    sandbox.write("dir/b.txt", "mine\n");
    for (name, clean) in [("a.txt", "one\ntwo\nthree\n"), ("new.txt", "")] {
        sandbox.write(name, "mine\n");
        let error = refused(&sandbox).await;
        let GitWorktreeError::WouldOverwrite { files, .. } = &error else { panic!("{error}") };
        assert_eq!(files, &[PathBuf::from(name)]);
        if clean.is_empty() { sandbox.remove(name) } else { sandbox.write(name, clean) }
    }
    merge(&sandbox).await.unwrap();
}

#[tokio::test]
async fn an_ignored_file_in_the_way_is_not_overwritten() {
    let sandbox = with_work(&[(".env", "work\n")]).await;
    std::fs::write(sandbox.top().join(".git/info/exclude"), ".env\n").unwrap();
    sandbox.write(".env", "secret\n");
    let error = refused(&sandbox).await;
    assert!(error.to_string().contains(".env"), "{error}");
    assert_eq!(std::fs::read_to_string(sandbox.top().join(".env")).unwrap(), "secret\n");
}

#[tokio::test]
async fn merge_conflicts_leave_head_index_and_files_as_before() {
    let sandbox =
        with_work(&[("a.txt", "work\n"), ("dir/b.txt", "work\n"), ("new.txt", "new\n")]).await;
    sandbox.write("a.txt", "meanwhile\n");
    sandbox.write("dir/b.txt", "meanwhile\n");
    sandbox.commit("Meanwhile");
    sandbox.write("staged.txt", "mine\n");
    sandbox.git(&["add", "staged.txt"]);
    let error = refused(&sandbox).await;
    let GitWorktreeError::Conflicts { files } = &error else { panic!("{error}") };
    assert_eq!(files, &[PathBuf::from("a.txt"), "dir/b.txt".into()]);
    assert!(error.to_string().contains("in `a.txt`, `dir/b.txt`; merge by hand"), "{error}");
    assert!(!sandbox.top().join(".git/MERGE_HEAD").exists());
}

#[tokio::test]
async fn a_repository_in_the_middle_of_a_merge_or_a_rebase_is_left_alone() {
    for (arguments, what) in [(["merge", "topic"], "a merge"), (["rebase", "topic"], "a rebase")] {
        let sandbox = with_work(&[("new.txt", "new\n")]).await;
        sandbox.git(&["checkout", "--quiet", "-b", "topic"]);
        sandbox.write("a.txt", "theirs\n");
        sandbox.commit("Theirs");
        sandbox.git(&["checkout", "--quiet", "main"]);
        sandbox.write("a.txt", "ours\n");
        sandbox.commit("Ours");
        assert!(!sandbox.try_git(&sandbox.top(), &arguments).0);
        let error = merge(&sandbox).await.unwrap_err();
        assert!(
            matches!(error, GitWorktreeError::InProgress { what: found, .. } if found == what),
            "{error}"
        );
        assert!(path(&sandbox).join("new.txt").exists() && !sandbox.top().join("new.txt").exists());
    }
}

#[tokio::test]
async fn a_rebase_in_progress_in_the_worktree_is_left_alone() {
    let sandbox = with_work(&[("a.txt", "work\n")]).await;
    sandbox.write("a.txt", "meanwhile\n");
    sandbox.commit("Meanwhile");
    assert!(!sandbox.try_git(&path(&sandbox), &["rebase", "main"]).0);
    let error = refused(&sandbox).await;
    assert!(matches!(error, GitWorktreeError::InProgress { what: "a rebase", .. }), "{error}");
}

#[tokio::test]
async fn a_merge_commit_without_an_identity_is_refused() {
    let sandbox = with_work(&[("new.txt", "new\n")]).await;
    sandbox.write("a.txt", "meanwhile\n");
    sandbox.commit("Meanwhile");
    let named = |name: &std::ffi::OsString| name.to_string_lossy().contains("_EMAIL");
    let variables = sandbox.variables().into_iter().filter(|(name, _)| !named(name));
    let git = Git::new(&variables.collect::<Environment>());
    let before = everything(&sandbox);
    let error = git.merge_worktree(&sandbox.top(), &path(&sandbox), BRANCH).await.unwrap_err();
    assert!(matches!(error, GitWorktreeError::NoIdentity), "{error}");
    assert!(error.to_string().contains("git config --global user.email"), "{error}");
    assert!(everything(&sandbox) == before);
    sandbox.git(&["config", "user.email", "configured@example.com"]);
    git.merge_worktree(&sandbox.top(), &path(&sandbox), BRANCH).await.unwrap();
    assert_eq!(
        sandbox.git(&["show", "--no-patch", "--format=%ae", "HEAD"]),
        "configured@example.com"
    );
}

#[tokio::test]
async fn a_merge_without_new_commits_only_removes_the_worktree() {
    let sandbox = with_work(&[]).await;
    sandbox.git(&["merge", "--quiet", BRANCH]);
    sandbox.write("a.txt", "later\n");
    let head = sandbox.commit("Later");
    assert_eq!(merge(&sandbox).await.unwrap(), into_main(head));
    assert_gone(&sandbox);
}

#[tokio::test]
async fn a_worktree_that_the_user_removed_is_merged_by_its_branch() {
    let sandbox = with_work(&[("new.txt", "new\n")]).await;
    std::fs::remove_dir_all(path(&sandbox)).unwrap();
    merge(&sandbox).await.unwrap();
    assert!(sandbox.top().join("new.txt").exists());
    assert_gone(&sandbox);
}

#[tokio::test]
async fn a_merge_can_be_repeated_after_a_crash() {
    type Crash = fn(&GitSandbox);
    let table: [(&str, Crash); 4] = [
        ("before anything was removed", |_| ()),
        ("before the worktree was forgotten", |sandbox| {
            std::fs::remove_dir_all(path(sandbox)).unwrap();
        }),
        ("before the branch was deleted", |sandbox| {
            sandbox.git(&["worktree", "remove", path(sandbox).to_str().unwrap()]);
        }),
        ("before the merge was recorded", |sandbox| {
            sandbox.git(&["worktree", "remove", path(sandbox).to_str().unwrap()]);
            sandbox.git(&["branch", "--quiet", "-D", BRANCH]);
        }),
    ];
    for (what, crash) in table {
        let sandbox = with_work(&[("new.txt", "new\n")]).await;
        let tip = sandbox.git(&["rev-parse", BRANCH]);
        sandbox.git(&["merge", "--quiet", "--ff-only", BRANCH]);
        crash(&sandbox);
        let merged = merge(&sandbox).await.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(merged, into_main(tip), "{what}");
        assert_gone(&sandbox);
    }
    // And after a complete merge.
    let sandbox = with_work(&[("new.txt", "new\n")]).await;
    sandbox.write("a.txt", "meanwhile\n");
    sandbox.commit("Meanwhile");
    let merged = merge(&sandbox).await.unwrap();
    assert_eq!(merge(&sandbox).await.unwrap(), merged);
}

#[tokio::test]
async fn a_deleted_branch_that_was_never_merged_is_not_called_merged() {
    let sandbox = with_work(&[("new.txt", "new\n")]).await;
    sandbox.git(&["worktree", "remove", path(&sandbox).to_str().unwrap()]);
    sandbox.git(&["branch", "--quiet", "-D", BRANCH]);
    let error = refused(&sandbox).await;
    assert!(matches!(error, GitWorktreeError::NoBranch { .. }), "{error}");
}
