//! A snapshot is the whole work tree as it is: two of them are the same if the files are.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use surefire::gate::{GitError, MAX_SNAPSHOT_FILE_BYTES};
use surefire_testkit::sandbox::GitSandbox;

#[tokio::test]
async fn a_snapshot_has_changed_and_untracked_files_but_no_ignored_ones() {
    let sandbox = GitSandbox::with_a_commit();
    assert_eq!(sandbox.snapshot().await.tree, sandbox.git(&["rev-parse", "HEAD^{tree}"]));

    sandbox.write(".gitignore", "*.log\n/target/\n");
    sandbox.write("a.txt", "changed\n");
    sandbox.write("new/deep/c.txt", "c\n");
    sandbox.write("staged.txt", "staged\n");
    sandbox.git(&["add", "staged.txt"]);
    sandbox.write("staged.txt", "and changed again\n");
    sandbox.write("noise.log", "x");
    sandbox.write("target/debug/x", "x");
    sandbox.remove("dir/b.txt");
    let tree = sandbox.snapshot().await.tree;
    let files = ["100644 .gitignore", "100644 a.txt", "100644 new/deep/c.txt", "100644 staged.txt"];
    assert_eq!(sandbox.files_of(&tree), files);
    assert_eq!(sandbox.content_of(&tree, "a.txt"), "changed\n");
    assert_eq!(sandbox.content_of(&tree, "staged.txt"), "and changed again\n");
}

#[tokio::test]
async fn a_snapshot_is_of_the_whole_work_tree_wherever_a_run_is_started() {
    let sandbox = GitSandbox::with_a_commit();
    sandbox.write("a.txt", "changed\n");
    sandbox.write("dir/new.txt", "new\n");
    let below = sandbox.repository_in(&sandbox.top().join("dir")).await;
    assert_eq!(below.snapshot().await.unwrap(), sandbox.snapshot().await);
}

#[tokio::test]
async fn a_change_that_is_undone_does_not_count() {
    let sandbox = GitSandbox::with_a_commit();
    sandbox.write("untracked.txt", "as it was\n");
    let before = sandbox.snapshot().await;
    sandbox.write("a.txt", "other\n");
    sandbox.write("untracked.txt", "other\n");
    sandbox.write("new.txt", "new\n");
    assert_ne!(sandbox.snapshot().await, before);
    sandbox.write("a.txt", "one\ntwo\nthree\n");
    sandbox.write("untracked.txt", "as it was\n");
    sandbox.remove("new.txt");
    assert_eq!(sandbox.snapshot().await, before);
    // Neither the index nor the time of a file matter.
    sandbox.git(&["add", "untracked.txt"]);
    File::options()
        .write(true)
        .open(sandbox.top().join("a.txt"))
        .unwrap()
        .set_modified(std::time::UNIX_EPOCH)
        .unwrap();
    assert_eq!(sandbox.snapshot().await, before);
}

/// A file that is changed at the same moment as the index is written has the time and size that the
/// index records.
#[tokio::test]
async fn a_change_right_after_the_index_was_written_is_seen() {
    let sandbox = GitSandbox::new();
    sandbox.write("a.txt", "1");
    sandbox.commit("One");
    // The test sets the times, so that it does not depend on the machine's speed. Git ignores the
    // time of the last change, which cannot be set.
    sandbox.git(&["config", "core.trustctime", "false"]);
    let moment = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let set = |path: &str| {
        let file = File::options().write(true).open(sandbox.top().join(path)).unwrap();
        file.set_modified(moment).unwrap();
    };
    set("a.txt");
    sandbox.git(&["update-index", "--refresh"]);
    set(".git/index");
    let before = sandbox.snapshot().await;
    sandbox.write("a.txt", "2");
    set("a.txt");
    assert_ne!(sandbox.snapshot().await.tree, before.tree);
}

