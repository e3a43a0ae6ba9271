//! Repositories inside of a work tree: submodules, and others.

use std::path::PathBuf;

use surefire_testkit::sandbox::{GitSandbox, listing};

/// A repository with a submodule `sub`, and the submodule's path.
fn with_submodule() -> (GitSandbox, PathBuf) {
    let sandbox = GitSandbox::with_a_commit();
    let library = sandbox.folder.path().join("library");
    sandbox.git(&["clone", "--quiet", sandbox.top().to_str().unwrap(), library.to_str().unwrap()]);
    sandbox.git(&["submodule", "--quiet", "add", library.to_str().unwrap(), "sub"]);
    sandbox.commit("With a submodule");
    let sub = sandbox.top().join("sub");
    (sandbox, sub)
}

#[tokio::test]
async fn a_submodule_at_another_commit_is_a_change() {
    let (sandbox, sub) = with_submodule();
    let before = sandbox.snapshot().await;
    assert_eq!(before.tree, sandbox.git(&["rev-parse", "HEAD^{tree}"]));
    sandbox.git_in(&sub, &["commit", "--quiet", "--allow-empty", "--message", "Inside"]);
    let after = sandbox.snapshot().await;
    let changes = sandbox.repository().await.changes(&before.tree, &after.tree).await.unwrap();
    assert_eq!(
        changes.files.iter().map(|it| it.path.to_str().unwrap()).collect::<Vec<_>>(),
        ["sub"]
    );
    assert!(sandbox.files_of(&after.tree).contains(&"160000 sub".to_owned()));
}

#[tokio::test]
async fn uncommitted_changes_in_a_submodule_are_changes() {
    let (sandbox, sub) = with_submodule();
    let clean = sandbox.snapshot().await;
    std::fs::write(sub.join("a.txt"), "changed\n").unwrap();
    let first = sandbox.snapshot().await;
    assert_ne!(first.tree, clean.tree);
    assert_eq!(first, sandbox.snapshot().await);
    // It was dirty before, and is dirty in another way now.
    std::fs::write(sub.join("a.txt"), "changed once more\n").unwrap();
    let second = sandbox.snapshot().await;
    assert_ne!(second.tree, first.tree);
    std::fs::write(sub.join("untracked.txt"), "x").unwrap();
    assert_ne!(sandbox.snapshot().await.tree, second.tree);
    std::fs::remove_file(sub.join("untracked.txt")).unwrap();
    sandbox.git_in(&sub, &["checkout", "--quiet", "a.txt"]);
    assert_eq!(sandbox.snapshot().await, clean);
}

#[tokio::test]
async fn nothing_is_written_into_a_submodule() {
    let (sandbox, sub) = with_submodule();
    std::fs::write(sub.join("a.txt"), "changed\n").unwrap();
    std::fs::write(sub.join("untracked.txt"), "x").unwrap();
    let before = listing(&sandbox.top());
    sandbox.snapshot().await;
    assert!(listing(&sandbox.top()) == before);
}

#[tokio::test]
async fn repositories_that_are_not_submodules() {
    let sandbox = GitSandbox::with_a_commit();
    let clone = sandbox.top().join("vendor/clone");
    sandbox.git(&["clone", "--quiet", sandbox.top().to_str().unwrap(), clone.to_str().unwrap()]);
    sandbox.git(&["init", "--quiet", sandbox.top().join("unborn").to_str().unwrap()]);
    let first = sandbox.snapshot().await;
    let files = ["100644 a.txt", "100644 dir/b.txt", "100644 unborn", "160000 vendor/clone"];
    assert_eq!(sandbox.files_of(&first.tree), files);
    sandbox.git_in(&clone, &["commit", "--quiet", "--allow-empty", "--message", "Inside"]);
    assert_ne!(sandbox.snapshot().await.tree, first.tree);
}
