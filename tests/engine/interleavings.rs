//! Two concurrent operations: what one of them finds while the other is unfinished, also across a
//! restart.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use surefire::agent::{Failure, Fate};
use surefire::engine::{Engine, NewSessionSpec, SendPrompt, Shutdown, Start, Started};
use surefire::run::{Resume, ResumedBy, SessionId};
use surefire::store::{Change, Commit, Memory, ProcessRecord, Store};
use surefire::{Catalog, ExitReason};
use surefire_testkit::{
    Act, FakeAgent, Harness, HeldStore, Kind, NOON, options, polled, polled_twice, settle,
};
use tokio::sync::Notify;

use crate::recovering::CHANGED;

async fn a_while(milliseconds: u64) {
    tokio::time::sleep(Duration::from_millis(milliseconds)).await;
}

async fn harness(agent: FakeAgent) -> (Harness, Arc<HeldStore>) {
    let held = Arc::new(HeldStore::default());
    let store: Arc<dyn Store> = Arc::<HeldStore>::clone(&held);
    (Harness::with(agent, store, |_| ()).await, held)
}

fn overloaded() -> Act {
    Act::Fails(Failure::Overloaded { words: "busy".into() })
}

/// Records a process for the open attempt, as for an agent that has one.
fn spawned(harness: &Harness) {
    let process = ProcessRecord { pid: 4711, started: "then".into() };
    let attempt = harness.store.open_attempts().unwrap()[0].id;
    harness.store.commit(&Commit { changes: vec![Change::Spawned { attempt, process }] }).unwrap();
}

/// Whether the agent was asked to recover that process.
fn process_recovered(harness: &Harness) -> bool {
    let is_it = |kind: &Kind| matches!(kind, Kind::Recover(Some(process)) if process.pid == 4711);
    harness.agent.recovered().iter().any(|call| is_it(&call.kind))
}

#[tokio::test]
async fn exit_of_a_run_that_is_starting_stops_its_agent() {
    let (harness, held) = harness(FakeAgent::new([Act::Hangs])).await;
    let session: SessionId = uuid::Uuid::from_u128(5).into();
    held.hold_after_the_next_commit();
    let (engine, request) =
        (harness.engine.clone(), harness.start_request().session(Some(session)));
    let starting = tokio::spawn(async move { engine.start(request).await });
    held.holds().await;
    let mut exiting = pin!(harness.engine.exit(session, ExitReason::UserRequested));
    polled(&mut exiting).await;
    held.release();
    starting.await.unwrap().unwrap();
    assert_eq!(exiting.await.unwrap().unwrap().reason, "user-requested");
    harness.engine.shut_down(Shutdown::StopAgents).await;
    assert_eq!(harness.agent.working(), 0, "no agent works for a run that has ended");
}

#[tokio::test]
async fn a_prompt_sent_while_a_run_is_starting_is_delivered_by_it() {
    for is_known in [false, true] {
        let go = Arc::new(Notify::new());
        let acts = is_known.then(|| Act::Says("Hello.".into())).into_iter();
        let acts = acts.chain([Act::Waits(Arc::clone(&go), "complete"), Act::Hangs]);
        let (harness, held) = harness(FakeAgent::new(acts)).await;
        let session: SessionId = uuid::Uuid::from_u128(5).into();
        let begin = NewSessionSpec::default().directory(Some(harness.directory()));
        let prompt = |text: &str| SendPrompt::new(session, text).begin(Some(begin.clone()));
        if is_known {
            harness.engine.send_prompt(prompt("Hello?")).await.unwrap();
            harness
                .until(|it| it.store.session(session).unwrap().is_some_and(|it| it.opened))
                .await;
        }
        held.hold_after_the_next_commit();
        let (engine, request) =
            (harness.engine.clone(), harness.start_request().session(Some(session)));
        let starting = tokio::spawn(async move { engine.start(request).await });
        held.holds().await;
        let mut sending = pin!(harness.engine.send_prompt(prompt("Mind the tests.")));
        polled(&mut sending).await;
        held.release();
        let started = starting.await.unwrap().unwrap();
        assert!(!sending.await.unwrap().new_session);
        go.notify_one();
        let second = usize::from(is_known) + 1;
        harness.agent.asked(second + 1).await;
        assert!(harness.names(started.run).contains(&"prompt_queued"), "the run has the prompt");
        assert_eq!(harness.agent.turns()[second].prompt, "Mind the tests.", "before the next step");
    }
}

