//! Listeners: all hear the same, in order, and a slow one catches up.

use surefire::engine::Notice;
use surefire::run::RunId;
use surefire_testkit::{Act, FakeAgent, Harness};

#[tokio::test(start_paused = true)]
async fn all_listeners_hear_the_same_in_order() {
    let harness = Harness::new(FakeAgent::new([])).await;
    let (mut first, mut second) = (harness.engine.listen(), harness.engine.listen());
    let (started, _) = harness.run().await;
    let written: Vec<_> = harness.events(started.run).iter().map(|recorded| recorded.seq).collect();
    for feed in [&mut first, &mut second] {
        let mut heard = Vec::new();
        while heard.len() < written.len() {
            if let Notice::Happened(recorded) = feed.next().await.unwrap() {
                heard.push(recorded.seq);
            }
        }
        assert_eq!(heard, written);
    }
}

#[tokio::test(start_paused = true)]
async fn a_listener_that_is_too_slow_misses_no_event() {
    let store = std::sync::Arc::new(surefire::store::Memory::default());
    let harness = Harness::with(FakeAgent::new([]), store, |options| options.backlog = 4).await;
    let mut slow = harness.engine.listen();
    let mut runs = Vec::new();
    for _ in 0..60 {
        runs.push(harness.run().await.0.run);
    }
    let written = harness.store.events_of_all(0, usize::MAX).unwrap();
    assert!(written.len() > 512, "more than a page is missed");
    let (mut heard, mut missed) = (Vec::new(), false);
    while heard.len() < written.len() {
        match slow.next().await.unwrap() {
            Notice::Happened(recorded) => heard.push(recorded.place),
            Notice::Missed => missed = true,
            _ => {}
        }
    }
    assert!(missed, "and it is told that it has missed words");
    assert_eq!(heard, written.iter().map(|recorded| recorded.place).collect::<Vec<_>>());
}

/// What is told until a run ends, in words: an event by its name, a message by who said it in which words.
async fn told(feed: &mut surefire::engine::Feed, run: RunId) -> Vec<String> {
    let mut told = Vec::new();
    loop {
        let notice = feed.next().await.unwrap();
        let is_over = notice.ends(run).is_some();
        told.push(match notice {
            Notice::SessionBegan(session) => format!("session with {} messages", session.messages),
            Notice::Happened(recorded) => recorded.event.name().to_owned(),
            Notice::Said(message) => {
                let line = message.text.lines().next().unwrap_or_default();
                format!("{}: {}", message.role, line.chars().take(24).collect::<String>())
            }
            other => panic!("{other:?}"),
        });
        if is_over {
            return told;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn notices_come_in_the_order_things_happened() {
    let go = std::sync::Arc::new(tokio::sync::Notify::new());
    let acts = [
        Act::Waits(go.clone(), "complete"),
        Act::Says("I will.".into()),
        Act::Speaks(&["Looking."], "All is well.\n{\"outcome\": \"no-issues\"}"),
        Act::Outcome("nothing-to-commit"),
    ];
    let harness = Harness::new(FakeAgent::new(acts)).await;
    let mut feed = harness.engine.listen();
    let started = harness.start().await;
    harness.agent.asked(1).await;
    harness.engine.prompt(started.session, "Mind the tests.".into()).await.unwrap();
    go.notify_one();
    let told = told(&mut feed, started.run).await;
    let prompts = |line: &&String| !line.starts_with("user: ") || *line == "user: Mind the tests.";
    assert_eq!(
        told.iter().filter(prompts).collect::<Vec<_>>(),
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
    let asked = told.iter().zip(&told[1..]).filter(|(_, next)| next.starts_with("user: "));
    assert_eq!(
        asked.map(|(before, _)| before.as_str()).collect::<Vec<_>>(),
        ["turn_began", "prompt_queued", "turn_began", "turn_began"],
        "a prompt is told right after what it belongs to"
    );
}

#[tokio::test(start_paused = true)]
async fn a_session_is_told_of_once() {
    let harness = Harness::new(FakeAgent::new([])).await;
    let mut feed = harness.engine.listen();
    let (started, _) = harness.run().await;
    let again = surefire::engine::Start { session: Some(started.session), ..harness.wish() };
    let again = harness.engine.start(again).await.unwrap();
    let told = [told(&mut feed, started.run).await, told(&mut feed, again.run).await].concat();
    assert_eq!(told.iter().filter(|line| line.starts_with("session")).count(), 1);
    assert_eq!(told[0], "session with 1 messages", "before anything else in it");
}

#[tokio::test(start_paused = true)]
async fn a_run_goes_on_when_its_listener_is_gone() {
    let harness = Harness::new(FakeAgent::new([])).await;
    let feed = harness.engine.listen();
    let started = harness.start().await;
    drop(feed);
    assert_eq!(harness.ended(started).await.reason, "task-committed");
}
