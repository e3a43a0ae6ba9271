//! Subscribers: all receive the same updates, in order, and a slow one catches up.

use surefire::engine::Update;
use surefire::run::RunId;
use surefire_testkit::{Act, FakeAgent, Harness};

#[tokio::test(start_paused = true)]
async fn all_subscribers_receive_the_same_in_order() {
    let harness = Harness::new(FakeAgent::new([])).await;
    let (mut first, mut second) = (harness.engine.subscribe(), harness.engine.subscribe());
    let (started, _) = harness.run().await;
    let written: Vec<_> = harness.events(started.run).iter().map(|recorded| recorded.seq).collect();
    for updates in [&mut first, &mut second] {
        let mut received = Vec::new();
        while received.len() < written.len() {
            if let Update::Event(recorded) = updates.next().await.unwrap() {
                received.push(recorded.seq);
            }
        }
        assert_eq!(received, written);
    }
}

#[tokio::test(start_paused = true)]
async fn a_subscriber_that_is_too_slow_misses_no_event() {
    let store = std::sync::Arc::new(surefire::store::Memory::default());
    let harness = Harness::with(FakeAgent::new([]), store, |options| options.backlog = 4).await;
    let mut slow = harness.engine.subscribe();
    let mut runs = Vec::new();
    for _ in 0..60 {
        runs.push(harness.run().await.0.run);
    }
    let written = harness.store.events_of_all(0, usize::MAX).unwrap();
    assert!(written.len() > 512, "more than a page is missed");
    let (mut received, mut missed) = (Vec::new(), false);
    while received.len() < written.len() {
        match slow.next().await.unwrap() {
            Update::Event(recorded) => received.push(recorded.global_seq),
            Update::Lagged => missed = true,
            _ => {}
        }
    }
    assert!(missed, "and it is notified that it lagged");
    assert_eq!(received, written.iter().map(|recorded| recorded.global_seq).collect::<Vec<_>>());
}

/// The updates until a run ends, as text: an event by its name, a message by its role and its first
/// line.
async fn published(updates: &mut surefire::engine::EventStream, run: RunId) -> Vec<String> {
    let mut published = Vec::new();
    loop {
        let update = updates.next().await.unwrap();
        let is_over = update.ends(run).is_some();
        published.push(match update {
            Update::SessionBegan(session) => format!("session with {} messages", session.messages),
            Update::Event(recorded) => recorded.event.name().to_owned(),
            Update::Message(message) => {
                let line = message.text.lines().next().unwrap_or_default();
                format!("{}: {}", message.role, line.chars().take(24).collect::<String>())
            }
            other => panic!("{other:?}"),
        });
        if is_over {
            return published;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn updates_are_published_in_the_order_of_events() {
    let go = std::sync::Arc::new(tokio::sync::Notify::new());
    let acts = [
        Act::Waits(go.clone(), "complete"),
        Act::Says("I will.".into()),
        Act::Speaks(&["Looking."], "All is well.\n{\"outcome\": \"no-issues\"}"),
        Act::Outcome("nothing-to-commit"),
    ];
    let harness = Harness::new(FakeAgent::new(acts)).await;
    let mut updates = harness.engine.subscribe();
    let started = harness.start().await;
    harness.agent.asked(1).await;
    harness.engine.prompt(started.session, "Mind the tests.".into()).await.unwrap();
    go.notify_one();
    let published = published(&mut updates, started.run).await;
    let prompts = |line: &&String| !line.starts_with("user: ") || *line == "user: Mind the tests.";
    assert_eq!(
        published.iter().filter(prompts).collect::<Vec<_>>(),
        [
            "session with 1 messages",
            "started",
            "turn_began",
            "prompt_queued",
            "user: Mind the tests.",
            "assistant: Done.",
            "replied",
            "moved",
            "turn_began",
            "assistant: I will.",
            "replied",
            "turn_began",
            "assistant: Looking.",
            "assistant: All is well.",
            "replied",
            "moved",
            "turn_began",
            "assistant: Done.",
            "replied",
            "assistant: Implement & Review: No c",
            "ended",
        ]
    );
    let asked =
        published.iter().zip(&published[1..]).filter(|(_, next)| next.starts_with("user: "));
    assert_eq!(
        asked.map(|(before, _)| before.as_str()).collect::<Vec<_>>(),
        ["turn_began", "prompt_queued", "turn_began", "turn_began"],
        "a prompt is published right after the event it belongs to"
    );
}

#[tokio::test(start_paused = true)]
async fn a_session_is_published_once() {
    let harness = Harness::new(FakeAgent::new([])).await;
    let mut updates = harness.engine.subscribe();
    let (started, _) = harness.run().await;
    let again = harness.start_request().session(Some(started.session));
    let again = harness.engine.start(again).await.unwrap();
    let published =
        [published(&mut updates, started.run).await, published(&mut updates, again.run).await]
            .concat();
    assert_eq!(published.iter().filter(|line| line.starts_with("session")).count(), 1);
    assert_eq!(published[0], "session with 1 messages", "before anything else in it");
}

#[tokio::test(start_paused = true)]
async fn a_run_continues_when_its_subscriber_is_gone() {
    let harness = Harness::new(FakeAgent::new([])).await;
    let updates = harness.engine.subscribe();
    let started = harness.start().await;
    drop(updates);
    assert_eq!(harness.ended(started).await.reason, "task-committed");
}
