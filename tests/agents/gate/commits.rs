//! Which commits belong to a run.

use surefire::gate::{CommitRange, MAX_LISTED_COMMITS};
use surefire_testkit::sandbox::GitSandbox;

/// The subjects of the run's commits.
async fn subjects(
    sandbox: &GitSandbox,
    base: Option<&str>,
    windows: &[CommitRange],
) -> Vec<String> {
    let now = sandbox.head().await.commit;
    let commits = sandbox.repository().await.commits(base, now.as_deref(), windows).await.unwrap();
    commits.into_iter().map(|commit| commit.subject).collect()
}

fn commit(sandbox: &GitSandbox, subject: &str) {
    sandbox.write(subject, subject);
    sandbox.commit(subject);
}

#[tokio::test]
async fn commits_of_its_turns_belong_to_it_and_those_in_between_do_not() {
    let sandbox = GitSandbox::with_a_commit();
    let base = sandbox.head().await.commit;
    let first = sandbox.window(|| commit(&sandbox, "first turn")).await;
    commit(&sandbox, "a person");
    let nothing = sandbox.window(|| ()).await;
    let second = sandbox.window(|| ["two", "three"].map(|it| commit(&sandbox, it))).await;
    commit(&sandbox, "a person again");
    let windows = [first.clone(), nothing, second.clone(), second];
    assert_eq!(subjects(&sandbox, base.as_deref(), &windows).await, ["three", "two", "first turn"]);
    assert_eq!(subjects(&sandbox, base.as_deref(), &[first]).await, ["first turn"]);
    assert_eq!(subjects(&sandbox, base.as_deref(), &[]).await, [""; 0]);
}

#[tokio::test]
async fn a_commit_that_is_no_longer_reachable_does_not_count() {
    let sandbox = GitSandbox::with_a_commit();
    let base = sandbox.head().await.commit;
    let window = sandbox.window(|| commit(&sandbox, "thrown away")).await;
    sandbox.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    assert_eq!(subjects(&sandbox, base.as_deref(), std::slice::from_ref(&window)).await, [""; 0]);
    commit(&sandbox, "a person");
    assert_eq!(subjects(&sandbox, base.as_deref(), &[window]).await, [""; 0]);
}

#[tokio::test]
async fn an_amended_commit_is_a_new_one() {
    let sandbox = GitSandbox::with_a_commit();
    let base = sandbox.head().await.commit;
    let amend = || sandbox.git(&["commit", "--quiet", "--amend", "--message", "Amended"]);
    let window = sandbox.window(amend).await;
    assert_eq!(subjects(&sandbox, base.as_deref(), &[window]).await, ["Amended"]);
}

#[tokio::test]
async fn rebased_commits_are_new_ones() {
    let sandbox = GitSandbox::with_a_commit();
    sandbox.git(&["checkout", "--quiet", "-b", "topic"]);
    commit(&sandbox, "topic");
    sandbox.git(&["checkout", "--quiet", "main"]);
    commit(&sandbox, "main");
    sandbox.git(&["checkout", "--quiet", "topic"]);
    let base = sandbox.head().await.commit;
    let window = sandbox.window(|| sandbox.git(&["rebase", "--quiet", "main"])).await;
    assert_eq!(subjects(&sandbox, base.as_deref(), &[window]).await, ["topic", "main"]);
}

#[tokio::test]
async fn the_first_commit_of_a_repository() {
    let sandbox = GitSandbox::new();
    assert_eq!(subjects(&sandbox, None, &[sandbox.window(|| ()).await]).await, [""; 0]);
    let window = sandbox.window(|| commit(&sandbox, "the very first")).await;
    assert_eq!(window.before, None);
    assert_eq!(subjects(&sandbox, None, &[window]).await, ["the very first"]);
}

#[tokio::test]
async fn a_commit_on_another_branch_counts_once_it_is_merged() {
    let sandbox = GitSandbox::with_a_commit();
    let base = sandbox.head().await.commit;
    let work = || {
        sandbox.git(&["checkout", "--quiet", "-b", "topic"]);
        commit(&sandbox, "on the branch");
        sandbox.git(&["checkout", "--quiet", "main"]);
    };
    let branched = sandbox.window(work).await;
    assert_eq!(
        subjects(&sandbox, base.as_deref(), std::slice::from_ref(&branched)).await,
        [""; 0],
        "HEAD does not have it"
    );
    let merge = || sandbox.git(&["merge", "--quiet", "--no-ff", "--message", "Merged", "topic"]);
    let merged = sandbox.window(merge).await;
    assert_eq!(
        subjects(&sandbox, base.as_deref(), &[branched, merged]).await,
        ["Merged", "on the branch"]
    );
}

#[tokio::test]
async fn subjects_have_no_escape_sequences_and_the_list_is_bounded() {
    let sandbox = GitSandbox::with_a_commit();
    let base = sandbox.head().await.commit;
    let many = || {
        for number in 0..=MAX_LISTED_COMMITS {
            sandbox.git(&[
                "commit",
                "--quiet",
                "--allow-empty",
                "--message",
                &format!("Number {number}"),
            ]);
        }
        sandbox.git(&[
            "commit",
            "--quiet",
            "--allow-empty",
            "--message",
            "\u{1b}[31mRed\u{7}\n\nBody",
        ]);
    };
    let window = sandbox.window(many).await;
    let subjects = subjects(&sandbox, base.as_deref(), &[window]).await;
    assert_eq!((subjects.len(), subjects[0].as_str()), (MAX_LISTED_COMMITS, "Red"));
    assert_eq!(subjects[1], format!("Number {MAX_LISTED_COMMITS}"));
}
