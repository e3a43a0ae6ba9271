//! Starting runs, and several at once.

use std::sync::Arc;

use surefire::engine::{Shutdown, Start, StartError};
use surefire::run::{Event, ReplyReading};
use surefire_testkit::{Act, FakeAgent, Harness};
use tokio::sync::Notify;

#[tokio::test(start_paused = true)]
async fn a_run_completes_from_start_to_end() {
    let acts = ["complete", "issues-found", "complete", "no-issues", "committed"].map(Act::Outcome);
    let harness = Harness::new(FakeAgent::new(acts)).await;
    let (started, ending) = harness.run().await;
    assert_eq!(
        (ending.reason.as_str(), ending.goal_met, ending.exit_code),
        ("task-committed", true, 0)
    );
    assert_eq!(
        harness.moves(started.run),
        [
            "implement complete code-review",
            "code-review issues-found fix",
            "fix complete code-review",
            "code-review no-issues commit",
        ]
    );
    let turns = harness.agent.turns();
    assert_eq!(turns.len(), 5);
    assert!(turns.iter().all(|turn| turn.session == started.session.uuid()));
    let opened: Vec<_> = turns.iter().map(|turn| turn.opened).collect();
    assert_eq!(
        opened,
        [false, true, true, true, true],
        "the conversation exists after the first reply"
    );
    let record = harness.record(started.run);
    assert_eq!((record.step.as_str(), record.steps), ("commit", 5));
    let seqs: Vec<_> = harness.events(started.run).iter().map(|recorded| recorded.seq).collect();
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>(), "numbered without gaps");
    let said = harness.conversation(started);
    assert_eq!(said.len(), 11, "a prompt and a reply for each step, and the closing message");
    assert_eq!(
        said[10],
        "assistant: Implement & Review: Task implementation committed successfully."
    );
    harness.engine.shut_down(Shutdown::StopAgents).await;
    let left = harness.place.path().join("data/attempts");
    assert_eq!(std::fs::read_dir(left).unwrap().count(), 0, "no files of the attempts are left");
}

#[tokio::test(start_paused = true)]
async fn a_bad_reply_is_asked_for_again_in_the_same_session() {
    let acts = [Act::Says("I am done.".into()), Act::Outcome("no-tasks")];
    let harness = Harness::new(FakeAgent::new(acts)).await;
    let (started, ending) = harness.run().await;
    assert_eq!(ending.reason, "no-tasks-available");
    assert_eq!(
        harness.names(started.run),
        ["started", "turn_began", "replied", "reasked", "turn_began", "replied", "ended"]
    );
    let reads: Vec<_> =
        harness.events(started.run).into_iter().map(|recorded| recorded.event).collect();
    assert!(
        matches!(&reads[2], Event::Replied { read: ReplyReading::Unread { .. }, .. }),
        "{reads:?}"
    );
    assert!(
        harness.agent.turns()[1]
            .prompt
            .contains("Please respond again with JSON per the instructions")
    );
}

#[tokio::test(start_paused = true)]
async fn of_fifty_starts_for_one_session_one_succeeds_and_the_others_get_its_run() {
    let harness = Harness::new(FakeAgent::new([Act::Hangs])).await;
    let session = uuid::Uuid::from_u128(42).into();
    let starts = (0..50).map(|_| {
        let request = harness.start_request().session(Some(session));
        let engine = harness.engine.clone();
        tokio::spawn(async move { engine.start(request).await })
    });
    let (mut winners, mut holders) = (Vec::new(), Vec::new());
    for start in starts.collect::<Vec<_>>() {
        match start.await.unwrap() {
            Ok(started) => winners.push(started.run),
            Err(StartError::Busy { holder, .. }) => holders.push(holder),
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!((winners.len(), holders.len()), (1, 49));
    assert!(holders.iter().all(|holder| *holder == winners[0]));
    harness.agent.asked(1).await;
    assert_eq!(harness.agent.turns().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn no_more_agents_work_at_once_than_are_allowed() {
    let go = Arc::new(Notify::new());
    let agent = FakeAgent::new((0..6).map(|_| Act::Waits(Arc::clone(&go), "no-tasks")));
    let harness = Harness::new(agent).await;
    let mut runs = Vec::new();
    for _ in 0..6 {
        runs.push(harness.start().await);
    }
    for asked in 2..=6 {
        harness.agent.asked(asked).await;
        go.notify_one();
    }
    go.notify_one();
    for run in runs {
        assert_eq!(harness.ended(run).await.reason, "no-tasks-available");
    }
    assert_eq!(harness.agent.most_working(), 2, "two at once, never three");
}

#[tokio::test(start_paused = true)]
async fn the_next_run_of_a_session_continues_its_conversation() {
    let harness =
        Harness::new(FakeAgent::new([Act::Outcome("no-tasks"), Act::Outcome("no-tasks")])).await;
    let (first, _) = harness.run().await;
    assert!(first.new_session);
    let request = harness.start_request().session(Some(first.session)).directory(None);
    let second = harness.engine.start(request).await.unwrap();
    assert!(!second.new_session);
    harness.ended(second).await;
    assert!(harness.agent.turns()[1].opened);
    assert_eq!(harness.agent.turns()[1].directory, harness.directory());
}

#[tokio::test(start_paused = true)]
async fn a_restart_continues_in_a_fresh_session_until_no_task_is_left() {
    let acts = [
        "complete",
        "no-issues",
        "committed",
        "complete",
        "no-issues",
        "nothing-to-commit",
        "no-tasks",
    ];
    let harness = Harness::new(FakeAgent::new(acts.map(Act::Outcome))).await;
    let request =
        Start::new("implement-and-review-all", harness.directory()).task(Some("the parser".into()));
    let first = harness.engine.start(request).await.unwrap();
    let mut run = first.run;
    let mut sessions = Vec::new();
    loop {
        let ending = harness.engine.wait_until_ended(run).await.unwrap();
        sessions.push(harness.record(run).session);
        match ending.continued_by {
            Some(next) => {
                assert_eq!(ending.reason, "restart-new-session");
                assert_eq!(harness.record(next).continues, Some(run));
                run = next;
            }
            None => {
                assert_eq!(ending.reason, "no-tasks-available");
                break;
            }
        }
    }
    sessions.dedup();
    assert_eq!(sessions.len(), 3, "each run of the chain has a session of its own");
    assert!(harness.agent.turns().iter().filter(|turn| !turn.opened).count() == 3);
    assert!(harness.agent.turns()[3].prompt.contains("the parser"), "the chain keeps its task");
}

#[tokio::test(start_paused = true)]
async fn a_panic_ends_only_its_own_run() {
    let harness = Harness::new(FakeAgent::new([Act::Panics, Act::Outcome("no-tasks")])).await;
    let (_, broken) = harness.run().await;
    assert_eq!((broken.reason.as_str(), broken.exit_code), ("internal-error", 14));
    assert!(broken.description.as_ref().unwrap().contains("the fake agent broke"), "{broken:?}");
    let (_, fine) = harness.run().await;
    assert_eq!(fine.reason, "no-tasks-available");
}