#[tokio::test]
async fn exit_racing_a_resume_ends_the_run() {
    let (harness, held) = harness(FakeAgent::new([overloaded(), Act::Hangs])).await;
    let (started, _) = harness.run().await;
    held.hold_after_the_next_commit();
    // The writer is busy with another commit for a moment.
    let engine = harness.engine.clone();
    let other = tokio::spawn(async move { engine.set_orchestration(None, true).await });
    held.holds().await;
    held.hold_reads_of_runs();
    let mut resuming = pin!(harness.engine.resume(started.run, Resume::by(ResumedBy::Auto)));
    polled_twice(&mut resuming, || held.release_reads_of_runs()).await;
    let mut exiting = pin!(harness.engine.exit(started.session, ExitReason::UserRequested));
    polled(&mut exiting).await;
    held.release();
    other.await.unwrap().unwrap();
    resuming.await.unwrap();
    assert_eq!(exiting.await.unwrap().unwrap().reason, "user-requested");
    harness.engine.shut_down(Shutdown::StopAgents).await;
    assert_eq!(harness.agent.working(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_prompt_whose_delivery_a_client_stopped_is_not_delivered_again() {
    let go = Arc::new(Notify::new());
    let harness = Harness::new(FakeAgent::new([
        Act::Waits(Arc::clone(&go), "complete"),
        Act::Hangs,
        Act::Hangs,
    ]))
    .await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    harness.engine.prompt(started.session, "Delete the old branch.".into()).await.unwrap();
    go.notify_one();
    harness.agent.asked(2).await;
    harness.engine.exit(started.session, ExitReason::UserRequested).await.unwrap();
    a_while(5_000).await;
    let delivered =
        harness.agent.turns().iter().filter(|turn| turn.prompt.contains("old branch")).count();
    assert_eq!(delivered, 1);
}

#[tokio::test(start_paused = true)]
async fn kill_withdraws_queued_prompts() {
    let harness = Harness::new(FakeAgent::new([Act::Hangs, Act::Hangs])).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    harness.engine.prompt(started.session, "And then?".into()).await.unwrap();
    harness.engine.kill(started.session).await.unwrap();
    a_while(5_000).await;
    assert_eq!(harness.agent.turns().len(), 1, "the agent is not started again");
    assert!(harness.store.queued_prompts(started.session).unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn kill_during_a_prompt_withdraws_the_next_one_as_well() {
    let harness =
        Harness::new(FakeAgent::new([Act::Outcome("no-tasks"), Act::Hangs, Act::Hangs])).await;
    let (started, _) = harness.run().await;
    harness.engine.prompt(started.session, "First?".into()).await.unwrap();
    harness.agent.asked(2).await;
    harness.engine.prompt(started.session, "Second?".into()).await.unwrap();
    harness.engine.kill(started.session).await.unwrap();
    a_while(5_000).await;
    assert_eq!(harness.agent.turns().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn shutting_down_loses_no_prompt_that_waits_for_a_free_agent() {
    for _ in 0..10 {
        let acts = [Act::Outcome("no-tasks"), Act::Hangs];
        let harness =
            Harness::with(FakeAgent::new(acts), Arc::new(Memory::default()), |it| it.parallel = 1)
                .await;
        let (started, _) = harness.run().await;
        harness.start().await;
        harness.agent.asked(2).await;
        harness.engine.prompt(started.session, "How many?".into()).await.unwrap();
        a_while(100).await;
        harness.engine.shut_down(Shutdown::StopAgents).await;
        assert_eq!(
            harness.conversation(started).pop().unwrap(),
            "user: How many?",
            "the prompt stays queued"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn shutting_down_loses_no_prompt_that_the_agent_works_on() {
    let harness = Harness::new(FakeAgent::new([Act::Outcome("no-tasks"), Act::Hangs])).await;
    let (started, _) = harness.run().await;
    harness.engine.prompt(started.session, "How many?".into()).await.unwrap();
    harness.agent.asked(2).await;
    harness.engine.shut_down(Shutdown::StopAgents).await;
    harness.agent.then(Act::Says("Forty-two.".into()));
    let harness = harness.again().await;
    harness.agent.asked(3).await;
    let prompt = harness.agent.turns()[2].prompt.clone();
    assert!(
        prompt.starts_with("This may have reached you before") && prompt.ends_with("How many?"),
        "{prompt}"
    );
}

#[tokio::test(start_paused = true)]
async fn detached_agents_get_their_permits_first() {
    let acts = [Act::Hangs, Act::Hangs];
    let harness =
        Harness::with(FakeAgent::new(acts), Arc::new(Memory::default()), |it| it.parallel = 1)
            .await;
    harness.start().await;
    harness.agent.asked(1).await;
    spawned(&harness);
    harness.start().await;
    a_while(100).await;
    let harness = harness.again_with(|it| it.parallel = 1).await;
    a_while(1_000).await;
    assert!(
        process_recovered(&harness),
        "its process is adopted, although another run waits for the permit"
    );
}

#[tokio::test(start_paused = true)]
async fn a_run_waits_for_a_prompt_whose_agent_outlived_the_server() {
    let harness = Harness::new(FakeAgent::new([Act::Outcome("no-tasks"), Act::Hangs])).await;
    let (started, _) = harness.run().await;
    harness.engine.prompt(started.session, "How many?".into()).await.unwrap();
    harness.agent.asked(2).await;
    spawned(&harness);
    harness.engine.start(harness.start_request().session(Some(started.session))).await.unwrap();
    a_while(100).await;
    harness.agent.fate(Fate::Unknown);
    harness.agent.then(Act::Hangs);
    let harness = harness.again().await;
    a_while(5_000).await;
    assert!(process_recovered(&harness), "the prompt's agent is recovered before the run's turn");
    assert_eq!(harness.agent.turns().len(), 3, "and the run still waits for the prompt");
}

#[tokio::test(start_paused = true)]
async fn the_agent_of_a_run_whose_recipe_changed_is_stopped() {
    let harness = Harness::new(FakeAgent::new([Act::Hangs])).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    spawned(&harness);
    let harness = harness.again_with(|options| options.catalog = CHANGED).await;
    assert_eq!(harness.ended(started).await.reason, "interrupted");
    assert!(process_recovered(&harness));
    let last = harness.conversation(started).pop().unwrap();
    assert!(last.contains("has changed since"), "the conversation reports it: {last}");
}

mod one {
    surefire::recipe! {
        /// A chain that may restart once.
        pub(super) recipe Chain {
            initial: Work,
            guardrails: { max_restarts: 1 },
            step Work { prompt: "Work.", outcomes: [Done], Done => restart Chain }
        }
    }
    pub(super) static CATALOG: surefire::Catalog = surefire::catalog![Chain];
}

mod five {
    surefire::recipe! {
        /// The same chain with a higher limit.
        pub(super) recipe Chain {
            initial: Work,
            guardrails: { max_restarts: 5 },
            step Work { prompt: "Work.", outcomes: [Done], Done => restart Chain }
        }
    }
    pub(super) static CATALOG: surefire::Catalog = surefire::catalog![Chain];
}

async fn chain(acts: impl IntoIterator<Item = Act>, catalog: Catalog) -> (Harness, Started) {
    let harness = Harness::with(FakeAgent::new(acts), Arc::new(Memory::default()), |options| {
        options.catalog = catalog;
    })
    .await;
    let first = harness.engine.start(Start::new("chain", harness.directory())).await.unwrap();
    (harness, first)
}

#[tokio::test(start_paused = true)]
async fn a_chain_resumes_after_its_limit_was_raised() {
    let (harness, first) = chain([], one::CATALOG).await;
    let second = harness.ended(first).await.continued_by.unwrap();
    assert_eq!(harness.engine.wait_until_ended(second).await.unwrap().reason, "max-restarts");
    let refused = harness.engine.resume(second, Resume::by(ResumedBy::User)).await.unwrap_err();
    assert!(refused.to_string().ends_with("start the recipe again"), "{refused}");
    let harness = harness.again_with(|options| options.catalog = five::CATALOG).await;
    harness.engine.resume(second, Resume::by(ResumedBy::User)).await.unwrap();
    let third = harness.engine.wait_until_ended(second).await.unwrap().continued_by.unwrap();
    assert!(harness.store.run(third).unwrap().is_some(), "the run that continues is stored");
}

#[tokio::test(start_paused = true)]
async fn a_prompt_follows_its_chain() {
    let go = Arc::new(Notify::new());
    let (harness, first) = chain(
        [Act::Waits(Arc::clone(&go), "done"), Act::Says("Yes.".into()), Act::Hangs],
        five::CATALOG,
    )
    .await;
    harness.agent.asked(1).await;
    harness.engine.prompt(first.session, "No new dependencies.".into()).await.unwrap();
    go.notify_one();
    harness.agent.asked(3).await;
    let turns = harness.agent.turns();
    assert_eq!(turns[1].prompt, "No new dependencies.");
    assert_ne!(
        turns[1].session,
        first.session.uuid(),
        "it is delivered in the session of the chain's next run"
    );
    a_while(5_000).await;
    assert_eq!(harness.agent.turns().len(), 3, "and is delivered only there");
}

#[tokio::test(start_paused = true)]
async fn wait_until_ended_does_not_wait_for_an_engine_that_has_shut_down() {
    let harness = Harness::new(FakeAgent::new([Act::Hangs])).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    let engine = harness.engine.clone();
    let ended = tokio::spawn(async move { engine.wait_until_ended(started.run).await.map(|_| ()) });
    a_while(10).await;
    harness.engine.shut_down(Shutdown::DetachAgents).await;
    let ended =
        tokio::time::timeout(Duration::from_secs(60), ended).await.expect("it does not wait");
    assert!(ended.unwrap().is_err());
}

#[tokio::test(start_paused = true)]
async fn a_run_resumes_automatically_although_the_store_failed_for_a_moment() {
    let (harness, held) = harness(FakeAgent::new([overloaded()])).await;
    let (started, ending) = harness.run().await;
    assert!(ending.resume_at.is_some());
    a_while(10_000).await;
    held.lists_that_fail.store(1, Ordering::SeqCst);
    a_while(3_600_000).await;
    assert_eq!(harness.record(started.run).ending.unwrap().reason, "task-committed");
}

#[tokio::test(start_paused = true)]
async fn switching_off_ends_paused_runs() {
    let harness = Harness::new(FakeAgent::new([overloaded()])).await;
    let (started, _) = harness.run().await;
    harness.engine.set_orchestration(None, false).await.unwrap();
    assert_eq!(harness.record(started.run).ending.unwrap().reason, "user-requested");
    harness.engine.set_orchestration(None, true).await.unwrap();
    let harness = harness.again().await;
    a_while(3_600_000).await;
    assert_eq!(harness.agent.turns().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn prompts_queued_for_a_paused_run_stay_queued_until_it_resumes() {
    let limit =
        || Failure::UsageLimit { resets_at: Some(NOON / 1000 + 3600), words: "limit".into() };
    let harness = Harness::new(FakeAgent::new([Act::Hangs])).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    harness.engine.prompt(started.session, "Mind the tests.".into()).await.unwrap();
    harness.agent.fate(Fate::Ended(Err(limit())));
    let harness = harness.again().await;
    a_while(1_000).await;
    let harness = harness.again().await;
    a_while(60_000).await;
    assert_eq!(harness.agent.turns().len(), 1, "an agent at its limit is not asked");
    a_while(3_700_000).await;
    assert_eq!(harness.agent.turns()[1].prompt, "Mind the tests.");
}

#[tokio::test]
async fn a_prompt_that_a_restart_finds_queued_is_delivered_once() {
    let (harness, held) = harness(FakeAgent::new([Act::Hangs])).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    harness.engine.prompt(started.session, "Mind the tests.".into()).await.unwrap();
    harness.engine.shut_down(Shutdown::StopAgents).await;
    held.hold_before_the_next_commit();
    let harness = harness.again().await;
    held.holds().await;
    settle().await;
    held.release();
    harness
        .until(|it| it.record(started.run).ending.is_some_and(|it| it.reason == "task-committed"))
        .await;
    harness.engine.shut_down(Shutdown::StopAgents).await;
    let delivered =
        harness.agent.turns().iter().filter(|turn| turn.prompt.contains("Mind the tests.")).count();
    assert_eq!(delivered, 1);
}

#[tokio::test(start_paused = true)]
async fn agents_of_a_lost_store_are_stopped_and_their_output_is_kept() {
    let harness = Harness::new(FakeAgent::new([Act::Hangs])).await;
    harness.start().await;
    harness.agent.asked(1).await;
    let attempt = harness.store.open_attempts().unwrap()[0].id;
    std::fs::create_dir(harness.place.path().join("data/attempts").join(attempt.to_string()))
        .unwrap();
    // The database was damaged and quarantined, so the next engine has an empty one.
    let Harness { agent, place, .. } = harness;
    let store: Arc<dyn Store> = Arc::new(Memory::default());
    let _engine = Engine::open(options(&place, &agent, &store)).await.unwrap();
    assert_eq!(agent.recovered().len(), 1, "its agent is recovered");
    let kept = place.path().join("data/unknown-attempts");
    assert_eq!(std::fs::read_dir(kept).unwrap().count(), 1, "its output is quarantined");
}
