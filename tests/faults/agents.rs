//! Each way an agent can misbehave, through the whole engine: the run ends for the reason that
//! fits, and nothing of the agent is left.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use surefire::agent::{Claude, ClaudeSettings};
use surefire::engine::{Engine, Options, Start, StartError};
use surefire::recipes::BUNDLED;
use surefire::run::{Ending, Limits};
use surefire::store::{Memory, Store};

use crate::server::Place;

pub(crate) fn engine_options(place: &Place, program: PathBuf) -> Options {
    let environment: [(OsString, OsString); 3] = [
        ("PATH".into(), place.machine_path()),
        ("HOME".into(), place.folder("home").into()),
        (fake_claude::PLAN_VARIABLE.into(), place.plan().into()),
    ];
    let quick = Duration::from_millis(100);
    let claude = Claude::with_environment(program, environment).settings(
        ClaudeSettings::default()
            .stop_grace(quick)
            .fast_stop_grace(quick)
            .linger_timeout(quick)
            .max_poll_interval(Duration::from_millis(10)),
    );
    let store: Arc<dyn Store> = Arc::new(Memory::default());
    let mut options = Options::new(BUNDLED, Arc::new(claude), store, place.data());
    options.roots = vec![place.folder("project")];
    options.locks = place.folder("locks");
    options
}

/// Runs implement-and-review with an agent that always does this, and returns its ending.
async fn ends(answer: Value, silence: Duration) -> Ending {
    let place = Place::new(&json!({ "default": answer }));
    let mut options = engine_options(&place, fake_claude::program());
    options.turn.silence = silence;
    let engine = Engine::open(options).await.expect("the engine opens");
    let limits = Limits::default().auto_resumes(0).max_retries(1);
    let start = Start::new("implement-and-review", place.folder("project")).limits(limits);
    let started = engine.start(start).await.expect("the run starts");
    let ending = engine.wait_until_ended(started.run).await.expect("the run ends");
    assert!(place.agents().is_empty(), "nothing of the agent is left: {ending:?}");
    ending
}

macro_rules! agents {
    ($($(#[$doc:meta])* $name:ident: $answer:tt => $reason:literal;)*) => {$(
        $(#[$doc])*
        #[tokio::test]
        async fn $name() {
            let ending = ends(json!($answer), Duration::from_secs(30)).await;
            assert_eq!(ending.reason, $reason, "{ending:?}");
        }
    )*};
}

agents! {
    an_agent_that_does_well: {} => "task-committed";
    an_agent_without_json: { "act": "prose-only" } => "orchestration-error";
    an_agent_with_an_outcome_of_another_step: { "act": "wrong-outcome" } => "user-provided-other";
    an_agent_with_truncated_json: { "act": "truncated-json" } => "orchestration-error";
    an_agent_with_duplicate_keys: { "act": "duplicate-keys" } => "orchestration-error";
    an_agent_with_deep_nesting: { "act": "deep-nesting" } => "orchestration-error";
    an_agent_with_invalid_utf8: { "act": "invalid-utf8" } => "task-committed";
    an_agent_that_writes_a_hundred_megabytes: { "act": "huge", "megabytes": 100, "pick": "no-tasks" }
        => "no-tasks-available";
    an_agent_with_a_line_that_is_too_long: { "act": "huge-line", "megabytes": 9 } => "output_limit";
    an_agent_with_a_huge_standard_error: { "act": "huge-stderr", "megabytes": 20 } => "task-committed";
    an_agent_that_prints_nothing_and_exits_with_0: { "act": "empty" } => "worker_failed";
    an_agent_that_fails: { "act": "fail" } => "worker_failed";
    an_agent_that_is_killed: { "act": "die-by-signal" } => "worker_failed";
    an_agent_that_exits_with_1_after_a_good_reply: { "act": "exit-1-good-json" } => "task-committed";
    an_agent_that_exits_with_0_after_an_error: { "act": "is-error-success" } => "error";
    an_agent_that_answers_for_another_session: { "act": "wrong-session" } => "error";
    an_agent_that_leaves_children: { "act": "grandchildren" } => "task-committed";
    an_agent_that_leaves_children_in_a_session_of_their_own: { "act": "setsid-grandchild" } => "task-committed";
    an_agent_that_is_not_logged_in: { "act": "auth" } => "auth_required";
    an_agent_at_its_usage_limit: { "act": "usage-limit", "resets_at": 1_900_000_000 } => "rate_limited";
    an_agent_whose_service_is_overloaded: { "act": "overloaded" } => "api_overloaded";
    an_agent_whose_context_is_full: { "act": "context" } => "context_exhausted";
    an_agent_that_spent_its_budget: { "act": "budget" } => "cost_budget";
    an_agent_that_was_denied_its_tools: { "act": "denied" } => "permission_denied";
}

#[tokio::test]
async fn an_agent_with_two_outcomes_is_read_by_its_last_one() {
    let ending = ends(json!({ "act": "two-outcomes" }), Duration::from_secs(30)).await;
    assert_ne!(ending.steps, 0);
    assert_ne!(
        ending.outcome.as_deref(),
        Some("complete"),
        "the better one came first: {ending:?}"
    );
}

#[tokio::test]
async fn an_agent_that_hangs_is_stopped() {
    let ending = ends(json!({ "act": "silence" }), Duration::from_millis(300)).await;
    assert_eq!(ending.message, "Recipe stopped: no sign of progress (limit 300 ms)");
}

#[tokio::test]
async fn an_agent_that_ignores_sigterm_is_killed() {
    let ending = ends(json!({ "act": "ignore-sigterm" }), Duration::from_millis(300)).await;
    assert_eq!(ending.reason, "stalled");
}

#[tokio::test]
async fn an_agent_that_cannot_be_started_is_reported_before_anything_begins() {
    let place = Place::new(&json!({}));
    let file = place.folder("project").join("not-executable");
    std::fs::write(&file, "#!/bin/sh\n").expect("there is room");
    for program in [place.folder("missing"), place.folder("project"), file] {
        let engine =
            Engine::open(engine_options(&place, program.clone())).await.expect("the engine opens");
        let start = Start::new("implement-and-review", place.folder("project"));
        let error = engine.start(start).await.expect_err("there is no agent");
        assert!(matches!(error, StartError::Agent(_)), "{error}");
        assert!(error.to_string().contains(&program.display().to_string()), "{error}");
        assert_eq!(error.exit().expect("it can be shown").code(), "error");
        assert_eq!(engine.store().session_count().expect("the store works"), 0);
    }
}
