//! The checks of the engine: commits, files and commands, in real work trees.

use std::sync::Arc;

use surefire::AnyRecipe;
use surefire::agent::{Failure, Rehearsal, Script};
use surefire::engine::{Options, Start, StartError};
use surefire::run::{CheckKind, CheckVerdict, Event, Limits, Moment};
use surefire::store::Memory;
use surefire_testkit::{Act, FakeAgent, Harness, SECOND, commit, git};

surefire::recipe! {
    /// Works, and commits.
    recipe Committing {
        initial: Work,
        guardrails: { max_step_visits: 3 },
        step Work {
            prompt: "Work.",
            outcomes: [Complete],
            Complete => Commit,
        }
        step Commit {
            prompt: "Commit.",
            outcomes: [Committed, NothingToCommit],
            Committed => exit TaskCommitted if commit,
            NothingToCommit => exit NoChangesToCommit if no_commit && clean,
        }
    }
}

surefire::recipe! {
    /// Runs commands.
    recipe Checking {
        initial: Work,
        guardrails: { max_step_visits: 3 },
        step Work {
            prompt: "Work.",
            outcomes: [Complete],
            verify: ["test -e verified || { touch verified; echo not yet; exit 3; }"],
            Complete => Test,
        }
        step Test { run: "echo testing; test -e fixed", time: 1m, Passed => Look, Failed => Fix }
        step Fix { prompt: "Fix.", outcomes: [Complete], Complete => Test }
        step Look {
            prompt: "Look.",
            outcomes: [Found],
            Found => exit TaskCommitted if exists "fixed" && "test -s fixed",
        }
    }
}

surefire::recipe! {
    /// Runs a command that does not exist.
    recipe Impossible {
        initial: Test,
        guardrails: { max_step_visits: 1 },
        step Test { run: ["no-such-program-anywhere"], Passed => exit TaskCommitted, Failed => exit ImplementationBlocked }
    }
}

surefire::recipe! {
    /// Runs a command that takes too long.
    recipe Slow {
        initial: Test,
        guardrails: { max_step_visits: 1 },
        step Test { run: "sleep 60", time: 1s, Passed => exit TaskCommitted, Failed => exit ImplementationBlocked }
    }
}

const RECIPES: surefire::Catalog = surefire::catalog![Committing, Checking, Impossible, Slow];

async fn harness(agent: FakeAgent) -> Harness {
    Harness::with(agent, Arc::new(Memory::default()), |options| options.catalog = RECIPES)
        .await
        .in_git()
}

async fn run(
    harness: &Harness,
    recipe: &str,
) -> (surefire::engine::Started, surefire::run::Ending) {
    let started =
        harness.engine.start(Start::new(recipe, harness.directory())).await.expect("it starts");
    let ending = harness.ended(started).await;
    (started, ending)
}

/// The checks of a run: kind, name and verdict.
fn checks(harness: &Harness, run: surefire::run::RunId) -> Vec<(CheckKind, String, CheckVerdict)> {
    let events = harness.events(run);
    let checked = events.iter().filter_map(|recorded| match &recorded.event {
        Event::Checked { results, .. } => Some(results),
        _ => None,
    });
    checked.flatten().map(|it| (it.kind, it.name.clone(), it.verdict.clone())).collect()
}

#[tokio::test(start_paused = true)]
async fn a_commit_of_the_agent_is_found_and_recorded() {
    let agent = FakeAgent::new([Act::Outcome("complete"), Act::Outcome("committed")]);
    let harness = harness(agent).await;
    let (started, ending) = run(&harness, "committing").await;
    assert_eq!(ending.reason, "task-committed");
    assert_eq!(
        checks(&harness, started.run),
        [(CheckKind::Evidence, "commit".to_owned(), CheckVerdict::Passed)]
    );
    let events = harness.events(started.run);
    let seen: Vec<_> = events
        .iter()
        .filter_map(|recorded| match &recorded.event {
            Event::TreeSeen { tree, moment, .. } => Some((tree.head.clone(), moment.clone())),
            _ => None,
        })
        .collect();
    assert_eq!(seen.len(), 4, "before and after each turn");
    let head = git(&harness.directory(), &["rev-parse", "HEAD"]);
    let (last, Moment::After { changes }) = &seen[3] else { panic!("{seen:?}") };
    assert_eq!(last.as_ref(), Some(&head));
    assert_eq!(
        changes.commits.iter().map(|it| it.id.as_str()).collect::<Vec<_>>(),
        [head.as_str()]
    );
}

