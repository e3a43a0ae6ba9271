//! A passage that an agent writes in the middle of a turn is in the conversation once.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use surefire::agent::{Fate, Rehearsal, Reply};
use surefire::engine::{Started, Update};
use surefire::run::{AttemptId, SessionId};
use surefire::store::{Role, Store};
use surefire_testkit::{Act, FakeAgent, Harness, HeldStore};

/// Replies that end a run of `implement-and-review` at its first step, or a prompt outside of one.
const FIRST: &str = "Nothing to do.\n{\"outcome\": \"no-tasks\"}";
const OTHER: &str = "All is done.\n{\"outcome\": \"no-tasks\"}";

fn reply(text: &str) -> Fate {
    Fate::Ended(Ok(Reply::new(text)))
}

/// The passages and replies of the agent in a session, or in one attempt of it.
fn passages(harness: &Harness, started: Started, attempt: Option<AttemptId>) -> Vec<String> {
    let messages = harness.store.messages(started.session, 0, usize::MAX).unwrap();
    let said = messages.into_iter().filter(|it| it.role == Role::Assistant && it.attempt.is_some());
    let of_attempt = said.filter(|it| attempt.is_none_or(|attempt| it.attempt == Some(attempt)));
    of_attempt.map(|message| message.text).collect()
}

fn no_turn_is_open(harness: &Harness) -> bool {
    harness.store.open_attempts().unwrap().is_empty()
}

