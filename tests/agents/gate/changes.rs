//! What differs between two snapshots.

use std::path::{Path, PathBuf};

use surefire::gate::{ChangeKind, GitError, TreeChanges};
use surefire_testkit::sandbox::GitSandbox;

/// What a piece of work changes, from a commit with `a.txt`, `dir/b.txt` and `text.txt`.
async fn changes(work: impl FnOnce(&GitSandbox)) -> TreeChanges {
    let sandbox = GitSandbox::with_a_commit();
    sandbox.write("text.txt", (0..50).map(|number| format!("line {number}\n")).collect::<String>());
    sandbox.commit("Second");
    let before = sandbox.snapshot().await;
    work(&sandbox);
    let after = sandbox.snapshot().await;
    sandbox.repository().await.changes(&before.tree, &after.tree).await.unwrap()
}

fn kinds(changes: &TreeChanges) -> Vec<(&str, ChangeKind)> {
    changes.files.iter().map(|it| (it.path.to_str().unwrap(), it.kind.clone())).collect()
}

#[tokio::test]
async fn files_that_were_added_changed_and_deleted() {
    let changes = changes(|sandbox| {
        sandbox.write("a.txt", "one\nTWO\nthree\nfour\n");
        sandbox.write("bin", [0, 1, 2]);
        sandbox.remove("dir/b.txt");
    })
    .await;
    let expected = [
        ("a.txt", ChangeKind::Modified),
        ("bin", ChangeKind::Added),
        ("dir/b.txt", ChangeKind::Deleted),
    ];
    assert_eq!(kinds(&changes), expected);
    assert_eq!((changes.total_files, changes.added, changes.removed), (3, 2, 2));
    let lines: Vec<_> = changes.files.iter().map(|file| (file.added, file.removed)).collect();
    assert_eq!(lines, [(Some(2), Some(1)), (None, None), (Some(0), Some(1))]);
}

#[tokio::test]
async fn files_that_were_renamed() {
    for to in ["moved.txt", "TEXT.txt"] {
        let changes = changes(|sandbox| {
            std::fs::rename(sandbox.top().join("text.txt"), sandbox.top().join(to)).unwrap();
            let text = std::fs::read_to_string(sandbox.top().join(to)).unwrap();
            sandbox.write(to, text + "one more\n");
        })
        .await;
        assert_eq!(
            kinds(&changes),
            [(to, ChangeKind::Renamed { from: PathBuf::from("text.txt") })]
        );
        assert_eq!((changes.files[0].added, changes.files[0].removed), (Some(1), Some(0)));
    }
}

#[tokio::test]
async fn a_file_that_became_a_link() {
    let changes = changes(|sandbox| {
        sandbox.remove("a.txt");
        std::os::unix::fs::symlink("dir", sandbox.top().join("a.txt")).unwrap();
    })
    .await;
    assert_eq!(kinds(&changes), [("a.txt", ChangeKind::TypeChanged)]);
}

#[tokio::test]
async fn nothing_changed() {
    assert_eq!(changes(|_| ()).await, TreeChanges::default());
}

#[tokio::test]
async fn a_diff_is_cut_at_a_line() {
    let sandbox = GitSandbox::with_a_commit();
    let before = sandbox.snapshot().await;
    sandbox.write("a.txt", "one\nüber\nthree\n");
    sandbox.write("dir/b.txt", b"\xff\n");
    let after = sandbox.snapshot().await;
    let repository = sandbox.repository().await;
    let whole = repository.diff(&before.tree, &after.tree, 1 << 20).await.unwrap();
    assert!(!whole.cut && whole.text.contains("-two\n+über\n three\n"), "{}", whole.text);
    assert!(
        whole.text.contains("diff --git a/dir/b.txt b/dir/b.txt")
            && whole.text.contains("+\u{fffd}\n")
    );
    for max_bytes in 0..200 {
        let part = repository.diff(&before.tree, &after.tree, max_bytes).await.unwrap();
        assert!(part.cut && part.text.len() <= max_bytes && whole.text.starts_with(&part.text));
        assert!(part.text.is_empty() || part.text.ends_with('\n'));
    }
}

#[tokio::test]
async fn an_id_that_is_not_a_tree_is_refused() {
    let sandbox = GitSandbox::with_a_commit();
    let repository = sandbox.repository().await;
    let tree = sandbox.snapshot().await.tree;
    for wrong in ["--output=/tmp/x", "HEAD", ""] {
        assert!(matches!(repository.changes(wrong, &tree).await, Err(GitError::InvalidId { .. })));
        assert!(matches!(repository.diff(&tree, wrong, 10).await, Err(GitError::InvalidId { .. })));
    }
    let gone = "1".repeat(40);
    assert!(matches!(repository.changes(&gone, &tree).await, Err(GitError::Failed { .. })));
    assert!(matches!(repository.diff(&gone, &tree, 10).await, Err(GitError::Failed { .. })));
}

#[tokio::test]
async fn many_files() {
    let changes = changes(|sandbox| {
        (0..300).for_each(|number| {
            sandbox.write(Path::new(&format!("many/{number:03}.txt")), "x\ny\n");
        });
    })
    .await;
    assert_eq!((changes.files.len(), changes.total_files), (200, 300));
    assert_eq!((changes.added, changes.removed), (600, 0));
}