#[tokio::test(start_paused = true)]
async fn a_claimed_commit_that_does_not_exist_is_asked_for_again_and_fails_the_run() {
    let agent = FakeAgent::new([
        Act::Outcome("complete"),
        Act::Claims("committed"),
        Act::Claims("committed"),
        Act::Claims("committed"),
        Act::Claims("committed"),
    ]);
    let harness = harness(agent).await;
    let (started, ending) = run(&harness, "committing").await;
    assert_eq!((ending.reason.as_str(), ending.exit_code), ("verification_failed", 10));
    assert!(ending.description.as_ref().unwrap().contains("there is no new commit"), "{ending:?}");
    assert_eq!(harness.agent.turns().len(), 5);
    assert!(
        harness.agent.turns()[2].prompt.contains("there is no new commit"),
        "the prompt states what was found"
    );
    assert_eq!(harness.names(started.run).iter().filter(|name| **name == "reasked").count(), 3);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_commits_when_it_is_asked_again_completes_the_run() {
    let agent = FakeAgent::new([
        Act::Outcome("complete"),
        Act::Claims("committed"),
        Act::Outcome("committed"),
    ]);
    let harness = harness(agent).await;
    let (_, ending) = run(&harness, "committing").await;
    assert_eq!(ending.reason, "task-committed");
}

#[tokio::test(start_paused = true)]
async fn nothing_to_commit_needs_a_clean_tree_and_files_that_were_dirty_before_do_not_count() {
    let agent = FakeAgent::new([Act::Outcome("complete"), Act::Claims("nothing-to-commit")]);
    let harness = harness(agent).await;
    std::fs::write(harness.directory().join("mine.txt"), "a person's").unwrap();
    let (started, ending) = run(&harness, "committing").await;
    assert_eq!(ending.reason, "no-changes-to-commit", "{ending:?}");
    assert_eq!(checks(&harness, started.run).len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_commit_that_a_user_makes_between_turns_does_not_count() {
    let agent = FakeAgent::new([Act::Outcome("complete"), Act::Hangs]);
    let harness = harness(agent).await;
    let started =
        harness.engine.start(Start::new("committing", harness.directory())).await.unwrap();
    harness.agent.asked(2).await;
    harness.engine.exit(started.session, surefire::ExitReason::UserRequested).await.unwrap();
    commit(&harness.directory(), "A person's");
    for _ in 0..4 {
        harness.agent.then(Act::Claims("committed"));
    }
    let resume = surefire::run::Resume::by(surefire::run::ResumedBy::User);
    harness.engine.resume(started.run, resume).await.unwrap();
    let ending = harness.ended(started).await;
    assert_eq!(ending.reason, "verification_failed");
    assert!(
        ending.description.as_ref().unwrap().contains("not moved while this run worked"),
        "{ending:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_recipe_with_git_evidence_is_refused_outside_of_git_before_its_first_turn() {
    let agent = FakeAgent::new([]);
    let harness =
        Harness::with(agent, Arc::new(Memory::default()), |options| options.catalog = RECIPES)
            .await;
    let refused =
        harness.engine.start(Start::new("committing", harness.directory())).await.unwrap_err();
    assert!(matches!(refused, StartError::NoRepository { .. }), "{refused}");
    assert_eq!(refused.exit().unwrap().code(), "guard_violation");
    assert!(harness.agent.turns().is_empty());
    assert!(
        harness.engine.start(Start::new("checking", harness.directory())).await.is_ok(),
        "commands need no git"
    );
}

#[tokio::test]
async fn failures_of_commands_are_reported_to_the_agent_and_a_step_can_be_a_command() {
    let agent = FakeAgent::new([]);
    let harness = harness(agent).await;
    let fixed = harness.directory().join("fixed");
    harness.agent.then(Act::Outcome("complete"));
    harness.agent.then(Act::Outcome("complete"));
    harness.agent.then(Act::Writes(fixed, "complete"));
    let (started, ending) = run(&harness, "checking").await;
    assert_eq!(ending.reason, "task-committed", "{ending:?}");
    let verdicts: Vec<_> = checks(&harness, started.run)
        .into_iter()
        .map(|(kind, _, verdict)| (kind, verdict))
        .collect();
    let failed = |status| CheckVerdict::Failed { status: Some(status) };
    assert_eq!(
        verdicts,
        [
            (CheckKind::Verify, failed(3)),
            (CheckKind::Verify, CheckVerdict::Passed),
            (CheckKind::Run, failed(1)),
            (CheckKind::Run, CheckVerdict::Passed),
            (CheckKind::Evidence, CheckVerdict::Passed),
            (CheckKind::Evidence, CheckVerdict::Passed),
        ]
    );
    let turns = harness.agent.turns();
    assert!(turns[1].prompt.contains("exit status 3: not yet"), "{}", turns[1].prompt);
    assert_eq!(
        turns.len(),
        4,
        "two for the first step, one each for fixing and looking: commands take none"
    );
}

#[tokio::test]
async fn a_command_that_is_missing_or_takes_too_long_ends_the_run_with_the_cause() {
    let harness = harness(FakeAgent::new([])).await;
    let (_, ending) = run(&harness, "impossible").await;
    assert_eq!(ending.reason, "verification_failed");
    assert!(
        ending.description.as_ref().unwrap().contains("no-such-program-anywhere"),
        "{ending:?}"
    );
    let (_, ending) = run(&harness, "slow").await;
    assert_eq!(ending.reason, "verification_timeout");
    assert!(ending.description.as_ref().unwrap().contains("took longer than 1 s"), "{ending:?}");
}

#[tokio::test]
async fn a_stop_ends_the_running_command() {
    let harness = harness(FakeAgent::new([])).await;
    let started = harness.engine.start(Start::new("slow", harness.directory())).await.unwrap();
    let has_process =
        || harness.store.open_attempts().unwrap().iter().any(|it| it.process.is_some());
    surefire_testkit::eventually("the command runs", has_process).await;
    let attempt = harness.store.open_attempts().unwrap().remove(0);
    let pid = attempt.process.unwrap().pid;
    harness.engine.exit(started.session, surefire::ExitReason::UserRequested).await.unwrap();
    assert_eq!(harness.ended(started).await.reason, "user-requested");
    surefire_testkit::eventually("the command is gone", || {
        !std::path::Path::new(&format!("/proc/{pid}")).exists()
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_failed_turn_records_what_it_changed() {
    let failure = Failure::NoReply { status: "a crash".to_owned(), stderr: String::new() };
    let harness = harness(FakeAgent::new([Act::Fails(failure)])).await;
    let (started, _) = run(&harness, "committing").await;
    let names = harness.names(started.run);
    assert_eq!(names.iter().filter(|name| **name == "tree_seen").count(), 2, "{names:?}");
}

#[tokio::test(start_paused = true)]
async fn an_interrupted_turn_records_what_it_had_changed() {
    for by_time in [false, true] {
        let harness = harness(FakeAgent::new([Act::Hangs])).await;
        let limits = Limits::default().time(by_time.then_some(SECOND));
        // The agent has written a file by the time it is stopped.
        std::fs::write(harness.directory().join("before.txt"), "a person's").unwrap();
        let request = Start::new("committing", harness.directory()).limits(limits);
        let started = harness.engine.start(request).await.unwrap();
        harness.agent.asked(1).await;
        std::fs::write(harness.directory().join("half.txt"), "half of it").unwrap();
        if !by_time {
            harness
                .engine
                .exit(started.session, surefire::ExitReason::UserRequested)
                .await
                .unwrap();
        }
        let ending = harness.ended(started).await;
        assert_eq!(ending.reason, if by_time { "timeout" } else { "user-requested" });
        assert_eq!(harness.names(started.run)[2..], ["tree_seen", "tree_seen", "ended"]);
        let events = harness.events(started.run);
        let Event::TreeSeen { moment: Moment::After { changes }, .. } = &events[3].event else {
            panic!("{events:?}")
        };
        let files: Vec<_> = changes.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(files, ["half.txt"]);
    }
}

/// A run of a recipe with this rehearsal: its moves, its reason, and its checks.
async fn rehearsed(
    recipe: &'static dyn AnyRecipe,
    script: Script,
) -> (Vec<String>, String, Vec<(String, bool)>) {
    let rehearse = |options: &mut Options| {
        options.catalog = RECIPES;
        options.agents = vec![Arc::new(Rehearsal::new(script))];
    };
    // The directory is empty and not a work tree: a rehearsal neither checks nor runs anything.
    let harness = Harness::with(FakeAgent::default(), Arc::new(Memory::default()), rehearse).await;
    let request = Start::new(recipe.outline().id, harness.directory());
    let started = harness.engine.start(request).await.unwrap();
    let ending = harness.ended(started).await;
    let results =
        harness.events(started.run).into_iter().flat_map(|recorded| match recorded.event {
            Event::Checked { results, .. } => results,
            _ => Vec::new(),
        });
    let checks =
        results.inspect(|result| assert!(result.rehearsed)).map(|it| (it.passed(), it.name));
    (
        harness.moves(started.run),
        ending.reason,
        checks.map(|(passed, name)| (name, passed)).collect(),
    )
}

#[tokio::test]
async fn a_rehearsal_can_pass_its_checks() {
    let (moves, reason, checks) = rehearsed(&Checking, Script::Happy).await;
    assert_eq!((moves.len(), reason.as_str()), (2, "task-committed"));
    assert_eq!(checks.len(), 4);
    assert!(checks.iter().all(|(_, passed)| *passed), "{checks:?}");
}

#[tokio::test]
async fn a_rehearsal_can_fail_its_commands() {
    let (moves, reason, checks) = rehearsed(&Checking, Script::ChecksFail).await;
    assert_eq!((moves, reason.as_str(), checks.len()), (Vec::new(), "verification_failed", 4));
    let (moves, reason, checks) = rehearsed(&Checking, Script::ChecksFailOnce).await;
    assert_eq!((moves.len(), reason.as_str()), (2, "task-committed"));
    assert_eq!(checks.iter().filter(|(_, passed)| !passed).count(), 1);
    assert!(!checks[0].1 && checks[0].0.starts_with("test -e verified"), "{checks:?}");
}

#[tokio::test]
async fn a_rehearsal_can_miss_its_evidence() {
    let (_, reason, checks) = rehearsed(&Committing, Script::Unproved).await;
    assert_eq!(
        (reason.as_str(), checks),
        ("verification_failed", vec![("commit".to_owned(), false); 4])
    );
    let (_, reason, checks) = rehearsed(&Committing, Script::UnprovedOnce).await;
    let expected = [("commit".to_owned(), false), ("commit".to_owned(), true)];
    assert_eq!((reason.as_str(), checks.as_slice()), ("task-committed", expected.as_slice()));
}