async fn until_said(harness: &Harness, session: SessionId, text: &str) {
    let is_there =
        |it: &Harness| it.store.messages(session, 0, 99).unwrap().iter().any(|it| it.text == text);
    harness.until(is_there).await;
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_was_streamed_as_a_passage_is_not_repeated() {
    let table: [(&[&str], &str, &[&str]); 6] = [
        (&[], FIRST, &[FIRST]),
        (&["Hm.", FIRST], FIRST, &["Hm.", FIRST]),
        (
            &["Hm.", "  Nothing to do.\n{\"outcome\": \"no-tasks\"}\n"],
            FIRST,
            &["Hm.", "  Nothing to do.\n{\"outcome\": \"no-tasks\"}\n"],
        ),
        (&["Hm.", OTHER], FIRST, &["Hm.", OTHER, FIRST]),
        (&[FIRST, "Hm."], FIRST, &[FIRST, "Hm.", FIRST]),
        (&["Nothing to do."], FIRST, &["Nothing to do.", FIRST]),
    ];
    for (passages_said, replied, expected) in table {
        // Once in a run, and once after it.
        let acts = [Act::Speaks(passages_said, replied), Act::Speaks(passages_said, replied)];
        let harness = Harness::new(FakeAgent::new(acts)).await;
        let (started, ending) = harness.run().await;
        assert_eq!(ending.reason, "no-tasks-available");
        assert_eq!(passages(&harness, started, None), expected);
        let messages = harness.store.messages(started.session, 0, usize::MAX).unwrap();
        assert!(messages.iter().all(|message| message.run == Some(started.run)));

        let mut updates = harness.engine.subscribe();
        harness.engine.prompt(started.session, "And now?".into()).await.unwrap();
        while !matches!(updates.next().await.unwrap(), Update::ChatEnded { aborted: false, .. }) {}
        assert_eq!(passages(&harness, started, None), [expected, expected].concat());
    }
}

#[tokio::test(start_paused = true)]
async fn a_passage_is_published_while_the_agent_works() {
    let harness = Harness::new(FakeAgent::new([Act::SpeaksAndHangs(&["Working on it."])])).await;
    let mut updates = harness.engine.subscribe();
    let started = harness.start().await;
    let message = loop {
        match updates.next().await.unwrap() {
            Update::Message(message) if message.role == Role::Assistant => break message,
            _ => {}
        }
    };
    assert_eq!((message.text.as_str(), message.run), ("Working on it.", Some(started.run)));
    assert_eq!(message.attempt, Some(harness.agent.turns()[0].attempt.into()));
    assert_eq!(harness.record(started.run).ending, None, "the turn is still in progress");
}

/// The passages that an agent repeats when its turn is recovered, its reply, and the conversation
/// after that. Before the crash it wrote "Hm.".
const RECOVERIES: [(&[&str], &str, &[&str]); 6] = [
    (&[], "Hm.", &["Hm."]),
    (&[], FIRST, &["Hm.", FIRST]),
    (&["Hm."], "Hm.", &["Hm."]),
    (&["Hm.", "Ah.", FIRST], FIRST, &["Hm.", "Ah.", FIRST]),
    (&["Hm.", "Hm."], FIRST, &["Hm.", "Hm.", FIRST]),
    (&["Ah."], FIRST, &["Hm.", "Ah.", FIRST]),
];

#[tokio::test(start_paused = true)]
async fn after_a_crash_no_passage_of_a_run_is_duplicated_or_lost() {
    for (again, replied, expected) in RECOVERIES {
        let harness = Harness::new(FakeAgent::new([Act::SpeaksAndHangs(&["Hm."])])).await;
        let started = harness.start().await;
        until_said(&harness, started.session, "Hm.").await;
        let attempt = harness.agent.turns()[0].attempt.into();
        harness.agent.speaks_again(again, reply(replied));
        let harness = harness.again().await;
        harness.ended(started).await;
        assert_eq!(passages(&harness, started, Some(attempt)), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_crash_no_passage_outside_of_a_run_is_duplicated_or_lost() {
    for (again, replied, expected) in RECOVERIES {
        let acts = [Act::Outcome("no-tasks"), Act::SpeaksAndHangs(&["Hm."])];
        let harness = Harness::new(FakeAgent::new(acts)).await;
        let (started, _) = harness.run().await;
        harness.engine.prompt(started.session, "And now?".into()).await.unwrap();
        until_said(&harness, started.session, "Hm.").await;
        let attempt = harness.agent.turns()[1].attempt.into();
        harness.agent.speaks_again(again, reply(replied));
        let harness = harness.again().await;
        harness.until(no_turn_is_open).await;
        assert_eq!(passages(&harness, started, Some(attempt)), expected);
    }
}

/// The conversation may be long, so the engine stops reading it once nothing can match.
#[tokio::test(start_paused = true)]
async fn passages_from_before_a_crash_are_read_only_as_long_as_needed() {
    let none: &[&str] = &[];
    for (before, max_reads) in [(none, 1), (&["One."], 2), (&["One.", "Two."], 3)] {
        let disk = Arc::new(HeldStore::default());
        let store: Arc<dyn Store> = Arc::<HeldStore>::clone(&disk);
        let harness =
            Harness::with(FakeAgent::new([Act::SpeaksAndHangs(before)]), store, |_| ()).await;
        let started = harness.start().await;
        harness.agent.asked(1).await;
        for passage in before {
            until_said(&harness, started.session, passage).await;
        }
        harness.agent.speaks_again(&["One.", "Two.", "Three.", "Four."], reply(FIRST));
        let harness = harness.again().await;
        harness.ended(started).await;
        let attempt = harness.agent.turns()[0].attempt.into();
        assert_eq!(
            passages(&harness, started, Some(attempt)),
            ["One.", "Two.", "Three.", "Four.", FIRST]
        );
        let read = disk.passages_read.load(Ordering::SeqCst);
        assert!(read <= max_reads, "{read} reads for four passages after {before:?}");
    }
}

/// A prompt whose fate is unknown is delivered to the agent once more, under the same attempt.
#[tokio::test(start_paused = true)]
async fn after_two_crashes_no_passage_is_duplicated() {
    let acts = [
        Act::Outcome("no-tasks"),
        Act::SpeaksAndHangs(&["Hm."]),
        Act::SpeaksAndHangs(&["Once more."]),
    ];
    let harness = Harness::new(FakeAgent::new(acts)).await;
    let (started, _) = harness.run().await;
    harness.engine.prompt(started.session, "And now?".into()).await.unwrap();
    until_said(&harness, started.session, "Hm.").await;
    harness.agent.fate(Fate::Unknown);
    let harness = harness.again().await;
    until_said(&harness, started.session, "Once more.").await;
    harness.agent.speaks_again(&["Once more.", FIRST], reply(FIRST));
    let harness = harness.again().await;
    harness.until(no_turn_is_open).await;
    let attempt = harness.agent.turns()[1].attempt.into();
    assert_eq!(passages(&harness, started, Some(attempt)), ["Hm.", "Once more.", FIRST]);
}

#[tokio::test(start_paused = true)]
async fn a_reply_is_the_last_message_even_if_an_earlier_attempt_streamed_the_same_text() {
    let acts = [
        Act::Outcome("no-tasks"),
        Act::SpeaksAndHangs(&["Hm.", FIRST]),
        Act::SpeaksAndHangs(&["Hm."]),
    ];
    let harness = Harness::new(FakeAgent::new(acts)).await;
    let (started, _) = harness.run().await;
    harness.engine.prompt(started.session, "And now?".into()).await.unwrap();
    harness.agent.asked(2).await;
    let attempt = harness.agent.turns()[1].attempt.into();
    let said = |harness: &Harness| passages(harness, started, Some(attempt));
    harness.until(|it| said(it).len() >= 2).await;
    harness.agent.fate(Fate::Unknown);
    let harness = harness.again().await;
    harness.until(|it| said(it).len() >= 3).await;
    harness.agent.speaks_again(&["Hm.", FIRST], reply(FIRST));
    let harness = harness.again().await;
    harness.until(no_turn_is_open).await;
    assert_eq!(said(&harness), ["Hm.", FIRST, "Hm.", FIRST]);
}

#[tokio::test(start_paused = true)]
async fn a_passage_that_cannot_be_persisted_does_not_end_the_run() {
    for (failing, expected) in [(1, vec![FIRST]), (2, vec![FIRST]), (0, vec!["Hm.", FIRST])] {
        let disk = Arc::new(HeldStore::default());
        disk.passages_that_fail.store(failing, Ordering::SeqCst);
        let store: Arc<dyn Store> = Arc::<HeldStore>::clone(&disk);
        let acts = [Act::Speaks(&["Hm.", FIRST], FIRST)];
        let harness = Harness::with(FakeAgent::new(acts), store, |_| ()).await;
        let (started, ending) = harness.run().await;
        assert_eq!(ending.reason, "no-tasks-available");
        assert_eq!(passages(&harness, started, None), expected, "{failing} fail");
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_without_passages_costs_one_commit() {
    for (agent, commits) in [(None, 4), (Some(Rehearsal::default()), 4), (Some(paced()), 7)] {
        let disk = Arc::new(HeldStore::default());
        let store: Arc<dyn Store> = Arc::<HeldStore>::clone(&disk);
        let change = |options: &mut surefire::engine::Options| {
            options.agents.splice(..0, agent.map(|agent| Arc::new(agent) as _));
        };
        let harness = Harness::with(FakeAgent::new([]), store, change).await;
        let (_, ending) = harness.run().await;
        assert_eq!((ending.reason.as_str(), ending.steps), ("task-committed", 3));
        assert_eq!(
            disk.commits.load(Ordering::SeqCst),
            commits,
            "its start, its steps and its passages"
        );
    }
}

fn paced() -> Rehearsal {
    Rehearsal::default().pace(Duration::from_secs(3))
}

#[tokio::test(start_paused = true)]
async fn a_rehearsal_streams_its_passage_once_per_turn_even_after_a_crash() {
    let rehearse =
        |options: &mut surefire::engine::Options| options.agents = vec![Arc::new(paced())];
    let store: Arc<dyn Store> = Arc::new(surefire::store::Memory::default());
    let harness = Harness::with(FakeAgent::new([]), store, rehearse).await;
    let started = harness.start().await;
    let sentence = "Rehearsal: I only pretend to work on this.";
    until_said(&harness, started.session, sentence).await;
    harness.engine.shut_down(surefire::engine::Shutdown::DetachAgents).await;
    let harness = harness.again_with(rehearse).await;
    harness.ended(started).await;
    let said = passages(&harness, started, None);
    assert_eq!(said.len(), 6, "a sentence and a reply in each of three turns: {said:?}");
    assert!(said.iter().step_by(2).all(|text| text == sentence), "{said:?}");
}
