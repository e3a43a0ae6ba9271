//! The handoff files of runs that have ended, and the operator's command that runs for each of
//! them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use surefire::ExitReason;
use surefire::agent::Failure;
use surefire::engine::{Clock, OnEnd, Recovery, STOP_JSON, Start, Started, handoff_directory};
use surefire::run::{Resume, ResumedBy, RunId};
use surefire::store::Memory;
use surefire::view::{Handoff, RestsOn};
use surefire_testkit::{Act, FakeAgent, Harness, NOON, eventually};
use tokio::sync::Notify;

fn data(harness: &Harness) -> PathBuf {
    harness.place.path().join("data")
}

fn file(harness: &Harness, run: RunId) -> PathBuf {
    handoff_directory(&data(harness), run).join(STOP_JSON)
}

/// The handoff of a run, once it is complete.
async fn handoff_of(harness: &Harness, started: Started) -> Option<Handoff> {
    assert_eq!(harness.engine.wait_for_handoffs(started.session).await, Vec::<String>::new());
    let text = std::fs::read(file(harness, started.run)).ok()?;
    Some(serde_json::from_slice(&text).expect("the file contains a handoff"))
}

/// An engine whose runs end at once, and whose operator has configured a command.
async fn harness_with_command(command: &str, change: impl FnOnce(&mut OnEnd)) -> Harness {
    let mut on_end = OnEnd::new(command);
    change(&mut on_end);
    let agent = FakeAgent::new([Act::Outcome("no-tasks")]);
    Harness::with(agent, Arc::new(Memory::default()), |options| options.on_end = Some(on_end)).await
}

/// A path in the harness's own directory, which needs no quotes in a shell.
fn path(harness: &Harness, name: &str) -> PathBuf {
    harness.place.path().join(name)
}

#[tokio::test(start_paused = true)]
async fn every_end_leaves_a_complete_handoff() {
    let harness = Harness::new(FakeAgent::new([Act::Costs("complete", 0.25)])).await;
    let (started, ending) = harness.run().await;
    let handoff = handoff_of(&harness, started).await.expect("it has ended");
    assert_eq!((handoff.run_id, handoff.session_id), (started.run, started.session));
    assert_eq!((&handoff.reason, handoff.exit_code), (&ending.reason, ending.exit_code));
    assert_eq!(handoff.seq, harness.events(started.run).last().expect("it has events").seq);
    assert_eq!((handoff.at.step.as_str(), handoff.at.turn), (ending.step.as_str(), 3));
    assert!((handoff.cost_usd - 0.25).abs() < f64::EPSILON && handoff.started_at_ms == NOON);
    assert!(handoff.rests_on == Some(RestsOn::Agent) || handoff.checks_passed > 0, "{handoff:?}");
    assert_eq!(handoff.recipe_label, "Implement & Review");
    assert!(
        handoff.next[0].command.contains(&format!("--data {}", data(&harness).display())),
        "{handoff:?}"
    );

    harness.agent.then(Act::Hangs);
    let stopped = harness.start().await;
    harness
        .engine
        .exit(stopped.session, ExitReason::UserRequested)
        .await
        .expect("it can be stopped");
    assert_eq!(handoff_of(&harness, stopped).await.expect("it has ended").reason, "user-requested");
}

#[tokio::test(start_paused = true)]
async fn a_paused_run_has_no_handoff_until_it_ends() {
    let words = "You've hit your limit".to_owned();
    let limit = Failure::UsageLimit { resets_at: Some(NOON / 1000 + 3600), words };
    let harness = Harness::new(FakeAgent::new([Act::Fails(limit)])).await;
    let (started, ending) = harness.run().await;
    assert!(ending.resume_at.is_some());
    assert_eq!(handoff_of(&harness, started).await, None);
    harness
        .engine
        .exit(started.session, ExitReason::UserRequested)
        .await
        .expect("it can be stopped");
    assert_eq!(handoff_of(&harness, started).await.expect("it is over").reason, "user-requested");
}

