//! Runs that resume automatically, and those that do not.

use std::time::Duration;

use surefire::ExitReason;
use surefire::agent::Failure;
use surefire::engine::Started;
use surefire::run::{Event, Limits};
use surefire_testkit::{Act, FakeAgent, Harness, NOON, SECOND};

use crate::recovering::CHANGED;

const HOUR: Duration = Duration::from_secs(60 * 60);

fn usage_limit(resets_in: Duration) -> Act {
    let words = "You've hit your limit".to_owned();
    Act::Fails(Failure::UsageLimit { resets_at: Some(NOON / 1000 + resets_in.as_secs()), words })
}

#[tokio::test(start_paused = true)]
async fn a_rate_limited_run_waits_for_the_reset_and_resumes() {
    let harness =
        Harness::new(FakeAgent::new([Act::Outcome("complete"), usage_limit(HOUR * 5)])).await;
    let (started, ending) = harness.run().await;
    assert_eq!(
        (ending.reason.as_str(), ending.resume_at),
        ("rate_limited", Some(NOON + 5 * 3_600_000))
    );
    tokio::time::sleep((HOUR * 5).saturating_sub(SECOND)).await;
    assert_eq!(harness.agent.turns().len(), 2, "not before the reset");
    tokio::time::sleep(SECOND * 2).await;
    assert_eq!(harness.ended(started).await.reason, "task-committed");
    assert_eq!(harness.agent.turns().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_prompt_to_a_paused_run_is_delivered_before_its_step() {
    let acts = [usage_limit(HOUR), Act::Says("I will.".into())];
    let harness = Harness::new(FakeAgent::new(acts)).await;
    let (started, _) = harness.run().await;
    harness.engine.prompt(started.session, "Mind the tests.".into()).await.unwrap();
    tokio::time::sleep(HOUR * 2).await;
    assert_eq!(harness.ended(started).await.reason, "task-committed");
    let turns = harness.agent.turns();
    let words: Vec<_> = turns.iter().map(|turn| turn.prompt == "Mind the tests.").collect();
    assert_eq!(
        words,
        [false, true, false, false, false],
        "the prompt comes before the step that was rate limited"
    );
    let said = harness.conversation(started);
    assert_eq!(said.iter().filter(|text| text.contains("Mind the tests")).count(), 1, "{said:?}");
}

#[tokio::test(start_paused = true)]
async fn a_prompt_to_a_paused_run_is_withdrawn_if_the_run_is_stopped() {
    let harness =
        Harness::new(FakeAgent::new([usage_limit(HOUR), Act::Says("I will.".into())])).await;
    let (started, _) = harness.run().await;
    harness.engine.prompt(started.session, "Mind the tests.".into()).await.unwrap();
    tokio::time::sleep(SECOND).await;
    assert_eq!(harness.store.queued_prompts(started.session).unwrap().len(), 1);
    harness.engine.exit(started.session, ExitReason::UserRequested).await.unwrap().unwrap();
    tokio::time::sleep(SECOND).await;
    assert_eq!(harness.store.queued_prompts(started.session).unwrap(), []);
    assert_eq!(harness.agent.turns().len(), 1, "no agent starts");
    let said = harness.conversation(started);
    assert!(
        said.iter().any(|text| text.starts_with("assistant: Not delivered: “Mind the tests.”")),
        "{said:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_paused_run_that_cannot_resume_is_no_longer_paused() {
    let harness =
        Harness::new(FakeAgent::new([usage_limit(HOUR), Act::Says("I will.".into())])).await;
    let limits = Limits::default().max_ticks(Some(1));
    let started = harness.engine.start(harness.start_request().limits(limits)).await.unwrap();
    assert!(harness.ended(started).await.resume_at.is_some());
    is_no_longer_paused(&harness, started, "would stop again at once").await;
}

#[tokio::test(start_paused = true)]
async fn a_paused_run_whose_recipe_changes_is_no_longer_paused() {
    let harness =
        Harness::new(FakeAgent::new([usage_limit(HOUR), Act::Says("I will.".into())])).await;
    let (started, _) = harness.run().await;
    harness.engine.shut_down(surefire::engine::Shutdown::StopAgents).await;
    let harness = harness.again_with(|options| options.catalog = CHANGED).await;
    is_no_longer_paused(&harness, started, "has changed since").await;
}

#[tokio::test(start_paused = true)]
async fn another_run_replaces_a_paused_one_even_if_its_recipe_has_changed() {
    let harness = Harness::new(FakeAgent::new([usage_limit(HOUR)])).await;
    let (paused, _) = harness.run().await;
    harness.engine.shut_down(surefire::engine::Shutdown::StopAgents).await;
    let harness = harness.again_with(|options| options.catalog = CHANGED).await;
    let start = harness.start_request().session(Some(paused.session));
    let next = harness.engine.start(start).await.unwrap();
    harness.ended(next).await;
    let ending = harness.record(paused.run).ending.unwrap();
    assert_eq!((ending.reason.as_str(), ending.resume_at), ("rate_limited", None));
    let words = ending.description.unwrap();
    assert!(words.contains("another run took its place"), "{words}");
}

/// Sends a prompt while the run is paused, and checks that the run ends for good when it is due.
async fn is_no_longer_paused(harness: &Harness, started: Started, why: &str) {
    harness.engine.prompt(started.session, "Mind the tests.".into()).await.unwrap();
    tokio::time::sleep(HOUR * 2).await;
    let ending = harness.record(started.run).ending.unwrap();
    assert_eq!((ending.reason.as_str(), ending.resume_at), ("rate_limited", None));
    let words = ending.description.unwrap();
    assert!(
        words.contains("hit your limit") && words.contains("cannot resume by itself"),
        "{words}"
    );
    assert!(words.contains(why), "{words}");
    let delivered: Vec<_> =
        harness.agent.turns().into_iter().map(|turn| turn.prompt).skip(1).collect();
    assert_eq!(delivered, ["Mind the tests."], "it is delivered outside of the run");
    assert_eq!(harness.store.queued_prompts(started.session).unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn a_paused_run_survives_a_restart_and_resumes_once() {
    let harness = Harness::new(FakeAgent::new([usage_limit(HOUR * 5)])).await;
    let (started, _) = harness.run().await;
    tokio::time::sleep(HOUR).await;
    harness.engine.shut_down(surefire::engine::Shutdown::StopAgents).await;
    tokio::time::sleep(HOUR).await;
    // The new engine's clock starts at noon again, so the whole pause is still ahead.
    let harness = harness.again().await;
    harness.engine.shut_down(surefire::engine::Shutdown::StopAgents).await;
    let harness = harness.again().await;
    tokio::time::sleep(HOUR * 6).await;
    assert_eq!(harness.ended(started).await.reason, "task-committed");
    let resumed = harness.names(started.run).into_iter().filter(|name| *name == "resumed").count();
    assert_eq!((resumed, harness.agent.turns().len()), (1, 4));
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_rate_limited_twice_in_a_row_waits_for_a_user() {
    let harness = Harness::new(FakeAgent::new([usage_limit(HOUR), usage_limit(HOUR * 2)])).await;
    let (started, _) = harness.run().await;
    tokio::time::sleep(HOUR * 24).await;
    let ending = harness.record(started.run).ending.unwrap();
    assert_eq!((ending.reason.as_str(), ending.resume_at), ("rate_limited", None));
    assert_eq!(harness.agent.turns().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_paused_run_can_be_exited() {
    let harness = Harness::new(FakeAgent::new([usage_limit(HOUR)])).await;
    let (started, _) = harness.run().await;
    let ending =
        harness.engine.exit(started.session, ExitReason::UserRequested).await.unwrap().unwrap();
    assert_eq!(ending.reason, "user-requested");
    tokio::time::sleep(HOUR * 2).await;
    assert_eq!(harness.agent.turns().len(), 1, "it does not resume");
}

#[tokio::test(start_paused = true)]
async fn a_new_run_in_the_same_session_replaces_a_paused_one() {
    let harness = Harness::new(FakeAgent::new([usage_limit(HOUR), Act::Outcome("no-tasks")])).await;
    let (started, _) = harness.run().await;
    let request = harness.start_request().session(Some(started.session));
    let second = harness.engine.start(request).await.unwrap();
    assert_eq!(harness.ended(second).await.reason, "no-tasks-available");
    tokio::time::sleep(HOUR * 2).await;
    assert_eq!(harness.agent.turns().len(), 2);
    let ending = harness.record(started.run).ending.unwrap();
    assert_eq!(
        (ending.reason.as_str(), ending.resume_at),
        ("rate_limited", None),
        "it is no longer paused"
    );
    assert!(ending.description.unwrap().contains("another run took its place"));
}

#[tokio::test(start_paused = true)]
async fn each_transient_failure_resumes_automatically() {
    let words = || "overloaded".to_owned();
    let table = [
        (Failure::Overloaded { words: words() }, "api_overloaded", 60),
        (Failure::Silent { after: SECOND }, "stalled", 0),
        (Failure::TookTooLong { after: SECOND }, "worker_timeout", 0),
    ];
    for (failure, reason, wait) in table {
        let harness = Harness::new(FakeAgent::new([Act::Fails(failure)])).await;
        let started = harness.start().await;
        tokio::time::sleep(SECOND * 61).await;
        let events = harness.events(started.run);
        let first = events.iter().find_map(|recorded| match &recorded.event {
            Event::Ended { ending, .. } => Some((ending.reason.as_str(), ending.resume_at)),
            _ => None,
        });
        assert_eq!(first, Some((reason, Some(NOON + wait * 1000))));
        assert_eq!(harness.ended(started).await.reason, "task-committed", "{reason}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_without_automatic_resumes_does_not_resume() {
    let harness = Harness::new(FakeAgent::new([usage_limit(HOUR)])).await;
    let limits = Limits::default().auto_resumes(0);
    let started = harness.engine.start(harness.start_request().limits(limits)).await.unwrap();
    assert_eq!(harness.ended(started).await.resume_at, None);
    tokio::time::sleep(HOUR * 2).await;
    assert_eq!(harness.agent.turns().len(), 1);
}
