//! Uncommitted changes, and files as they are in HEAD.

use std::path::PathBuf;

use surefire::gate::{GitError, PROJECT_FILE, TRUSTED_FILES};
use surefire_testkit::sandbox::{GitSandbox, listing};

async fn dirty(sandbox: &GitSandbox) -> Vec<PathBuf> {
    sandbox.repository().await.dirty_tracked().await.unwrap()
}

#[tokio::test]
async fn tracked_files_with_uncommitted_changes_staged_or_not() {
    let sandbox = GitSandbox::with_a_commit();
    sandbox.write("gone.txt", "x");
    sandbox.commit("One more");
    sandbox.write("untracked.txt", "x");
    assert_eq!(dirty(&sandbox).await, Vec::<PathBuf>::new());
    sandbox.write("dir/b.txt", "changed\n");
    sandbox.write("staged.txt", "new\n");
    sandbox.git(&["add", "staged.txt"]);
    sandbox.write("a.txt", "staged, and then as it was\n");
    sandbox.git(&["add", "a.txt"]);
    sandbox.write("a.txt", "one\ntwo\nthree\n");
    sandbox.remove("gone.txt");
    let expected = ["a.txt", "dir/b.txt", "gone.txt", "staged.txt"];
    let before = listing(&sandbox.top());
    assert_eq!(dirty(&sandbox).await, expected.map(PathBuf::from));
    assert!(listing(&sandbox.top()) == before, "looking changed something");
}

#[tokio::test]
async fn a_submodule_counts_with_its_tracked_files() {
    let sandbox = GitSandbox::with_a_commit();
    let library = sandbox.folder.path().join("library");
    sandbox.git(&["clone", "--quiet", sandbox.top().to_str().unwrap(), library.to_str().unwrap()]);
    sandbox.git(&["submodule", "--quiet", "add", library.to_str().unwrap(), "sub"]);
    sandbox.commit("With a submodule");
    std::fs::write(sandbox.top().join("sub/untracked.txt"), "x").unwrap();
    assert_eq!(dirty(&sandbox).await, Vec::<PathBuf>::new());
    std::fs::write(sandbox.top().join("sub/a.txt"), "changed\n").unwrap();
    assert_eq!(dirty(&sandbox).await, [PathBuf::from("sub")]);
}

#[tokio::test]
async fn a_file_in_conflict_is_dirty_and_so_is_a_staged_one_before_the_first_commit() {
    let sandbox = GitSandbox::new();
    sandbox.write("a.txt", "x");
    assert_eq!(dirty(&sandbox).await, Vec::<PathBuf>::new());
    sandbox.git(&["add", "a.txt"]);
    assert_eq!(dirty(&sandbox).await, [PathBuf::from("a.txt")]);
    sandbox.commit("First");
    sandbox.git(&["checkout", "--quiet", "-b", "topic"]);
    sandbox.write("a.txt", "theirs");
    sandbox.commit("Theirs");
    sandbox.git(&["checkout", "--quiet", "main"]);
    sandbox.write("a.txt", "ours");
    sandbox.commit("Ours");
    assert!(!sandbox.try_git(&sandbox.top(), &["merge", "topic"]).0);
    assert_eq!(dirty(&sandbox).await, [PathBuf::from("a.txt")]);
}

#[tokio::test]
async fn a_file_is_read_as_head_has_it() {
    let sandbox = GitSandbox::new();
    assert_eq!(
        sandbox.repository().await.head_file(PROJECT_FILE, 100).await.unwrap(),
        None,
        "no commit"
    );
    sandbox.write(PROJECT_FILE, "verify = \"make\"\n");
    sandbox.write("dir/inner.txt", b"\xff\r\n");
    sandbox.commit("First");
    sandbox.write(PROJECT_FILE, "changed since\n");
    sandbox.git(&["add", "--all"]);
    let repository = sandbox.repository_in(&sandbox.top().join("dir")).await;
    let read = async |path: &str| repository.head_file(path, 100).await.unwrap();
    assert_eq!(read(PROJECT_FILE).await.unwrap(), b"verify = \"make\"\n");
    assert_eq!(read("dir/inner.txt").await.unwrap(), b"\xff\r\n");
    for missing in ["missing", "dir", "dir/", "*", ":(glob)**", "dir/missing", "inner.txt"] {
        assert_eq!(read(missing).await, None, "{missing}");
    }
    let error = repository.head_file(PROJECT_FILE, 15).await.unwrap_err();
    assert!(matches!(error, GitError::FileTooLarge { bytes: 16, max_bytes: 15, .. }), "{error}");
    assert!(repository.head_file(PROJECT_FILE, 16).await.unwrap().is_some());
}

#[tokio::test]
async fn a_link_in_the_place_of_a_file_is_refused() {
    let sandbox = GitSandbox::with_a_commit();
    std::os::unix::fs::symlink("a.txt", sandbox.top().join(PROJECT_FILE)).unwrap();
    sandbox.commit("A link");
    let repository = sandbox.repository().await;
    for error in [
        repository.head_file(PROJECT_FILE, 100).await.map(drop),
        repository.trusted_ids().await.map(drop),
    ] {
        let error = error.unwrap_err();
        assert!(
            error.to_string().starts_with("HEAD has a symbolic link at `surefire.toml`"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn trust_rests_on_the_files_of_head() {
    let sandbox = GitSandbox::new();
    assert_eq!(sandbox.repository().await.trusted_ids().await.unwrap(), [], "no commit");
    sandbox.write("a.txt", "a");
    sandbox.commit("First");
    let repository = sandbox.repository().await;
    assert_eq!(repository.trusted_ids().await.unwrap(), []);
    for path in [PROJECT_FILE, ".claude/settings.json", ".claude/other.json", "sub/.mcp.json"] {
        sandbox.write(path, path);
    }
    sandbox.commit("Files");
    sandbox.write(PROJECT_FILE, "not committed");
    let id = |path: &str| (path.to_owned(), sandbox.git(&["rev-parse", &format!("HEAD:{path}")]));
    let expected = [id(".claude/settings.json"), id(PROJECT_FILE)];
    assert_eq!(repository.trusted_ids().await.unwrap(), expected);
    for path in TRUSTED_FILES {
        sandbox.write(path, "all of them");
    }
    sandbox.commit("All");
    assert_eq!(repository.trusted_ids().await.unwrap(), TRUSTED_FILES.map(id));
}

#[tokio::test]
async fn a_linked_folder_of_settings_cannot_be_trusted() {
    let sandbox = GitSandbox::with_a_commit();
    std::os::unix::fs::symlink("dir", sandbox.top().join(".claude")).unwrap();
    sandbox.commit("A link");
    let error = sandbox.repository().await.trusted_ids().await.unwrap_err();
    assert!(matches!(error, GitError::NotAFile { .. }), "{error}");
    assert!(error.to_string().contains("`.claude`"), "{error}");
}
