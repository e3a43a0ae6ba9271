//! Isolated runs: each in a git worktree on its own branch, which a user merges or discards.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use surefire::engine::{Options, Start, StartError, WorktreeChoice, WorktreeError};
use surefire::run::{
    CannotEndWorktree, CannotResume, CheckKind, Event, Resume, ResumedBy, RunId, WorktreeEnd,
};
use surefire::store::Memory;
use surefire_testkit::{Act, FakeAgent, Harness, commit, git};

surefire::recipe! {
    /// Works in a worktree, and commits.
    recipe Isolated {
        initial: Work,
        isolate: true,
        step Work {
            prompt: "Work.",
            outcomes: [Committed, Nothing],
            Committed => exit TaskCommitted if commit,
            Nothing => exit NoChangesToCommit,
        }
    }
}

surefire::recipe! {
    /// A chain of two runs.
    recipe Links {
        initial: Work,
        guardrails: { max_restarts: 1 },
        step Work { prompt: "Work.", outcomes: [Committed, Done], Committed => restart Links, Done => exit TaskCommitted }
    }
}

const RECIPES: surefire::Catalog = surefire::catalog![Isolated, Links];

fn with_recipes(options: &mut Options) {
    options.catalog = RECIPES;
}

async fn harness(acts: impl IntoIterator<Item = Act>) -> Harness {
    Harness::with(FakeAgent::new(acts), Arc::new(Memory::default()), with_recipes).await.in_git()
}

fn start_request(harness: &Harness) -> Start {
    Start::new("isolated", harness.directory())
}

/// The path and the branch of a run's worktree.
fn worktree(harness: &Harness, run: RunId) -> (PathBuf, String) {
    let Event::Started { spec, .. } = harness.events(run)[0].event.clone() else {
        panic!("the first event starts the run")
    };
    let worktree = spec.worktree.expect("it works in a worktree");
    (worktree.path, worktree.branch)
}

fn head(directory: &Path) -> String {
    git(directory, &["rev-parse", "HEAD"])
}

/// A run that has committed in its worktree.
async fn committed(harness: &Harness) -> RunId {
    let started = harness.engine.start(start_request(harness)).await.expect("it starts");
    assert_eq!(harness.ended(started).await.reason, "task-committed");
    started.run
}

#[tokio::test(start_paused = true)]
async fn a_run_works_in_a_worktree_and_its_branch_is_merged() {
    let harness = harness([Act::Outcome("committed")]).await;
    let directory = harness.directory();
    let before = head(&directory);
    let run = committed(&harness).await;
    let (path, branch) = worktree(&harness, run);
    assert!(path.starts_with(harness.place.path().canonicalize().unwrap().join("data/worktrees")));
    assert_eq!(harness.agent.turns()[0].directory, path);
    assert_eq!(head(&directory), before, "the user's work tree is unchanged");
    assert_eq!(git(&path, &["branch", "--show-current"]), branch);
    let made = head(&path);

    let end = harness.engine.end_worktree(run, WorktreeChoice::Merge).await.unwrap();
    assert_eq!(end, WorktreeEnd::Merged { into: Some("main".to_owned()), commit: made.clone() });
    assert_eq!(head(&directory), made);
    assert!(!path.exists());
    assert_eq!(git(&directory, &["branch", "--list", "surefire/*"]), "");
    let again = harness.engine.end_worktree(run, WorktreeChoice::Discard).await.unwrap_err();
    assert!(
        matches!(again, WorktreeError::Cannot(CannotEndWorktree::Ended { how: "merged" })),
        "{again}"
    );
    let diff = harness.engine.diff(run, None).await.unwrap();
    assert!(diff.diff.is_ok(), "its diff is still there: {:?}", diff.diff);
}

