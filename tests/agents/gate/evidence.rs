//! Looking for each kind of evidence.

use std::os::unix::fs::symlink;

use surefire::Evidence;
use surefire::gate::{CommitRange, GitContext, LookError, Looked, TreeSnapshot, look};
use surefire_testkit::sandbox::GitSandbox;

/// A run in a repository: how it began, and what its turns did.
struct Run {
    sandbox: GitSandbox,
    base: TreeSnapshot,
    windows: Vec<CommitRange>,
}

impl Run {
    async fn new(sandbox: GitSandbox) -> Self {
        let base = sandbox.repository().await.baseline().await.unwrap();
        Self { sandbox, base, windows: Vec::new() }
    }

    async fn turn<T>(&mut self, work: impl FnOnce(&GitSandbox) -> T) {
        self.windows.push(self.sandbox.window(|| work(&self.sandbox)).await);
    }

    async fn look(&self, evidence: Evidence) -> Looked {
        let repository = self.sandbox.repository().await;
        let now = repository.snapshot().await.unwrap();
        let git = GitContext {
            repository: &repository,
            base: &self.base,
            now: &now,
            windows: &self.windows,
        };
        look(&evidence, &self.sandbox.top(), Some(git)).await.unwrap()
    }

    async fn finds(&self, evidence: Evidence, met: bool, words: &str) {
        let looked = self.look(evidence.clone()).await;
        assert_eq!((looked.met, looked.found.as_str()), (met, words), "{evidence}");
    }
}

fn short(commit: &str) -> String {
    commit[..7].to_owned()
}

#[tokio::test]
async fn commit_and_no_commit() {
    let mut run = Run::new(GitSandbox::with_a_commit()).await;
    let base = short(run.base.head.commit.as_ref().unwrap());
    run.turn(|_| ()).await;
    let still = format!("HEAD is still {base}, as when the run began; there is no new commit");
    run.finds(Evidence::Commit, false, &still).await;
    let lock = run.sandbox.top().join(".git/HEAD.lock");
    std::fs::write(&lock, "").unwrap();
    let advice = "exists: if no git process works there, a killed one left it: remove it";
    run.finds(Evidence::Commit, false, &format!("{still}; `{}` {advice}", lock.display())).await;
    std::fs::remove_file(lock).unwrap();
    run.finds(Evidence::NoCommit, true, &format!("HEAD is {base}, as when the run began")).await;

    run.sandbox.write("x", "a person");
    let person = short(&run.sandbox.commit("A person"));
    let moved = format!(
        "HEAD is at {person} instead of {base}, but it was not moved while this run worked"
    );
    run.finds(Evidence::Commit, false, &moved).await;
    let words = format!("HEAD is at {person}, and was at {base} when the run began");
    run.finds(Evidence::NoCommit, false, &words).await;

    run.turn(|sandbox| sandbox.commit("The \"run\"")).await;
    let made = short(&run.sandbox.git(&["rev-parse", "HEAD"]));
    run.finds(Evidence::Commit, true, &format!("commit {made} \"The \\\"run\\\"\"")).await;
    run.sandbox.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    let words = format!(
        "HEAD is at {person} instead of {base}, but no commit that this run made can be reached from it"
    );
    run.finds(Evidence::Commit, false, &words).await;
}

#[tokio::test]
async fn commit_in_a_repository_without_any() {
    let mut run = Run::new(GitSandbox::new()).await;
    let words = "HEAD is still without a commit, as when the run began; there is no new commit";
    run.finds(Evidence::Commit, false, words).await;
    run.finds(Evidence::NoCommit, true, "HEAD is without a commit, as when the run began").await;
    run.finds(Evidence::CleanTree, true, "every file is committed").await;
    run.turn(|sandbox| sandbox.write("a.txt", "a")).await;
    run.finds(Evidence::CleanTree, false, "uncommitted files: a.txt").await;
    run.finds(Evidence::Clean, false, "uncommitted files of this run: a.txt").await;
    run.turn(|sandbox| sandbox.commit("First")).await;
    assert!(run.look(Evidence::Commit).await.met);
    assert!(run.look(Evidence::CleanTree).await.met);
}

#[tokio::test]
async fn clean_is_about_the_files_of_the_run() {
    let sandbox = GitSandbox::with_a_commit();
    sandbox.write("dirty.txt", "dirty before\n");
    sandbox.write("a.txt", "dirty before\n");
    let mut run = Run::new(sandbox).await;
    run.finds(Evidence::Clean, true, "the run changed no file").await;
    run.finds(Evidence::CleanTree, false, "uncommitted files: a.txt, dirty.txt").await;

    run.turn(|sandbox| {
        sandbox.write("new.txt", "new\n");
        sandbox.write("a.txt", "dirty before, and changed\n");
        sandbox.remove("dir/b.txt");
    })
    .await;
    let words = "uncommitted files of this run: a.txt, dir/b.txt, new.txt";
    run.finds(Evidence::Clean, false, words).await;
    run.turn(|sandbox| {
        sandbox.git(&["add", "new.txt", "a.txt", "dir/b.txt"]);
        sandbox.git(&["commit", "--quiet", "--message", "Its files"])
    })
    .await;
    run.finds(Evidence::Clean, true, "every file that the run changed is committed").await;
    run.finds(Evidence::CleanTree, false, "uncommitted files: dirty.txt").await;

    run.turn(|sandbox| (0..7).for_each(|it| sandbox.write(format!("f{it}"), "x"))).await;
    run.finds(
        Evidence::Clean,
        false,
        "uncommitted files of this run: f0, f1, f2, f3, f4 and 2 more",
    )
    .await;
}

