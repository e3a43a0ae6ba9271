//! Refused requests: each gets a message that says what to do, and nothing is persisted.

use surefire::ExitReason;
use surefire::engine::{Start, StartError};
use surefire::run::{Resume, ResumedBy, SessionId};
use surefire_testkit::{Act, FakeAgent, Harness};

async fn refused(harness: &Harness, request: Start) -> StartError {
    let error = harness.engine.start(request).await.expect_err("the request is refused");
    assert_eq!(harness.store.session_count().unwrap(), 0, "nothing is persisted: {error}");
    assert!(harness.agent.turns().is_empty());
    error
}

#[tokio::test(start_paused = true)]
async fn each_refusal_says_what_to_do() {
    let harness = Harness::new(FakeAgent::new([])).await;
    let place = harness.directory();
    std::fs::write(place.join("file"), "").unwrap();
    std::os::unix::fs::symlink("/", place.join("way-out")).unwrap();
    let at = |path: &str| harness.start_request().directory(Some(place.join(path)));
    let table = [
        (at("missing"), "does not exist; create it"),
        (at("file"), "is not a directory"),
        (at("way-out"), "is outside of the allowed roots"),
        (harness.start_request().directory(Some("/".into())), "is outside of the allowed roots"),
        (
            harness.start_request().directory(Some("relative".into())),
            "is relative; give an absolute path",
        ),
        (harness.start_request().directory(None), "working_directory required for new session"),
        (
            harness.start_request().recipe("implement-and-reviw".into()),
            "recipe not found: `implement-and-reviw`; did you mean `implement-and-review`?",
        ),
        (
            harness.start_request().model(Some("straw".into())),
            "unknown model `straw`; use one of wood, opus",
        ),
        (
            harness.start_request().provider(Some("cursor".into())),
            "no agent `cursor` here; choose one with `--agent`: fake",
        ),
    ];
    for (request, words) in table {
        let error = refused(&harness, request).await.to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_can_be_shown_as_the_end_of_a_run() {
    let harness = Harness::new(FakeAgent::new([])).await;
    let error = refused(&harness, harness.start_request().directory(Some("/".into()))).await;
    let exit = error.exit().expect("the error has an exit");
    assert_eq!(exit.reason(), Some(ExitReason::Error));
    assert!(exit.description().unwrap().contains("outside of the allowed roots"));
    let error = refused(&harness, harness.start_request().recipe("nothing".into())).await;
    assert!(error.exit().is_none(), "without a recipe there is no run");
}

#[test]
fn a_session_id_is_a_uuid() {
    let error = "not-a-uuid".parse::<SessionId>().unwrap_err();
    assert!(
        error.to_string().starts_with("`not-a-uuid` is not a session id: expected a UUID"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_session_stays_in_its_directory() {
    let harness = Harness::new(FakeAgent::new([Act::Outcome("no-tasks")])).await;
    let (started, _) = harness.run().await;
    let other = harness.directory().join("other");
    std::fs::create_dir(&other).unwrap();
    let request = harness.start_request().session(Some(started.session)).directory(Some(other));
    let error = harness.engine.start(request).await.unwrap_err();
    assert!(error.to_string().contains("start in a new session to work elsewhere"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn an_unknown_run_cannot_be_resumed() {
    let harness = Harness::new(FakeAgent::new([])).await;
    let run = uuid::Uuid::from_u128(3).into();
    let error = harness.engine.resume(run, Resume::by(ResumedBy::User)).await.unwrap_err();
    assert!(error.to_string().starts_with("there is no run "), "{error}");
}
