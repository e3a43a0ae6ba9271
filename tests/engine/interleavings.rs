//! Two things at once: what one of them finds while the other is not done yet, also across a restart.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use surefire::agent::{Failure, Fate};
use surefire::engine::{Begin, Engine, Say, Shutdown, Start, Started};
use surefire::run::{Resume, ResumedBy, SessionId};
use surefire::store::{Change, Commit, Memory, Process, Store};
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

/// Writes down a process for the attempt that is open, as an agent with one would have.
fn spawned(harness: &Harness) {
    let process = Process { pid: 4711, started: "then".into() };
    let attempt = harness.store.open_attempts().unwrap()[0].id;
    harness.store.commit(&Commit { changes: vec![Change::Spawned { attempt, process }] }).unwrap();
}

/// Whether the agent was asked to see to that process.
fn seen_to(harness: &Harness) -> bool {
    let is_it = |kind: &Kind| matches!(kind, Kind::Recover(Some(process)) if process.pid == 4711);
    harness.agent.recovered().iter().any(|call| is_it(&call.kind))
}

#[tokio::test]
async fn exit_of_a_run_that_is_only_just_starting_stops_its_agent() {
    let (harness, held) = harness(FakeAgent::new([Act::Hangs])).await;
    let session: SessionId = uuid::Uuid::from_u128(5).into();
    held.hold_after_the_next_commit();
    let (engine, wish) = (harness.engine.clone(), Start { session: Some(session), ..harness.wish() });
    let starting = tokio::spawn(async move { engine.start(wish).await });
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
async fn what_is_said_while_a_run_is_only_just_starting_is_passed_on_by_it() {
    for is_known in [false, true] {
        let go = Arc::new(Notify::new());
        let acts = is_known.then(|| Act::Says("Hello.".into())).into_iter();
        let acts = acts.chain([Act::Waits(Arc::clone(&go), "complete"), Act::Hangs]);
        let (harness, held) = harness(FakeAgent::new(acts)).await;
        let session: SessionId = uuid::Uuid::from_u128(5).into();
        let begin = Begin { directory: Some(harness.directory()), ..Begin::default() };
        let say = |text: &str| Say { session, text: text.to_owned(), begin: Some(begin.clone()) };
        if is_known {
            harness.engine.say(say("Hello?")).await.unwrap();
            harness.until(|it| it.store.session(session).unwrap().is_some_and(|it| it.opened)).await;
        }
        held.hold_after_the_next_commit();
        let (engine, wish) = (harness.engine.clone(), Start { session: Some(session), ..harness.wish() });
        let starting = tokio::spawn(async move { engine.start(wish).await });
        held.holds().await;
        let mut saying = pin!(harness.engine.say(say("Mind the tests.")));
        polled(&mut saying).await;
        held.release();
        let started = starting.await.unwrap().unwrap();
        assert!(!saying.await.unwrap().new_session);
        go.notify_one();
        let second = usize::from(is_known) + 1;
        harness.agent.asked(second + 1).await;
        assert!(harness.names(started.run).contains(&"prompt_queued"), "the run knows of it");
        assert_eq!(harness.agent.turns()[second].prompt, "Mind the tests.", "before the next step");
    }
}

#[tokio::test]
async fn exit_racing_a_resume_is_honoured() {
    let (harness, held) = harness(FakeAgent::new([overloaded(), Act::Hangs])).await;
    let (started, _) = harness.run().await;
    held.hold_after_the_next_commit();
    // The writer is busy with something else for a moment.
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
async fn a_prompt_that_somebody_stopped_is_not_passed_on_again() {
    let go = Arc::new(Notify::new());
    let harness =
        Harness::new(FakeAgent::new([Act::Waits(Arc::clone(&go), "complete"), Act::Hangs, Act::Hangs])).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    harness.engine.prompt(started.session, "Delete the old branch.".into()).await.unwrap();
    go.notify_one();
    harness.agent.asked(2).await;
    harness.engine.exit(started.session, ExitReason::UserRequested).await.unwrap();
    a_while(5_000).await;
    let told = harness.agent.turns().iter().filter(|turn| turn.prompt.contains("old branch")).count();
    assert_eq!(told, 1);
}

#[tokio::test(start_paused = true)]
async fn kill_withdraws_what_waits() {
    let harness = Harness::new(FakeAgent::new([Act::Hangs, Act::Hangs])).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    harness.engine.prompt(started.session, "And then?".into()).await.unwrap();
    harness.engine.kill(started.session).await.unwrap();
    a_while(5_000).await;
    assert_eq!(harness.agent.turns().len(), 1, "the agent is not started again");
    assert!(harness.store.waiting(started.session).unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn kill_of_a_prompt_withdraws_the_next_one_as_well() {
    let harness = Harness::new(FakeAgent::new([Act::Outcome("no-tasks"), Act::Hangs, Act::Hangs])).await;
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
            Harness::with(FakeAgent::new(acts), Arc::new(Memory::default()), |it| it.parallel = 1).await;
        let (started, _) = harness.run().await;
        harness.start().await;
        harness.agent.asked(2).await;
        harness.engine.prompt(started.session, "How many?".into()).await.unwrap();
        a_while(100).await;
        harness.engine.shut_down(Shutdown::StopAgents).await;
        assert_eq!(harness.said(started).pop().unwrap(), "user: How many?", "it is not given up");
    }
}

#[tokio::test(start_paused = true)]
async fn shutting_down_loses_no_prompt_that_the_agent_is_at() {
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
async fn agents_that_were_left_at_work_have_their_places_first() {
    let acts = [Act::Hangs, Act::Hangs];
    let harness =
        Harness::with(FakeAgent::new(acts), Arc::new(Memory::default()), |it| it.parallel = 1).await;
    harness.start().await;
    harness.agent.asked(1).await;
    spawned(&harness);
    harness.start().await;
    a_while(100).await;
    let harness = harness.again_with(|it| it.parallel = 1).await;
    a_while(1_000).await;
    assert!(seen_to(&harness), "it is watched, although another run began later");
}

#[tokio::test(start_paused = true)]
async fn a_run_waits_for_a_prompt_whose_agent_outlived_the_server() {
    let harness = Harness::new(FakeAgent::new([Act::Outcome("no-tasks"), Act::Hangs])).await;
    let (started, _) = harness.run().await;
    harness.engine.prompt(started.session, "How many?".into()).await.unwrap();
    harness.agent.asked(2).await;
    spawned(&harness);
    harness.engine.start(Start { session: Some(started.session), ..harness.wish() }).await.unwrap();
    a_while(100).await;
    harness.agent.fate(Fate::Unknown);
    harness.agent.then(Act::Hangs);
    let harness = harness.again().await;
    a_while(5_000).await;
    assert!(seen_to(&harness), "the prompt's agent is seen to before the run's is asked");
    assert_eq!(harness.agent.turns().len(), 3, "and the run still waits for the prompt");
}

#[tokio::test(start_paused = true)]
async fn a_changed_recipe_does_not_leave_its_agent_at_work() {
    let harness = Harness::new(FakeAgent::new([Act::Hangs])).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    spawned(&harness);
    let harness = harness.again_with(|options| options.catalog = CHANGED).await;
    assert_eq!(harness.ended(started).await.reason, "interrupted");
    assert!(seen_to(&harness));
    let last = harness.said(started).pop().unwrap();
    assert!(last.contains("has changed since"), "it is told in the conversation: {last}");
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
        /// The same chain, allowed more.
        pub(super) recipe Chain {
            initial: Work,
            guardrails: { max_restarts: 5 },
            step Work { prompt: "Work.", outcomes: [Done], Done => restart Chain }
        }
    }
    pub(super) static CATALOG: surefire::Catalog = surefire::catalog![Chain];
}

async fn chain(acts: impl IntoIterator<Item = Act>, catalog: Catalog) -> (Harness, Started) {
    let harness =
        Harness::with(FakeAgent::new(acts), Arc::new(Memory::default()), |options| options.catalog = catalog)
            .await;
    let first = harness.engine.start(Start::new("chain", harness.directory())).await.unwrap();
    (harness, first)
}

#[tokio::test(start_paused = true)]
async fn a_chain_goes_on_after_its_limit_was_raised() {
    let (harness, first) = chain([], one::CATALOG).await;
    let second = harness.ended(first).await.continued_by.unwrap();
    assert_eq!(harness.engine.ended(second).await.unwrap().reason, "max-restarts");
    let refused = harness.engine.resume(second, Resume::by(ResumedBy::User)).await.unwrap_err();
    assert!(refused.to_string().ends_with("start the recipe again"), "{refused}");
    let harness = harness.again_with(|options| options.catalog = five::CATALOG).await;
    harness.engine.resume(second, Resume::by(ResumedBy::User)).await.unwrap();
    let third = harness.engine.ended(second).await.unwrap().continued_by.unwrap();
    assert!(harness.store.run(third).unwrap().is_some(), "the run that goes on is there");
}

#[tokio::test(start_paused = true)]
async fn a_prompt_follows_its_chain() {
    let go = Arc::new(Notify::new());
    let (harness, first) =
        chain([Act::Waits(Arc::clone(&go), "done"), Act::Says("Yes.".into()), Act::Hangs], five::CATALOG)
            .await;
    harness.agent.asked(1).await;
    harness.engine.prompt(first.session, "No new dependencies.".into()).await.unwrap();
    go.notify_one();
    harness.agent.asked(3).await;
    let turns = harness.agent.turns();
    assert_eq!(turns[1].prompt, "No new dependencies.");
    assert_ne!(turns[1].session, first.session.uuid(), "it is told in the session that goes on");
    a_while(5_000).await;
    assert_eq!(harness.agent.turns().len(), 3, "and nowhere else");
}

#[tokio::test(start_paused = true)]
async fn ended_does_not_wait_for_an_engine_that_has_shut_down() {
    let harness = Harness::new(FakeAgent::new([Act::Hangs])).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    let engine = harness.engine.clone();
    let ended = tokio::spawn(async move { engine.ended(started.run).await.map(|_| ()) });
    a_while(10).await;
    harness.engine.shut_down(Shutdown::LeaveAgents).await;
    let ended = tokio::time::timeout(Duration::from_mins(1), ended).await.expect("it does not wait");
    assert!(ended.unwrap().is_err());
}

#[tokio::test(start_paused = true)]
async fn a_run_goes_on_by_itself_although_the_store_was_in_trouble_for_a_moment() {
    let (harness, held) = harness(FakeAgent::new([overloaded()])).await;
    let (started, ending) = harness.run().await;
    assert!(ending.resume_at.is_some());
    a_while(10_000).await;
    held.lists_that_fail.store(1, Ordering::SeqCst);
    a_while(3_600_000).await;
    assert_eq!(harness.record(started.run).ending.unwrap().reason, "task-committed");
}

#[tokio::test(start_paused = true)]
async fn switching_off_ends_runs_that_wait_to_go_on() {
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
async fn what_waits_for_a_run_that_waits_is_kept_for_it() {
    let limit = || Failure::UsageLimit { resets_at: Some(NOON / 1000 + 3600), words: "limit".into() };
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
async fn a_prompt_that_a_restart_finds_waiting_is_told_once() {
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
    harness.until(|it| it.record(started.run).ending.is_some_and(|it| it.reason == "task-committed")).await;
    harness.engine.shut_down(Shutdown::StopAgents).await;
    let told = harness.agent.turns().iter().filter(|turn| turn.prompt.contains("Mind the tests.")).count();
    assert_eq!(told, 1);
}

#[tokio::test(start_paused = true)]
async fn what_a_lost_store_knew_of_is_stopped_and_kept() {
    let harness = Harness::new(FakeAgent::new([Act::Hangs])).await;
    harness.start().await;
    harness.agent.asked(1).await;
    let attempt = harness.store.open_attempts().unwrap()[0].id;
    std::fs::create_dir(harness.place.path().join("data/attempts").join(attempt.to_string())).unwrap();
    // The database was damaged and set aside, so the next engine has an empty one.
    let Harness { agent, place, .. } = harness;
    let store: Arc<dyn Store> = Arc::new(Memory::default());
    let _engine = Engine::open(options(&place, &agent, &store)).await.unwrap();
    assert_eq!(agent.recovered().len(), 1, "its agent is looked for");
    let kept = place.path().join("data/unknown-attempts");
    assert_eq!(std::fs::read_dir(kept).unwrap().count(), 1, "what it wrote is not thrown away");
}