#[tokio::test(start_paused = true)]
async fn a_resumed_run_loses_its_handoff_until_it_ends_again() {
    let go = Arc::new(Notify::new());
    let acts = [Act::Hangs, Act::Waits(Arc::clone(&go), "no-tasks")];
    let harness = Harness::new(FakeAgent::new(acts)).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    harness.engine.exit(started.session, ExitReason::UserStopped).await.expect("it can be stopped");
    let first = handoff_of(&harness, started).await.expect("it has ended");
    harness.engine.resume(started.run, Resume::by(ResumedBy::User)).await.expect("it resumes");
    assert_eq!(handoff_of(&harness, started).await, None, "it is running");
    go.notify_one();
    harness.ended(started).await;
    let second = handoff_of(&harness, started).await.expect("it has ended again");
    assert!(second.seq > first.seq && second.reason == "no-tasks-available", "{second:?}");
}

#[tokio::test(start_paused = true)]
async fn each_run_of_a_chain_leaves_a_handoff() {
    let acts = ["complete", "no-issues", "committed", "no-tasks"].map(Act::Outcome);
    let harness = Harness::new(FakeAgent::new(acts)).await;
    let start = Start::new("implement-and-review-all", harness.directory());
    let started = harness.engine.start(start).await.expect("it starts");
    let next = harness.ended(started).await.continued_by.expect("it is continued");
    harness.engine.wait_until_ended(next).await.expect("the next one ends");
    let first = handoff_of(&harness, started).await.expect("it has ended");
    assert_eq!((first.continued_by, first.goal_met), (Some(next), true));
    let session = harness.record(next).session;
    let last = handoff_of(&harness, Started { run: next, session, ..started })
        .await
        .expect("it has ended");
    assert_eq!((last.continued_by, last.reason.as_str()), (None, "no-tasks-available"));
}

/// An engine that is killed between the end of a run and the writing of its files leaves no files.
/// In real time: a paused clock advances to the command's time limit while the command still runs.
#[tokio::test]
async fn the_next_engine_writes_the_handoffs_that_an_engine_did_not() {
    let reported =
        |harness: &Harness| std::fs::read_to_string(path(harness, "reported")).unwrap_or_default();
    let harness = harness_with_command("true", |_| ()).await;
    let (started, _) = harness.run().await;
    let whole = handoff_of(&harness, started).await.expect("it has ended");
    let reporting = |harness: &Harness| {
        let line = format!("echo \"$SUREFIRE_RUN\" >> {}", path(harness, "reported").display());
        move |options: &mut surefire::engine::Options| options.on_end = Some(OnEnd::new(line))
    };

    // Everything is written, so nothing is left to do.
    let change = reporting(&harness);
    let harness = harness.again_with(change).await;
    assert_eq!(
        (handoff_of(&harness, started).await, reported(&harness)),
        (Some(whole.clone()), String::new())
    );

    std::fs::remove_file(file(&harness, started.run)).expect("it is there");
    let change = reporting(&harness);
    let harness = harness.again_with(change).await;
    assert_eq!(handoff_of(&harness, started).await, Some(whole.clone()));
    assert_eq!(
        reported(&harness),
        format!("{}\n", started.run),
        "the operator's command runs for that run"
    );

    // A handoff of an earlier end counts as missing; the command does not run for a run that this
    // engine does not adopt.
    let earlier = Handoff { seq: 1, ..whole.clone() };
    std::fs::write(file(&harness, started.run), serde_json::to_vec(&earlier).unwrap()).unwrap();
    let change = reporting(&harness);
    let only = |options: &mut surefire::engine::Options| {
        change(options);
        options.recovery = Recovery::Only(Vec::new());
    };
    let harness = harness.again_with(only).await;
    assert_eq!(handoff_of(&harness, started).await, Some(whole));
    assert_eq!(reported(&harness).lines().count(), 1);

    // A run that ended long ago is left alone.
    std::fs::remove_file(file(&harness, started.run)).expect("it is there");
    let days = Clock::new(|| NOON + 2 * 24 * 3_600_000);
    let harness = harness.again_with(|options| options.clock = days).await;
    assert_eq!(handoff_of(&harness, started).await, None);
}

