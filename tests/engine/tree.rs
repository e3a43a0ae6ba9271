//! The rules for runs in a work tree: which files a run may change, what it requires before it
//! starts, and which runs may share the tree.

use std::path::Path;
use std::sync::Arc;

use surefire::agent::{Failure, RepositorySettings};
use surefire::engine::{Start, StartError, Untrusted};
use surefire::run::{Ending, Event, Permits, Resume, ResumedBy, RunId, Trust};
use surefire::store::Memory;
use surefire::{Advise, Remedy};
use surefire_testkit::{Act, FakeAgent, Harness, commit};
use tokio::sync::Notify;

surefire::recipe! {
    /// Works, within bounds.
    recipe Bounded {
        initial: Work,
        guardrails: { max_step_visits: 3 },
        scope: { deny: ["secrets/**"] },
        step Work {
            prompt: "Work.",
            tools: [edit],
            outcomes: [Complete],
            Complete => Look,
        }
        step Look {
            prompt: "Look.",
            tools: [read],
            outcomes: [Fine],
            Fine => exit TaskCommitted,
        }
    }
}

surefire::recipe! {
    /// Needs a clean work tree.
    recipe Tidy {
        initial: Work,
        needs: { clean_tree },
        step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

surefire::recipe! {
    /// Reads, and does nothing else.
    recipe Reading {
        initial: Look,
        step Look { prompt: "Look.", tools: [read], outcomes: [Fine], Fine => exit TaskCommitted }
    }
}

const RECIPES: surefire::Catalog = surefire::catalog![Bounded, Tidy, Reading];

const PARALLEL: Permits = Permits { allow_dirty: false, allow_deps: false, force_parallel: true };

async fn harness(acts: impl IntoIterator<Item = Act>) -> Harness {
    let harness = Harness::with(FakeAgent::new(acts), Arc::new(Memory::default()), |options| {
        options.catalog = RECIPES;
    });
    harness.await.in_git()
}

fn start_request(harness: &Harness, recipe: &str) -> Start {
    Start::new(recipe, harness.directory())
}

async fn run(harness: &Harness, start: Start) -> (RunId, Ending) {
    let started = harness.engine.start(start).await.expect("it starts");
    (started.run, harness.ended(started).await)
}

fn write(directory: &Path, path: &str, text: &str) {
    let path = directory.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_file_that_the_recipe_denies_ends_the_run_after_the_turn_that_changed_it() {
    let harness = harness([]).await;
    harness.agent.then(Act::Writes(harness.directory().join("secrets/key"), "complete"));
    std::fs::create_dir(harness.directory().join("secrets")).unwrap();
    let (run, ending) = run(&harness, start_request(&harness, "bounded")).await;
    assert_eq!((ending.reason.as_str(), ending.exit_code), ("guard_violation", 2));
    let words = ending.description.unwrap();
    assert!(words.contains("`secrets/key` (denied by `secrets/**`)"), "{words}");
    assert_eq!(harness.agent.turns().len(), 1, "no further turn is paid for");
    assert!(
        harness.names(run).ends_with(&["rules_broken", "replied", "ended"]),
        "{:?}",
        harness.names(run)
    );
}

#[tokio::test(start_paused = true)]
async fn a_run_can_be_resumed_once_a_user_has_undone_a_denied_change() {
    let harness = harness([]).await;
    let key = harness.directory().join("secrets/key");
    std::fs::create_dir(harness.directory().join("secrets")).unwrap();
    harness.agent.then(Act::Writes(key.clone(), "complete"));
    let (run, ending) = run(&harness, start_request(&harness, "bounded")).await;
    assert_eq!(ending.reason, "guard_violation");
    std::fs::remove_file(key).unwrap();
    let resumed = harness.engine.resume(run, Resume::by(ResumedBy::User)).await.unwrap();
    assert_eq!(harness.ended(resumed).await.reason, "task-committed");
}

#[tokio::test(start_paused = true)]
async fn a_changed_lockfile_ends_the_run_and_allowing_it_resumes_it() {
    let harness = harness([]).await;
    harness.agent.then(Act::Writes(harness.directory().join("Cargo.lock"), "complete"));
    let (run, ending) = run(&harness, start_request(&harness, "bounded")).await;
    assert_eq!((ending.reason.as_str(), ending.exit_code), ("lockfile_violation", 3));
    let again = harness.engine.resume(run, Resume::by(ResumedBy::User)).await.unwrap();
    assert_eq!(harness.ended(again).await.reason, "lockfile_violation", "it is still changed");
    let permits = Permits { allow_deps: true, ..Permits::default() };
    let allowed = Resume::by(ResumedBy::User).permits(permits);
    let resumed = harness.engine.resume(run, allowed).await.unwrap();
    assert_eq!(harness.ended(resumed).await.reason, "task-committed");
}

#[tokio::test(start_paused = true)]
async fn files_that_were_dirty_before_the_run_do_not_count_as_changed_by_it() {
    let harness = harness([]).await;
    write(&harness.directory(), "secrets/key", "mine");
    write(&harness.directory(), "Cargo.lock", "mine");
    let (_, ending) = run(&harness, start_request(&harness, "bounded")).await;
    assert_eq!(ending.reason, "task-committed");
}

#[tokio::test(start_paused = true)]
async fn a_dirty_work_tree_is_refused_before_a_turn_is_paid_for() {
    let harness = harness([]).await;
    let directory = harness.directory();
    write(&directory, "untracked", "is ignored");
    assert_eq!(run(&harness, start_request(&harness, "tidy")).await.1.reason, "task-committed");
    write(&directory, "a", "1");
    commit(&directory, "A");
    write(&directory, "a", "2");
    let turns = harness.agent.turns().len();
    let refused = harness.engine.start(start_request(&harness, "tidy")).await.unwrap_err();
    assert!(
        matches!(&refused, StartError::DirtyTree { files, .. } if *files == [Path::new("a")]),
        "{refused}"
    );
    assert_eq!(refused.remedy(), Some(Remedy::CommitOrAllowDirty));
    assert_eq!(refused.exit().unwrap().code(), "dirty_worktree");
    assert_eq!(harness.agent.turns().len(), turns);
    let permits = Permits { allow_dirty: true, ..Permits::default() };
    let allowed = start_request(&harness, "tidy").permits(permits);
    assert_eq!(run(&harness, allowed).await.1.reason, "task-committed");
    let harness = harness.again_with(|options| {
        options.catalog = RECIPES;
        options.allow_dirty = true;
    });
    let harness = harness.await;
    assert_eq!(run(&harness, start_request(&harness, "tidy")).await.1.reason, "task-committed");
}

#[tokio::test(start_paused = true)]
async fn two_runs_do_not_work_in_one_work_tree() {
    let ready = Arc::new(Notify::new());
    let harness = harness([Act::Waits(Arc::clone(&ready), "complete")]).await;
    let first = harness.engine.start(start_request(&harness, "bounded")).await.unwrap();
    let refused = harness.engine.start(start_request(&harness, "bounded")).await.unwrap_err();
    let id: String = first.run.to_string().chars().take(8).collect();
    assert!(
        refused.to_string().starts_with(&format!("run {id} of `bounded` works in `")),
        "{refused}"
    );
    assert_eq!(refused.exit().unwrap().code(), "file_collision");
    assert_eq!(
        run(&harness, start_request(&harness, "reading")).await.1.reason,
        "task-committed",
        "it only reads"
    );
    let beside = start_request(&harness, "bounded").permits(PARALLEL);
    assert_eq!(
        run(&harness, beside).await.1.reason,
        "task-committed",
        "`force_parallel` allows it"
    );
    ready.notify_one();
    assert_eq!(harness.ended(first).await.reason, "task-committed");
    assert_eq!(
        run(&harness, start_request(&harness, "bounded")).await.1.reason,
        "task-committed",
        "the work tree is released"
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_with_another_data_directory_does_not_work_in_the_same_work_tree() {
    let ready = Arc::new(Notify::new());
    let first = harness([Act::Waits(Arc::clone(&ready), "complete")]).await;
    let (tree, locks) = (first.directory(), first.place.path().join("locks"));
    let roots = vec![tree.clone()];
    let second = Harness::with(FakeAgent::new([]), Arc::new(Memory::default()), |options| {
        options.catalog = RECIPES;
        (options.locks, options.roots) = (locks, roots);
    });
    let second = second.await;
    let started = first.engine.start(start_request(&first, "bounded")).await.unwrap();
    let refused = second.engine.start(Start::new("bounded", tree.clone())).await.unwrap_err();
    let id: String = started.run.to_string().chars().take(8).collect();
    assert!(
        refused.to_string().starts_with(&format!("run {id} of `bounded` works in `")),
        "{refused}"
    );
    ready.notify_one();
    first.ended(started).await;
    assert_eq!(run(&second, Start::new("bounded", tree)).await.1.reason, "task-committed");
}

#[tokio::test(start_paused = true)]
async fn a_paused_run_holds_its_work_tree_only_if_it_changed_it() {
    let limit = || Act::Fails(Failure::UsageLimit { resets_at: None, words: "limit".to_owned() });
    let harness = harness([limit()]).await;
    let (paused, ending) = run(&harness, start_request(&harness, "bounded")).await;
    assert!(ending.resume_at.is_some(), "{ending:?}");
    let other = harness
        .engine
        .start(start_request(&harness, "bounded"))
        .await
        .expect("nothing was changed");
    harness.ended(other).await;
    harness
        .engine
        .exit(harness.record(paused).session, surefire::ExitReason::UserRequested)
        .await
        .unwrap();

    harness.agent.then(Act::Writes(harness.directory().join("a"), "complete"));
    harness.agent.then(limit());
    let (paused, ending) = run(&harness, start_request(&harness, "bounded")).await;
    assert!(ending.resume_at.is_some(), "{ending:?}");
    let refused = harness.engine.start(start_request(&harness, "bounded")).await.unwrap_err();
    assert!(matches!(refused, StartError::Collision(_)), "{refused}");
    harness
        .engine
        .exit(harness.record(paused).session, surefire::ExitReason::UserRequested)
        .await
        .unwrap();
    harness
        .engine
        .start(start_request(&harness, "bounded"))
        .await
        .expect("the paused run has ended");
}

/// Commits a `surefire.toml`.
fn project_file(harness: &Harness, text: &str) {
    write(&harness.directory(), "surefire.toml", text);
    commit(&harness.directory(), "Project file");
}

// Not with a paused clock: the test itself looks up trust with git, in real time.
#[tokio::test]
async fn commands_of_a_repository_run_once_it_is_trusted_and_not_before() {
    let harness = harness([]).await;
    project_file(&harness, "verify = ['touch verified']\n[scope]\ndeny = ['docs/**']\n");
    let refused = harness.engine.start(start_request(&harness, "bounded")).await.unwrap_err();
    assert!(
        refused.to_string().contains("(`touch verified`), and the repository is not trusted"),
        "{refused}"
    );
    assert_eq!(refused.exit().unwrap().code(), "guard_violation");
    let verified = harness.directory().join("verified");

    let skip = start_request(&harness, "bounded").untrusted(Untrusted::Skip);
    let (skipped, ending) = run(&harness, skip).await;
    assert_eq!(ending.reason, "task-committed");
    assert!(!verified.exists());
    let Event::Started { spec, .. } = harness.events(skipped)[0].event.clone() else { panic!() };
    assert_eq!(spec.project.skipped.len(), 1, "the skipped command is recorded");
    assert_eq!(spec.project.scope.deny.len(), 1, "a narrower scope applies even without trust");

    let trusting = start_request(&harness, "bounded").trust(true);
    let (trusted, ending) = run(&harness, trusting).await;
    assert_eq!(ending.reason, "task-committed");
    assert!(verified.exists());
    let Event::Started { spec, .. } = harness.events(trusted)[0].event.clone() else { panic!() };
    assert_eq!(spec.project.trust, Trust::ThisRun);
    assert!(
        harness.engine.start(start_request(&harness, "bounded")).await.is_err(),
        "nothing was recorded"
    );

    let records = harness.engine.trust_records();
    records.trust(&records.subject(&harness.directory()).await.unwrap()).unwrap();
    assert_eq!(run(&harness, start_request(&harness, "bounded")).await.1.reason, "task-committed");
    project_file(&harness, "verify = ['touch other']\n");
    let refused = harness.engine.start(start_request(&harness, "bounded")).await.unwrap_err();
    assert!(
        refused.to_string().contains("surefire.toml changed since the repository was trusted"),
        "{refused}"
    );
}

#[tokio::test(start_paused = true)]
async fn an_uncommitted_project_file_is_ignored() {
    let harness = harness([]).await;
    write(&harness.directory(), "surefire.toml", "verify = ['touch verified']\n");
    assert_eq!(run(&harness, start_request(&harness, "bounded")).await.1.reason, "task-committed");
    assert!(!harness.directory().join("verified").exists());
}

#[tokio::test(start_paused = true)]
async fn a_failing_command_of_the_repository_is_reported_to_the_agent() {
    let harness = harness([Act::Outcome("complete"), Act::Outcome("complete")]).await;
    project_file(&harness, "verify = ['test -e once || { touch once; echo broken; exit 3; }']\n");
    let (_, ending) = run(&harness, start_request(&harness, "bounded").trust(true)).await;
    assert_eq!(ending.reason, "task-committed");
    assert!(
        harness.agent.turns()[1].prompt.contains("broken"),
        "{}",
        harness.agent.turns()[1].prompt
    );
}

#[tokio::test(start_paused = true)]
async fn a_mistake_in_the_repositorys_file_is_refused_with_its_line() {
    let harness = harness([]).await;
    project_file(&harness, "allow_lockfiles = true\nverfy = ['true']\n");
    let refused =
        harness.engine.start(start_request(&harness, "bounded")).await.unwrap_err().to_string();
    assert!(refused.contains("surefire.toml`") && refused.contains("line 2"), "{refused}");
    assert!(refused.contains("`verify`"), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_edits_the_repositorys_file_ends_its_run_committed_or_not() {
    for commits in [false, true] {
        let harness = harness([]).await;
        project_file(&harness, "allow_lockfiles = true\n");
        let file = harness.directory().join("surefire.toml");
        let ready = Arc::new(Notify::new());
        harness.agent.then(Act::Waits(Arc::clone(&ready), "complete"));
        let started = harness.engine.start(start_request(&harness, "bounded")).await.unwrap();
        harness.agent.asked(1).await;
        std::fs::write(&file, "verify = ['curl evil']\n").unwrap();
        if commits {
            commit(&harness.directory(), "Evil");
        }
        ready.notify_one();
        let ending = harness.ended(started).await;
        assert_eq!(ending.reason, "guard_violation", "committed: {commits}");
        let words = ending.description.unwrap();
        assert!(words.contains("`surefire.toml` (trust in the repository rests on it)"), "{words}");
    }
}

#[tokio::test(start_paused = true)]
async fn settings_of_a_repository_are_left_out_unless_it_is_trusted() {
    let harness = harness([]).await;
    run(&harness, start_request(&harness, "reading")).await;
    run(&harness, start_request(&harness, "reading").trust(true)).await;
    let used: Vec<_> = harness.agent.turns().iter().map(|turn| turn.repository).collect();
    assert_eq!(used, [RepositorySettings::LeftOut, RepositorySettings::Used]);
}

#[tokio::test(start_paused = true)]
async fn outside_of_git_nothing_is_checked_and_nothing_collides() {
    let harness = Harness::with(FakeAgent::new([]), Arc::new(Memory::default()), |options| {
        options.catalog = RECIPES;
    });
    let harness = harness.await;
    let (one, two) = (
        harness.engine.start(start_request(&harness, "bounded")).await.unwrap(),
        harness.engine.start(start_request(&harness, "bounded")).await.unwrap(),
    );
    assert_eq!(harness.ended(one).await.reason, "task-committed");
    assert_eq!(harness.ended(two).await.reason, "task-committed");
    let refused = harness.engine.start(start_request(&harness, "tidy")).await.unwrap_err();
    assert!(matches!(refused, StartError::NoRepository { .. }), "{refused}");
    let refused =
        harness.engine.start(start_request(&harness, "bounded").isolate(true)).await.unwrap_err();
    assert!(matches!(refused, StartError::NoRepository { .. }), "{refused}");
}