#[tokio::test(start_paused = true)]
async fn a_discarded_worktree_is_removed_and_its_run_cannot_be_resumed() {
    let harness = harness([
        Act::Outcome("nothing"),
        Act::Fails(surefire::agent::Failure::Overloaded { words: String::new() }),
    ])
    .await;
    let started = harness.engine.start(start_request(&harness)).await.unwrap();
    harness.ended(started).await;
    let (path, branch) = worktree(&harness, started.run);
    std::fs::write(path.join("not-committed"), "x").unwrap();
    let end = harness.engine.end_worktree(started.run, WorktreeChoice::Discard).await.unwrap();
    assert_eq!(end, WorktreeEnd::Discarded { commit: head(&harness.directory()) });
    assert!(!path.exists());
    assert_eq!(git(&harness.directory(), &["branch", "--list", &branch]), "");
    let refused =
        harness.engine.resume(started.run, Resume::by(ResumedBy::User)).await.unwrap_err();
    assert!(
        matches!(
            &refused,
            surefire::engine::ResumeError::Cannot(
                CannotResume::Finished { .. } | CannotResume::WorktreeEnded { .. }
            )
        ),
        "{refused}"
    );
}

#[tokio::test(start_paused = true)]
async fn conflicts_are_reported_and_nothing_is_lost() {
    let harness = harness([]).await;
    let directory = harness.directory();
    std::fs::write(directory.join("a"), "1\n").unwrap();
    commit(&directory, "A");
    let ready = Arc::new(tokio::sync::Notify::new());
    harness.agent.then(Act::Waits(Arc::clone(&ready), "committed"));
    let started = harness.engine.start(start_request(&harness)).await.unwrap();
    harness.agent.asked(1).await;
    let (path, _) = worktree(&harness, started.run);
    std::fs::write(path.join("a"), "run\n").unwrap();
    commit(&path, "Run");
    ready.notify_one();
    assert_eq!(harness.ended(started).await.reason, "task-committed");
    std::fs::write(directory.join("a"), "user\n").unwrap();
    commit(&directory, "User");
    let (before, made) = (head(&directory), head(&path));
    let refused =
        harness.engine.end_worktree(started.run, WorktreeChoice::Merge).await.unwrap_err();
    assert!(refused.to_string().contains("`a`"), "{refused}");
    assert_eq!((head(&directory), head(&path)), (before, made));
    assert_eq!(git(&directory, &["status", "--porcelain"]), "");
    harness
        .engine
        .end_worktree(started.run, WorktreeChoice::Discard)
        .await
        .expect("it can still be discarded");
}