#[tokio::test]
async fn a_handoff_that_cannot_be_written_does_not_change_the_run() {
    let harness = harness_with_command("true", |_| ()).await;
    std::fs::create_dir_all(data(&harness)).unwrap();
    std::fs::write(data(&harness).join("runs"), "no directory").unwrap();
    let (started, ending) = harness.run().await;
    assert_eq!(ending.reason, "no-tasks-available");
    let problems = harness.engine.wait_for_handoffs(started.session).await;
    assert_eq!(problems.len(), 1, "the command's files cannot be created: {problems:?}");
    std::fs::remove_file(data(&harness).join("runs")).unwrap();
    harness.run().await;
    assert!(harness.engine.wait_for_handoffs(started.session).await.is_empty());
}

#[tokio::test]
async fn neither_a_client_nor_the_next_run_waits_for_the_command() {
    let harness = harness_with_command("true", |_| ()).await;
    let (go, done) = (path(&harness, "go"), path(&harness, "done"));
    let line = format!(
        "while [ ! -e {} ]; do sleep 0.01; done; cat > /dev/null; echo \"$SUREFIRE_RUN\" >> {}",
        go.display(),
        done.display()
    );
    let harness = harness.again_with(|options| options.on_end = Some(OnEnd::new(line))).await;
    let first = harness.start().await;
    harness.ended(first).await;
    let again = harness.start_request().session(Some(first.session));
    let second = harness.engine.start(again).await.expect("the session is free");
    harness.ended(second).await;
    assert!(!done.exists(), "the command has not ended");
    let waiting = harness.engine.wait_for_handoffs(first.session);
    let waiting = std::pin::pin!(waiting);
    std::fs::write(&go, "").unwrap();
    assert_eq!(waiting.await, Vec::<String>::new());
    let mut reported: Vec<_> =
        std::fs::read_to_string(&done).unwrap().lines().map(str::to_owned).collect();
    let mut expected = [first.run.to_string(), second.run.to_string()];
    reported.sort();
    expected.sort();
    assert_eq!(reported, expected, "each end once");
}

#[tokio::test]
async fn a_command_that_hangs_or_prints_too_much_is_stopped_with_everything_it_started() {
    let harness = harness_with_command("true", |_| ()).await;
    let pids = path(&harness, "pids");
    let hangs = format!("trap '' INT TERM; sleep 600 & echo $! $$ > {}; sleep 600", pids.display());
    let on_end = OnEnd::new(hangs).timeout(Duration::from_millis(300));
    let harness = harness.again_with(|options| options.on_end = Some(on_end)).await;
    let (started, _) = harness.run().await;
    let problems = harness.engine.wait_for_handoffs(started.session).await;
    assert!(
        problems.len() == 1 && problems[0].contains("it took longer than 300 ms"),
        "{problems:?}"
    );
    for pid in std::fs::read_to_string(&pids).unwrap().split_whitespace() {
        let process = PathBuf::from(format!("/proc/{pid}"));
        eventually("it is gone", || !process.exists()).await;
    }
    let prints = OnEnd::new("yes surely | head -c 3000000; sleep 600");
    let harness = harness.again_with(|options| options.on_end = Some(prints)).await;
    let (started, _) = harness.run().await;
    let problems = harness.engine.wait_for_handoffs(started.session).await;
    assert!(
        problems.len() == 1 && problems[0].contains("it printed more than 1 MiB"),
        "{problems:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn pruning_removes_the_handoff_files_of_pruned_runs_only() {
    let harness =
        Harness::new(FakeAgent::new([Act::Outcome("no-tasks"), Act::Outcome("no-tasks")])).await;
    let (first, _) = harness.run().await;
    handoff_of(&harness, first).await.expect("it has ended");
    tokio::time::sleep(Duration::from_secs(60)).await;
    let (second, _) = harness.run().await;
    handoff_of(&harness, second).await.expect("it has ended");
    assert_eq!(harness.engine.prune(NOON + 30_000).await.expect("the store works"), 1);
    assert!(!handoff_directory(&data(&harness), first.run).exists());
    assert!(file(&harness, second.run).exists());
    harness.engine.prune_sessions(NOON + 120_000).await.expect("the store works");
    assert!(!handoff_directory(&data(&harness), second.run).exists());
}
