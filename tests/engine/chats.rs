//! Prompts during a run, outside of runs, and queued when a run ends.

use surefire::ExitReason;
use surefire::agent::Failure;
use surefire::engine::{EngineError, Update};
use surefire::run::{Resume, ResumedBy, SessionId};
use surefire_testkit::{Act, FakeAgent, Harness, SECOND};

async fn chat_ended(updates: &mut surefire::engine::EventStream, session: SessionId) -> bool {
    loop {
        if let Update::ChatEnded { session: it, aborted } = updates.next().await.unwrap()
            && it == session
        {
            return aborted;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_prompt_during_a_run_comes_before_the_next_step() {
    let go = std::sync::Arc::new(tokio::sync::Notify::new());
    let acts = [Act::Waits(go.clone(), "complete"), Act::Says("I will.".into())];
    let harness = Harness::new(FakeAgent::new(acts)).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    let prompt = harness.engine.prompt(started.session, "Mind the tests.".into()).await.unwrap();
    go.notify_one();
    assert_eq!(harness.ended(started).await.reason, "task-committed");
    let said = harness.conversation(started);
    assert_eq!(said[1], "user: Mind the tests.", "it is listed where it was sent");
    assert_eq!(said[3], "assistant: I will.");
    assert_eq!(said.iter().filter(|text| text.contains("Mind the tests")).count(), 1);
    let messages = harness.store.messages(started.session, 1, 1).unwrap();
    assert_eq!(
        messages[0].id,
        prompt.uuid(),
        "a reader of the events can match the message to its prompt"
    );
}

#[tokio::test(start_paused = true)]
async fn a_prompt_outside_of_a_run_is_answered_at_once() {
    let harness =
        Harness::new(FakeAgent::new([Act::Outcome("no-tasks"), Act::Says("Forty-two.".into())]))
            .await;
    let (started, _) = harness.run().await;
    let mut updates = harness.engine.subscribe();
    harness.engine.prompt(started.session, "How many?".into()).await.unwrap();
    assert!(!chat_ended(&mut updates, started.session).await);
    let said = harness.conversation(started);
    assert_eq!(said[said.len() - 2..], ["user: How many?", "assistant: Forty-two."]);
    assert!(harness.store.open_attempts().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn prompts_queued_when_a_run_ends_are_delivered_after_it_and_not_again_when_it_resumes() {
    let go = std::sync::Arc::new(tokio::sync::Notify::new());
    let acts = [Act::Waits(go.clone(), "blocked"), Act::Says("Yes?".into())];
    let harness = Harness::new(FakeAgent::new(acts)).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    let mut updates = harness.engine.subscribe();
    harness.engine.prompt(started.session, "Hello?".into()).await.unwrap();
    go.notify_one();
    assert_eq!(harness.ended(started).await.reason, "implementation-blocked", "it ends by itself");
    chat_ended(&mut updates, started.session).await;
    assert_eq!(harness.agent.turns()[1].prompt, "Hello?");
    harness.engine.resume(started.run, Resume::by(ResumedBy::User)).await.unwrap();
    assert_eq!(harness.ended(started).await.reason, "task-committed");
    let delivered = harness.agent.turns().iter().filter(|turn| turn.prompt == "Hello?").count();
    assert_eq!(delivered, 1, "delivered exactly once");
}

#[tokio::test(start_paused = true)]
async fn a_stop_withdraws_queued_prompts_and_starts_no_agent() {
    let off = Some(false);
    for (kill, switch) in [(false, None), (true, None), (false, off)] {
        let harness = Harness::new(FakeAgent::new([Act::Hangs])).await;
        let started = harness.start().await;
        harness.agent.asked(1).await;
        for words in ["Mind the tests.", "And the docs."] {
            harness.engine.prompt(started.session, words.into()).await.unwrap();
        }
        match (kill, switch) {
            (true, _) => drop(harness.engine.kill(started.session).await.unwrap()),
            (_, Some(enabled)) => harness.engine.set_orchestration(None, enabled).await.unwrap(),
            _ => {
                drop(
                    harness.engine.exit(started.session, ExitReason::UserRequested).await.unwrap(),
                );
            }
        }
        tokio::time::sleep(surefire_testkit::SECOND * 3600).await;
        assert_eq!(harness.agent.turns().len(), 1, "no agent starts");
        assert_eq!(harness.store.queued_prompts(started.session).unwrap(), []);
        let said = harness.conversation(started);
        let marked = said.iter().filter(|text| text.starts_with("assistant: Not delivered:"));
        let marked: Vec<_> = marked.filter_map(|text| text.split(['“', '”']).nth(1)).collect();
        assert_eq!(marked, ["Mind the tests.", "And the docs."], "each is marked, in order");
        assert_eq!(said[1..3], ["user: Mind the tests.", "user: And the docs."], "the text stays");

        // The prompts stay withdrawn, even when another engine resumes the run.
        harness.engine.set_orchestration(None, true).await.unwrap();
        let harness = harness.again().await;
        harness.engine.resume(started.run, Resume::by(ResumedBy::User)).await.unwrap();
        assert_eq!(harness.ended(started).await.reason, "task-committed");
        let prompts: Vec<_> = harness.agent.turns().into_iter().map(|turn| turn.prompt).collect();
        assert!(!prompts.iter().any(|prompt| prompt == "Mind the tests."), "{prompts:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_prompt_that_is_being_delivered_when_its_run_is_stopped_is_marked() {
    for kill in [false, true] {
        let go = std::sync::Arc::new(tokio::sync::Notify::new());
        let harness =
            Harness::new(FakeAgent::new([Act::Waits(go.clone(), "complete"), Act::Hangs])).await;
        let started = harness.start().await;
        harness.agent.asked(1).await;
        harness.engine.prompt(started.session, "Mind the tests.".into()).await.unwrap();
        go.notify_one();
        harness.agent.asked(2).await;
        if kill {
            harness.engine.kill(started.session).await.unwrap();
        } else {
            harness.engine.exit(started.session, ExitReason::UserRequested).await.unwrap();
        }
        let said = harness.conversation(started);
        let marked =
            said.iter().filter(|text| text.contains("Not answered: “Mind the tests.”")).count();
        assert_eq!(marked, 1, "{said:#?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_requeued_prompt_is_delivered_before_one_that_is_sent_during_a_run() {
    let failure = Failure::NotLoggedIn { words: "Please run /login".into() };
    let acts = [Act::Outcome("no-tasks"), Act::Fails(failure), Act::Takes(SECOND, "complete")];
    let harness = Harness::new(FakeAgent::new(acts)).await;
    let (started, _) = harness.run().await;
    harness.engine.prompt(started.session, "Kept.".into()).await.unwrap();
    tokio::time::sleep(SECOND).await;
    let start = harness.start_request().session(Some(started.session));
    let next = harness.engine.start(start).await.unwrap();
    harness.agent.asked(3).await;
    harness.engine.prompt(started.session, "Sent later.".into()).await.unwrap();
    harness.ended(next).await;
    let delivered: Vec<_> =
        harness.agent.turns().into_iter().map(|turn| turn.prompt).skip(3).take(2).collect();
    assert_eq!(delivered, ["Kept.", "Sent later."]);
}

#[tokio::test(start_paused = true)]
async fn a_prompt_that_cannot_be_answered_says_so_in_the_conversation() {
    let failure = Failure::NotLoggedIn { words: "Please run /login".into() };
    // The engine retries when the conversation gets another message meanwhile, and the message
    // about the end of the run may be that one.
    let fails = || Act::Fails(failure.clone());
    let harness = Harness::new(FakeAgent::new([Act::Outcome("no-tasks"), fails(), fails()])).await;
    let (started, _) = harness.run().await;
    let mut updates = harness.engine.subscribe();
    harness.engine.prompt(started.session, "How many?".into()).await.unwrap();
    assert!(chat_ended(&mut updates, started.session).await);
    let last = harness.conversation(started).pop().unwrap();
    assert!(last.contains("was not answered") && last.contains("Please run /login"), "{last}");
}

#[tokio::test(start_paused = true)]
async fn kill_stops_a_prompt_and_leaves_nothing_behind() {
    let harness = Harness::new(FakeAgent::new([Act::Outcome("no-tasks"), Act::Hangs])).await;
    let (started, _) = harness.run().await;
    let mut updates = harness.engine.subscribe();
    harness.engine.prompt(started.session, "How many?".into()).await.unwrap();
    harness.agent.asked(2).await;
    assert_eq!(harness.engine.kill(started.session).await.unwrap(), None, "no run was open");
    assert!(chat_ended(&mut updates, started.session).await);
    assert!(harness.store.open_attempts().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_prompt_survives_a_restart() {
    let harness = Harness::new(FakeAgent::new([Act::Outcome("no-tasks"), Act::Hangs])).await;
    let (started, _) = harness.run().await;
    harness.engine.prompt(started.session, "First?".into()).await.unwrap();
    harness.agent.asked(2).await;
    harness.engine.prompt(started.session, "Second?".into()).await.unwrap();
    harness.agent.fate(surefire::agent::Fate::NeverBegan);
    harness.agent.then(Act::Says("One.".into()));
    harness.agent.then(Act::Says("Two.".into()));
    let harness = harness.again().await;
    harness.agent.asked(4).await;
    harness.until(|it| it.conversation(started).len() >= 7).await;
    let said = harness.conversation(started);
    assert_eq!(
        said[said.len() - 4..],
        ["user: First?", "user: Second?", "assistant: One.", "assistant: Two."]
    );
}

/// The start of a prompt that the agent may have received before.
const NOTICE: &str = "This may have reached you before";

#[tokio::test(start_paused = true)]
async fn a_prompt_whose_agent_was_killed_during_a_run_is_repeated_with_a_notice() {
    let go = std::sync::Arc::new(tokio::sync::Notify::new());
    let died = Failure::NoReply { status: "signal: 9 (SIGKILL)".into(), stderr: String::new() };
    let harness =
        Harness::new(FakeAgent::new([Act::Waits(go.clone(), "complete"), Act::Fails(died)])).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    harness.engine.prompt(started.session, "Mind the tests.".into()).await.unwrap();
    go.notify_one();
    assert_eq!(harness.ended(started).await.reason, "worker_failed");
    harness.agent.asked(3).await;
    let prompts: Vec<_> = harness.agent.turns().into_iter().map(|turn| turn.prompt).collect();
    assert_eq!(prompts[1], "Mind the tests.");
    assert!(
        prompts[2].starts_with(NOTICE) && prompts[2].ends_with("Mind the tests."),
        "{prompts:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_prompt_of_unknown_fate_is_repeated_with_a_notice_even_after_another_restart() {
    let harness =
        Harness::new(FakeAgent::new([Act::Outcome("no-tasks"), Act::Hangs, Act::Hangs])).await;
    let (started, _) = harness.run().await;
    harness.engine.prompt(started.session, "How many?".into()).await.unwrap();
    harness.agent.asked(2).await;
    // The next server finds the fate unknown and asks again; the one after it finds that the second
    // prompt was never delivered.
    harness.agent.fate(surefire::agent::Fate::Unknown);
    let harness = harness.again().await;
    harness.agent.asked(3).await;
    harness.agent.fate(surefire::agent::Fate::NeverBegan);
    let harness = harness.again().await;
    harness.agent.asked(4).await;
    let prompts: Vec<_> = harness.agent.turns().into_iter().map(|turn| turn.prompt).collect();
    assert_eq!(prompts[1], "How many?");
    assert!(prompts[2..].iter().all(|prompt| prompt.starts_with(NOTICE)), "{prompts:?}");
}

#[tokio::test(start_paused = true)]
async fn a_prompt_for_an_unknown_session_is_refused() {
    let harness = Harness::new(FakeAgent::new([])).await;
    let unknown = uuid::Uuid::from_u128(7).into();
    let error = harness.engine.prompt(unknown, "Hello?".into()).await.unwrap_err();
    assert!(matches!(error, EngineError::NoSession(_)), "{error}");
}