#[tokio::test]
async fn a_repository_without_commits() {
    let sandbox = GitSandbox::new();
    let empty = sandbox.snapshot().await;
    assert_eq!(empty.tree, "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
    assert!(!sandbox.top().join(".git/index").exists());
    sandbox.write("a.txt", "a\n");
    sandbox.write("b.txt", "b\n");
    sandbox.git(&["add", "b.txt"]);
    let tree = sandbox.snapshot().await.tree;
    assert_eq!(sandbox.files_of(&tree), ["100644 a.txt", "100644 b.txt"]);
}

#[tokio::test]
async fn a_repository_with_sha256_ids() {
    let sandbox = GitSandbox::new();
    std::fs::remove_dir_all(sandbox.top().join(".git")).unwrap();
    sandbox.git(&["init", "--quiet", "--initial-branch=main", "--object-format=sha256"]);
    assert_eq!(sandbox.snapshot().await.tree.len(), 64);
    sandbox.write("a.txt", "a\n");
    sandbox.write("large.bin", "");
    File::create(sandbox.top().join("large.bin"))
        .unwrap()
        .set_len(MAX_SNAPSHOT_FILE_BYTES + 1)
        .unwrap();
    sandbox.write("gone.txt", "x");
    sandbox.git(&["add", "gone.txt"]);
    sandbox.remove("gone.txt");
    let tree = sandbox.snapshot().await.tree;
    assert_eq!(sandbox.files_of(&tree), ["100644 a.txt", "100644 large.bin"]);
}

#[tokio::test]
async fn a_merge_with_conflicts() {
    let sandbox = GitSandbox::with_a_commit();
    sandbox.git(&["checkout", "--quiet", "-b", "other"]);
    sandbox.write("a.txt", "theirs\n");
    sandbox.remove("dir/b.txt");
    sandbox.commit("Theirs");
    sandbox.git(&["checkout", "--quiet", "main"]);
    sandbox.write("a.txt", "ours\n");
    sandbox.write("dir/b.txt", "ours\n");
    sandbox.commit("Ours");
    let (merged, _) = sandbox.try_git(&sandbox.top(), &["merge", "--quiet", "other"]);
    assert!(!merged && sandbox.git(&["ls-files", "--unmerged"]).lines().count() >= 3);

    let tree = sandbox.snapshot().await.tree;
    assert_eq!(sandbox.files_of(&tree), ["100644 a.txt", "100644 dir/b.txt"]);
    assert!(sandbox.content_of(&tree, "a.txt").contains("<<<<<<<"));
    sandbox.remove("dir/b.txt");
    let tree = sandbox.snapshot().await.tree;
    assert_eq!(sandbox.files_of(&tree), ["100644 a.txt"], "in conflict, and deleted");
}

#[tokio::test]
async fn a_rebase_in_progress() {
    let sandbox = GitSandbox::with_a_commit();
    sandbox.git(&["checkout", "--quiet", "-b", "topic"]);
    sandbox.write("a.txt", "topic\n");
    sandbox.commit("Topic");
    sandbox.git(&["checkout", "--quiet", "main"]);
    sandbox.write("a.txt", "main\n");
    let main = sandbox.commit("Main");
    sandbox.git(&["checkout", "--quiet", "topic"]);
    assert!(!sandbox.try_git(&sandbox.top(), &["rebase", "--quiet", "main"]).0);
    let state = sandbox.snapshot().await;
    assert_eq!((state.head.commit, state.head.branch), (Some(main), None));
    assert!(sandbox.content_of(&state.tree, "a.txt").contains("<<<<<<<"));
}

#[tokio::test]
async fn files_that_are_only_intended_to_be_added() {
    let sandbox = GitSandbox::with_a_commit();
    sandbox.write("new.txt", "new\n");
    let before = sandbox.snapshot().await;
    sandbox.git(&["add", "--intent-to-add", "new.txt"]);
    assert_eq!(sandbox.snapshot().await, before);
    sandbox.remove("new.txt");
    assert_eq!(sandbox.snapshot().await.tree, sandbox.git(&["rev-parse", "HEAD^{tree}"]));
}

#[tokio::test]
async fn a_sparse_checkout() {
    let sandbox = GitSandbox::with_a_commit();
    sandbox.write("out/c.txt", "c\n");
    sandbox.commit("Second");
    let whole = sandbox.snapshot().await;
    for sparse_index in ["--no-sparse-index", "--sparse-index"] {
        sandbox.git(&["sparse-checkout", "set", "--cone", sparse_index, "dir"]);
        assert!(!sandbox.top().join("out").exists());
        assert_eq!(sandbox.snapshot().await, whole, "what is not checked out is not deleted");
        sandbox.write("dir/new.txt", "new\n");
        sandbox.write("out/new.txt", "new\n");
        let tree = sandbox.snapshot().await.tree;
        let files = [
            "100644 a.txt",
            "100644 dir/b.txt",
            "100644 dir/new.txt",
            "100644 out/c.txt",
            "100644 out/new.txt",
        ];
        assert_eq!(sandbox.files_of(&tree), files);
        sandbox.remove("dir/new.txt");
        std::fs::remove_dir_all(sandbox.top().join("out")).unwrap();
    }
}

#[tokio::test]
async fn a_split_index() {
    let sandbox = GitSandbox::with_a_commit();
    sandbox.git(&["update-index", "--split-index"]);
    sandbox.write("a.txt", "changed\n");
    let tree = sandbox.snapshot().await.tree;
    assert_eq!(sandbox.content_of(&tree, "a.txt"), "changed\n");
    assert_eq!(sandbox.files_of(&tree).len(), 2);
}

#[tokio::test]
async fn a_linked_worktree_and_borrowed_objects() {
    let sandbox = GitSandbox::with_a_commit();
    let linked = sandbox.folder.path().join("a linked: worktree");
    sandbox.git(&["worktree", "add", "--quiet", linked.to_str().unwrap(), "-b", "linked"]);
    let shared = sandbox.folder.path().join("shared");
    sandbox.git(&[
        "clone",
        "--quiet",
        "--shared",
        sandbox.top().to_str().unwrap(),
        shared.to_str().unwrap(),
    ]);
    for (place, branch) in [(linked, "linked"), (shared, "main")] {
        std::fs::write(place.join("new.txt"), "new\n").unwrap();
        let repository = sandbox.repository_in(&place).await;
        let state = repository.snapshot().await.unwrap();
        assert_eq!(state.head.branch.as_deref(), Some(branch));
        assert_eq!(
            sandbox.files_of(&state.tree),
            ["100644 a.txt", "100644 dir/b.txt", "100644 new.txt"]
        );
        let head = sandbox.git(&["rev-parse", "HEAD^{tree}"]);
        assert_eq!(repository.changes(&head, &state.tree).await.unwrap().total_files, 1);
    }
}

#[tokio::test]
async fn links_files_and_directories_that_replace_each_other() {
    let sandbox = GitSandbox::with_a_commit();
    let link = |target: &str, path: &str| {
        std::os::unix::fs::symlink(target, sandbox.top().join(path)).unwrap();
    };
    link("/etc/passwd", "out");
    link("nowhere", "broken");
    let tree = sandbox.snapshot().await.tree;
    assert_eq!(sandbox.content_of(&tree, "out"), "/etc/passwd", "a link is its target's name");
    assert_eq!(
        sandbox.files_of(&tree),
        ["100644 a.txt", "120000 broken", "100644 dir/b.txt", "120000 out"]
    );
    sandbox.commit("Links");

    // A directory becomes a link to one with the same files; a file becomes a directory, a link a
    // file.
    std::fs::rename(sandbox.top().join("dir"), sandbox.top().join("elsewhere")).unwrap();
    link("elsewhere", "dir");
    sandbox.remove("a.txt");
    sandbox.write("a.txt/inner", "x\n");
    sandbox.remove("broken");
    sandbox.write("broken", "mended\n");
    let tree = sandbox.snapshot().await.tree;
    let files = [
        "100644 a.txt/inner",
        "100644 broken",
        "120000 dir",
        "100644 elsewhere/b.txt",
        "120000 out",
    ];
    assert_eq!(sandbox.files_of(&tree), files);

    sandbox.commit("The other way round");
    std::fs::remove_dir_all(sandbox.top().join("a.txt")).unwrap();
    sandbox.write("a.txt", "a file again\n");
    sandbox.remove("dir");
    sandbox.write("dir/b.txt", "b\n");
    let tree = sandbox.snapshot().await.tree;
    assert_eq!(sandbox.files_of(&tree)[..3], ["100644 a.txt", "100644 broken", "100644 dir/b.txt"]);
}

#[tokio::test]
async fn names_that_are_not_text_or_mean_something_to_git() {
    let sandbox = GitSandbox::with_a_commit();
    let names: [&[u8]; 6] =
        [b"caf\xe9.txt", b"two\nlines", b"-z", b":(glob)**", b"\"quoted\"", b"tab\there"];
    for name in names {
        sandbox.write(OsStr::from_bytes(name), "x\n");
    }
    let state = sandbox.snapshot().await;
    assert_eq!(sandbox.files_of(&state.tree).len(), 8);
    let head = sandbox.git(&["rev-parse", "HEAD^{tree}"]);
    let changes = sandbox.repository().await.changes(&head, &state.tree).await.unwrap();
    for name in names {
        let found = changes.files.iter().find(|file| file.path.as_os_str().as_bytes() == name);
        assert_eq!(
            found.expect("it is listed").added,
            Some(1),
            "{}",
            String::from_utf8_lossy(name)
        );
    }
}

#[tokio::test]
async fn large_files_are_known_by_their_size_and_time() {
    let sandbox = GitSandbox::with_a_commit();
    let path = sandbox.top().join("large.bin");
    let large = || File::options().write(true).create(true).truncate(false).open(&path).unwrap();
    large().set_len(MAX_SNAPSHOT_FILE_BYTES + 1).unwrap();
    let first = sandbox.snapshot().await;
    assert_eq!(sandbox.snapshot().await, first);
    assert!(sandbox.content_of(&first.tree, "large.bin").len() < 200);
    let kept: u64 = surefire_testkit::sandbox::listing(&sandbox.objects())
        .iter()
        .map(|(_, it)| it.len() as u64)
        .sum();
    assert!(kept < MAX_SNAPSHOT_FILE_BYTES / 100, "{kept} bytes are kept");

    large().set_modified(std::time::UNIX_EPOCH).unwrap();
    let second = sandbox.snapshot().await;
    let changes = sandbox.repository().await.changes(&first.tree, &second.tree).await.unwrap();
    assert_eq!(
        (changes.total_files, changes.files[0].added),
        (1, None),
        "it has no lines to count"
    );

    large().set_len(MAX_SNAPSHOT_FILE_BYTES).unwrap();
    let tree = sandbox.snapshot().await.tree;
    let size = sandbox.git(&["hash-object", "large.bin"]);
    assert!(sandbox.files_of(&tree).contains(&"100644 large.bin".to_owned()));
    let head = sandbox.git(&["rev-parse", "HEAD^{tree}"]);
    assert_ne!(tree, head);
    assert_eq!(size.len(), 40);
}

#[tokio::test]
async fn a_change_of_permission_to_execute() {
    let sandbox = GitSandbox::with_a_commit();
    let before = sandbox.snapshot().await;
    let path = sandbox.top().join("a.txt");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let tree = sandbox.snapshot().await.tree;
    assert_ne!(tree, before.tree);
    assert_eq!(sandbox.files_of(&tree)[0], "100755 a.txt");
}

/// Root may read everything, so the test is run again as another user.
#[tokio::test]
async fn files_that_cannot_be_read() {
    let mut other = Command::new(std::env::current_exe().unwrap());
    other.args(["--ignored", "--exact", "gate::snapshots::a_user_without_permission"]);
    if std::fs::metadata("/proc/self").map(|it| std::os::unix::fs::MetadataExt::uid(&it)).unwrap()
        == 0
    {
        other.uid(65534).gid(65534);
    }
    let output = other.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

#[tokio::test]
#[ignore = "runs as a user without read permission, in the test above"]
async fn a_user_without_permission() {
    let sandbox = GitSandbox::with_a_commit();
    let mode = |path: &str, mode| {
        std::fs::set_permissions(sandbox.top().join(path), std::fs::Permissions::from_mode(mode))
            .unwrap();
    };
    sandbox.write("secret.txt", "secret\n");
    sandbox.write("closed/inner.txt", "inner\n");
    sandbox.write("readable.txt", "readable\n");
    mode("secret.txt", 0o000);
    mode("closed", 0o000);
    sandbox.write("a.txt", "changed\n");
    mode("a.txt", 0o000);
    let tree = sandbox.snapshot().await.tree;
    mode("closed", 0o755);
    let files = ["100644 a.txt", "100644 dir/b.txt", "100644 readable.txt", "100644 secret.txt"];
    assert_eq!(sandbox.files_of(&tree), files);
    for name in ["a.txt", "secret.txt"] {
        assert!(sandbox.content_of(&tree, name).contains("unreadable file of "));
    }
}

/// Content is compared as git would commit it.
#[tokio::test]
async fn line_endings_and_filters_are_those_of_the_repository() {
    let sandbox = GitSandbox::with_a_commit();
    sandbox.git(&["config", "core.autocrlf", "true"]);
    sandbox.git(&["config", "core.safecrlf", "true"]);
    sandbox.write("a.txt", "one\r\ntwo\r\nthree\r\n");
    assert_eq!(sandbox.snapshot().await.tree, sandbox.git(&["rev-parse", "HEAD^{tree}"]));
    sandbox.git(&["config", "filter.upper.clean", "tr a-z A-Z"]);
    sandbox.write(".gitattributes", "*.up filter=upper\n");
    sandbox.write("x.up", "text\n");
    let tree = sandbox.snapshot().await.tree;
    assert_eq!(sandbox.content_of(&tree, "x.up"), "TEXT\n");
}

#[tokio::test]
async fn a_snapshot_directory_that_cannot_be_used() {
    let sandbox = GitSandbox::with_a_commit();
    let file = sandbox.folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = sandbox.program().find(&sandbox.top(), &file.join("below")).await.unwrap_err();
    assert!(matches!(error, GitError::Objects { .. }), "{error}");
    let repository = sandbox.repository().await;
    std::fs::remove_dir_all(sandbox.objects()).unwrap();
    let error = repository.snapshot().await.unwrap_err();
    assert!(matches!(error, GitError::Objects { .. }), "{error}");
}

/// Snapshots outlive the engine that took them, and each other.
#[tokio::test]
async fn a_baseline_can_be_compared_with_later() {
    let sandbox = GitSandbox::with_a_commit();
    sandbox.write("dirty.txt", "one\n");
    let base = sandbox.repository().await.baseline().await.unwrap();
    assert_eq!(base, sandbox.snapshot().await);
    sandbox.write("dirty.txt", "two\n");
    sandbox.commit("Everything");
    sandbox.git(&["gc", "--quiet", "--prune=now"]);
    let now = sandbox.snapshot().await;
    let diff = sandbox.repository().await.diff(&base.tree, &now.tree, 10_000).await.unwrap();
    assert!(diff.text.contains("-one\n+two\n"), "{}", diff.text);
    let left: Vec<_> =
        std::fs::read_dir(sandbox.objects()).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert!(
        !left.iter().any(|name| Path::new(name).to_string_lossy().starts_with("snapshot")),
        "{left:?}"
    );
}