#[tokio::test]
async fn changed() {
    let mut run = Run::new(GitSandbox::with_a_commit()).await;
    run.finds(Evidence::Changed, false, "all files are as they were when the run began").await;
    run.turn(|sandbox| sandbox.write("a.txt", "other\n")).await;
    run.finds(Evidence::Changed, true, "changed files: a.txt").await;
    run.turn(|sandbox| sandbox.commit("It is committed")).await;
    run.finds(Evidence::Changed, true, "changed files: a.txt").await;
    run.turn(|sandbox| sandbox.write("a.txt", "one\ntwo\nthree\n")).await;
    run.finds(Evidence::Changed, false, "all files are as they were when the run began").await;
}

#[tokio::test]
async fn rebased_on_main() {
    let sandbox = GitSandbox::with_a_commit();
    sandbox.git(&["checkout", "--quiet", "-b", "topic"]);
    sandbox.write("topic", "x");
    sandbox.commit("Topic");
    sandbox.git(&["checkout", "--quiet", "main"]);
    sandbox.write("main", "x");
    sandbox.commit("Main");
    sandbox.git(&["checkout", "--quiet", "topic"]);
    let mut run = Run::new(sandbox).await;
    let main = short(&run.sandbox.git(&["rev-parse", "main"]));
    let topic = short(run.base.head.commit.as_ref().unwrap());
    let words = format!("`main` at {main} is not an ancestor of HEAD, which is at {topic}");
    run.finds(Evidence::RebasedOnMain, false, &words).await;
    run.turn(|sandbox| sandbox.git(&["rebase", "--quiet", "main"])).await;
    run.finds(Evidence::RebasedOnMain, true, &format!("`main` at {main} is an ancestor of HEAD"))
        .await;
    run.sandbox.git(&["branch", "--quiet", "--move", "main", "trunk"]);
    let words = "there is neither a branch `main` nor a HEAD of `origin`";
    run.finds(Evidence::RebasedOnMain, false, words).await;
}

#[tokio::test]
async fn exists() {
    let run = Run::new(GitSandbox::with_a_commit()).await;
    let top = run.sandbox.top();
    std::fs::write(run.sandbox.folder.path().join("outside"), "x").unwrap();
    symlink("../outside", top.join("out")).unwrap();
    symlink("..", top.join("parent")).unwrap();
    symlink("dir/b.txt", top.join("inside")).unwrap();
    symlink("nowhere", top.join("broken")).unwrap();
    let table = [
        ("a.txt", true, "`a.txt` is there"),
        ("./dir", true, "`./dir` is there"),
        ("dir/b.txt", true, "`dir/b.txt` is there"),
        ("inside", true, "`inside` is there"),
        ("missing.txt", false, "`missing.txt` is not there"),
        ("a.txt/below", false, "`a.txt/below` is not there"),
        ("broken", false, "`broken` is a symbolic link that leads nowhere"),
        ("out", false, "`out` leads out of the work tree, through a symbolic link"),
        (
            "parent/outside",
            false,
            "`parent/outside` leads out of the work tree, through a symbolic link",
        ),
        ("dir/../a.txt", false, "`dir/../a.txt` is not a path inside of the working directory"),
        ("../outside", false, "`../outside` is not a path inside of the working directory"),
        ("/etc/passwd", false, "`/etc/passwd` is not a path inside of the working directory"),
        ("", false, "`` is not a path inside of the working directory"),
    ];
    for (path, met, words) in table {
        run.finds(Evidence::Exists(path.into()), met, words).await;
    }
}

#[tokio::test]
async fn exists_is_relative_to_the_working_directory_and_needs_no_repository() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("below")).unwrap();
    std::fs::write(directory.path().join("file"), "").unwrap();
    symlink("../file", directory.path().join("below/up")).unwrap();
    let exists = async |below: &str, path: &'static str| {
        look(&Evidence::Exists(path.into()), &directory.path().join(below), None).await.unwrap().met
    };
    assert!(exists("", "file").await && !exists("below", "file").await);
    assert!(exists("", "below/up").await);
    assert!(
        !exists("below", "up").await,
        "without a repository, the working directory is all there is"
    );
    assert!(!exists("gone", "file").await);
}

#[tokio::test]
async fn evidence_that_cannot_be_looked_for() {
    let directory = tempfile::tempdir().unwrap();
    for evidence in [Evidence::Commit, Evidence::Clean, Evidence::Changed, Evidence::RebasedOnMain]
    {
        let error = look(&evidence, directory.path(), None).await.unwrap_err();
        assert!(matches!(error, LookError::NoRepository { .. }), "{error}");
        assert!(
            error
                .to_string()
                .starts_with(&format!("`{evidence}` can only be seen in a git repository"))
        );
    }
    let command = Evidence::Command(surefire::CommandLine::Shell("true".into()));
    let error = look(&command, directory.path(), None).await.unwrap_err();
    assert!(matches!(error, LookError::IsCommand { .. }), "{error}");
}
