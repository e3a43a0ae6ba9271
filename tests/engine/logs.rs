//! The log: each category has a prefix and fields, and an agent cannot forge a line.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use surefire::agent::Failure;
use surefire::engine::Shutdown;
use surefire::run::{Limits, SessionId};
use surefire::store::Store;
use surefire_testkit::{Act, FakeAgent, Harness, HeldStore, LogBuffer};

/// Runs implement-and-review with these acts, and returns the log's lines about it. All tests share
/// the log.
async fn log(acts: Vec<Act>) -> Vec<String> {
    log_with(acts, Limits::default()).await
}

async fn log_with(acts: Vec<Act>, limits: Limits) -> Vec<String> {
    LogBuffer::of_this_process();
    let harness = Harness::new(FakeAgent::new(acts)).await;
    let started =
        harness.engine.start(harness.start_request().limits(limits)).await.expect("the run starts");
    harness.ended(started).await;
    harness.engine.shut_down(Shutdown::StopAgents).await;
    lines_about(started.session)
}

fn lines_about(session: SessionId) -> Vec<String> {
    LogBuffer::of_this_process().lines_with(&session.to_string())
}

fn only<'a>(lines: &'a [String], words: &str) -> &'a str {
    let found: Vec<_> = lines.iter().filter(|line| line.contains(words)).collect();
    assert_eq!(found.len(), 1, "{words}: {lines:#?}");
    found[0]
}

#[tokio::test(start_paused = true)]
async fn each_category_has_its_prefix_and_its_fields() {
    let rounds = [
        "complete",
        "issues-found",
        "complete",
        "issues-found",
        "complete",
        "issues-found",
        "complete",
    ];
    let failure = Failure::NotLoggedIn { words: "Please run /login".into() };
    let table = [
        (
            vec![Act::Outcome("no-tasks")],
            "INFO",
            "Recipe completed",
            "no-tasks-available",
            "completed",
        ),
        (
            rounds.map(Act::Outcome).to_vec(),
            "WARN",
            "Recipe stopped by guardrail",
            "max-step-visits-exceeded:code-review",
            "guardrail",
        ),
        (vec![Act::Fails(failure)], "ERROR", "Recipe failed", "auth_required", "error"),
    ];
    for (acts, level, prefix, reason, category) in table {
        let lines = log(acts).await;
        let line = only(&lines, prefix);
        assert!(line.contains(level), "{line}");
        let fields = [
            "session=",
            "recipe=\"implement-and-review\"",
            "step=",
            &format!("reason=\"{reason}\""),
            &format!("category={category}"),
        ];
        for field in fields {
            assert!(line.contains(field), "{field} in {line}");
        }
        assert!(line.contains("run{run="), "in the run's span: {line}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_line_of_a_guardrail_states_the_limit_and_the_observed_value() {
    let none = Limits::default();
    let rounds = [
        "complete",
        "issues-found",
        "complete",
        "issues-found",
        "complete",
        "issues-found",
        "complete",
    ];
    let visits = log(rounds.map(Act::Outcome).to_vec()).await;
    assert!(
        only(&visits, "Recipe stopped by guardrail").contains(" limit=3 observed=4"),
        "{visits:#?}"
    );

    let ticks = log_with(vec![Act::Outcome("complete")], none.max_ticks(Some(1))).await;
    assert!(
        only(&ticks, "Recipe stopped by guardrail").contains(" limit=1 observed=1"),
        "{ticks:#?}"
    );

    let never = Act::Waits(Arc::default(), "complete");
    let time = log_with(vec![never], none.time(Some(Duration::from_secs(2)))).await;
    let line = only(&time, "Recipe stopped by guardrail");
    assert!(line.contains(" limit_ms=2000 observed_ms=2000"), "{line}");
}

#[tokio::test(start_paused = true)]
async fn every_line_about_a_run_has_its_id() {
    LogBuffer::of_this_process();
    let disk = Arc::new(HeldStore::default());
    let store: Arc<dyn Store> = Arc::<HeldStore>::clone(&disk);
    let harness = Harness::with(FakeAgent::new([Act::Outcome("no-tasks")]), store, |_| ()).await;
    // The first commit has to be retried, before there is a turn.
    disk.full.store(true, Ordering::SeqCst);
    let room = async {
        while disk.refused.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        disk.full.store(false, Ordering::SeqCst);
    };
    let (started, ()) = tokio::join!(harness.start(), room);
    harness.ended(started).await;
    harness.engine.shut_down(Shutdown::StopAgents).await;

    let lines = lines_about(started.session);
    assert!(lines[0].contains("failed to commit, retrying"), "{lines:#?}");
    only(&lines, "Recipe started");
    only(&lines, "Recipe completed");
    let run = started.run.to_string();
    let without_id: Vec<_> = lines.iter().filter(|line| !line.contains(&run)).collect();
    assert!(without_id.is_empty(), "{without_id:#?}");
}

#[tokio::test(start_paused = true)]
async fn a_transition_is_logged_in_the_spans_of_its_run_and_step() {
    let lines = log(vec![]).await;
    let moved = only(&lines, "to=\"commit\"");
    assert!(moved.contains("run{run=") && moved.contains("step{step=\"code-review\""), "{moved}");
}

#[tokio::test(start_paused = true)]
async fn only_an_unreadable_reply_is_logged_truncated_and_escaped() {
    let forged = format!("{}\n2026-01-01 ERROR forged\u{1b}[31m", "SECRET".repeat(100));
    let lines = log(vec![Act::Says(forged), Act::Outcome("no-tasks")]).await;
    let line = only(&lines, "Reply could not be read");
    assert!(line.contains("WARN") && line.contains("unread=\"no-json\""), "{line}");
    assert!(line.contains("forged") && !line.contains('\u{1b}'), "{line}");
    assert!(line.contains("\\n2026-01-01 ERROR"), "the line break is escaped: {line}");
    let kept = line.matches("SECRET").count();
    assert!(kept > 5 && kept < 40, "at most 200 characters: {kept}");
    assert!(
        !lines.iter().any(|line| line.contains("Your possible outcomes")),
        "prompts are not logged"
    );
    assert_eq!(
        lines.iter().filter(|line| line.contains("Done.")).count(),
        0,
        "nor are good replies"
    );
}

#[tokio::test(start_paused = true)]
async fn a_run_that_continues_another_is_logged_in_a_span_of_its_own() {
    LogBuffer::of_this_process();
    let acts = ["complete", "no-issues", "committed", "no-tasks"].map(Act::Outcome);
    let harness = Harness::new(FakeAgent::new(acts)).await;
    let request = harness.start_request().recipe("implement-and-review-all".into());
    let first = harness.engine.start(request).await.expect("the run starts");
    let second = harness.ended(first).await.continued_by.expect("it restarts");
    harness.engine.wait_until_ended(second).await.expect("the second run ends");
    harness.engine.shut_down(Shutdown::StopAgents).await;

    let lines = lines_about(harness.record(second).session);
    let line = only(&lines, "Recipe started");
    assert!(line.contains(&format!("run{{run={second}")), "{line}");
    assert!(!line.contains(&first.run.to_string()), "{line}");
    assert!(lines.iter().all(|line| line.contains(&second.to_string())), "{lines:#?}");
}