#[tokio::test(start_paused = true)]
async fn a_run_that_has_not_ended_keeps_its_worktree() {
    let harness = harness([Act::Hangs]).await;
    let started = harness.engine.start(start_request(&harness)).await.unwrap();
    harness.agent.asked(1).await;
    let refused =
        harness.engine.end_worktree(started.run, WorktreeChoice::Merge).await.unwrap_err();
    assert!(matches!(refused, WorktreeError::Cannot(CannotEndWorktree::StillRunning)), "{refused}");
    let elsewhere = start_request(&harness).session(Some(started.session));
    assert!(harness.engine.start(elsewhere).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn runs_in_worktrees_do_not_collide() {
    let harness = harness([Act::Hangs, Act::Outcome("committed")]).await;
    let first = harness.engine.start(start_request(&harness)).await.unwrap();
    harness.agent.asked(1).await;
    committed(&harness).await;
    harness.engine.exit(first.session, surefire::ExitReason::UserRequested).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_session_that_works_elsewhere_cannot_use_a_worktree() {
    let harness = harness([]).await;
    let plain = Start::new("links", harness.directory());
    let started = harness.engine.start(plain).await.unwrap();
    harness.ended(started).await;
    let refused = harness
        .engine
        .start(start_request(&harness).session(Some(started.session)))
        .await
        .unwrap_err();
    assert!(matches!(refused, StartError::NeedsNewSession { .. }), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn a_chain_shares_one_worktree_and_its_last_run_is_merged() {
    let harness = harness([Act::Outcome("committed"), Act::Outcome("done")]).await;
    let start = Start::new("links", harness.directory()).isolate(true);
    let first = harness.engine.start(start).await.unwrap();
    let ending = harness.ended(first).await;
    let last = ending.continued_by.expect("the chain restarted");
    assert_eq!(harness.engine.wait_until_ended(last).await.unwrap().reason, "task-committed");
    assert_eq!(worktree(&harness, first.run), worktree(&harness, last));
    let end = harness.engine.end_worktree(first.run, WorktreeChoice::Merge).await.unwrap();
    assert!(matches!(end, WorktreeEnd::Merged { .. }));
    assert!(harness.names(last).ends_with(&["worktree_ended"]), "the last run records it");
}

#[tokio::test(start_paused = true)]
async fn a_new_worktree_is_set_up_once_and_a_setup_that_fails_ends_the_run() {
    let harness = harness([Act::Outcome("nothing")]).await;
    let directory = harness.directory();
    std::fs::write(directory.join("surefire.toml"), "setup = ['echo set >> up']\n").unwrap();
    commit(&directory, "Setup");
    let started = harness.engine.start(start_request(&harness).trust(true)).await.unwrap();
    harness.ended(started).await;
    let (path, _) = worktree(&harness, started.run);
    assert_eq!(std::fs::read_to_string(path.join("up")).unwrap(), "set\n");
    assert!(!directory.join("up").exists());

    std::fs::write(directory.join("surefire.toml"), "setup = ['echo broken; exit 4']\n").unwrap();
    commit(&directory, "Broken");
    let turns = harness.agent.turns().len();
    let started = harness.engine.start(start_request(&harness).trust(true)).await.unwrap();
    let ending = harness.ended(started).await;
    assert_eq!(ending.reason, "verification_failed");
    assert!(ending.description.unwrap().contains("exit status 4: broken"));
    assert_eq!(harness.agent.turns().len(), turns, "no turn was paid for");
    let kinds: Vec<_> = harness
        .events(started.run)
        .iter()
        .filter_map(|recorded| match &recorded.event {
            Event::Checked { results, .. } => {
                Some(results.iter().map(|it| it.kind).collect::<Vec<_>>())
            }
            _ => None,
        })
        .collect();
    assert_eq!(kinds, [[CheckKind::Worktree, CheckKind::Setup]]);
}

#[tokio::test(start_paused = true)]
async fn a_worktree_that_the_user_removed_ends_the_run_with_the_cause_and_can_be_discarded() {
    let harness =
        harness([Act::Fails(surefire::agent::Failure::Refused { words: "no".to_owned() })]).await;
    let started = harness.engine.start(start_request(&harness)).await.unwrap();
    harness.ended(started).await;
    let (path, branch) = worktree(&harness, started.run);
    std::fs::remove_dir_all(&path).unwrap();
    let resumed = harness.engine.resume(started.run, Resume::by(ResumedBy::User)).await.unwrap();
    let ending = harness.ended(resumed).await;
    assert!(ending.description.unwrap().contains("does not exist"));
    git(&harness.directory(), &["worktree", "prune"]);
    git(&harness.directory(), &["branch", "-D", &branch]);
    harness
        .engine
        .end_worktree(started.run, WorktreeChoice::Discard)
        .await
        .expect("nothing is left to discard");
}

#[tokio::test(start_paused = true)]
async fn a_worktree_that_cannot_be_created_ends_the_run_with_the_cause() {
    let harness = harness([]).await;
    // A file with the name of the directory for worktrees.
    std::fs::create_dir_all(harness.place.path().join("data")).unwrap();
    std::fs::write(harness.place.path().join("data/worktrees"), "").unwrap();
    let started = harness.engine.start(start_request(&harness)).await.unwrap();
    let ending = harness.ended(started).await;
    assert_eq!(ending.reason, "error");
    assert!(ending.description.unwrap().contains("could not be created"));
    std::fs::remove_file(harness.place.path().join("data/worktrees")).unwrap();
    harness.agent.then(Act::Outcome("nothing"));
    let resumed = harness.engine.resume(started.run, Resume::by(ResumedBy::User)).await.unwrap();
    assert_eq!(
        harness.ended(resumed).await.reason,
        "no-changes-to-commit",
        "the worktree is created now"
    );
}
