//! Turns that an engine leaves unfinished: before the agent has its prompt, while it is being
//! stopped, and after the commit of its end.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use surefire::agent::{Claude, Fate};
use surefire::engine::{Engine, EngineError, Options, ResumeError, Shutdown, Start, Update};
use surefire::process::{Command, Files, ProcessLimits, ProcessMark, TextLines};
use surefire::run::{AttemptId, PromptId, Resume, ResumedBy, SessionId};
use surefire::store::{
    Change, Commit, Memory, NewSession, ProcessRecord, RunFilter, SessionEvent, Store,
};
use surefire_testkit::{Act, FakeAgent, Harness, HeldStore, NOON, SECOND, unproved};
use tempfile::TempDir;
use tokio::sync::Notify;
use uuid::Uuid;

/// The open attempt of a chat prompt, as a killed server leaves it, and a CLI that records its
/// prompts.
struct Left {
    place: TempDir,
    store: Arc<dyn Store>,
    session: SessionId,
    attempt: AttemptId,
}

impl Left {
    fn new(store: Arc<dyn Store>) -> Self {
        let place = tempfile::tempdir().unwrap();
        let [session, attempt, prompt] = [1, 2, 3].map(Uuid::from_u128);
        let (session, attempt, prompt) = (session.into(), attempt.into(), PromptId::from(prompt));
        let left = Self { place, store, session, attempt };
        let new = NewSession {
            id: session,
            name: "Chat".into(),
            directory: left.directory(),
            agent: "claude".into(),
            system_prompt: None,
            at: NOON,
        };
        left.happened([
            SessionEvent::Began(new),
            SessionEvent::PromptQueued { prompt, text: "Is it green?".into() },
            SessionEvent::ChatBegan { attempt, prompt },
        ]);
        let process = ProcessRecord { pid: 999_999_999, started: "then".into() };
        left.store.commit(&Commit { changes: vec![Change::Spawned { attempt, process }] }).unwrap();
        left
    }

    fn directory(&self) -> PathBuf {
        self.place.path().canonicalize().unwrap()
    }

    fn happened(&self, events: impl IntoIterator<Item = SessionEvent>) {
        let changes = events.into_iter().map(|event| Change::session(self.session, NOON, event));
        self.store.commit(&Commit { changes: changes.collect() }).unwrap();
    }

    /// Records that the process got its prompt and wrote these lines.
    fn wrote(&self, lines: &[&str]) {
        let scratch = self.place.path().join("data/attempts").join(self.attempt.to_string());
        std::fs::create_dir_all(&scratch).unwrap();
        std::fs::write(scratch.join("stdin.state"), "released\n").unwrap();
        std::fs::write(scratch.join("stdout.jsonl"), lines.join("\n") + "\n").unwrap();
    }

    async fn open(&self) -> Engine {
        let options = claude_options(self.place.path(), Arc::clone(&self.store));
        tokio::time::timeout(Duration::from_secs(60), Engine::open(options))
            .await
            .expect("the engine opens")
            .unwrap()
    }
}

/// An engine whose CLI appends its prompts to a file `prompts`, and answers nothing.
fn claude_options(place: &Path, store: Arc<dyn Store>) -> Options {
    let program = place.join("claude");
    std::fs::write(&program, "#!/bin/sh\ncat >> prompts\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = ("PATH".into(), std::env::var_os("PATH").unwrap());
    let claude = Arc::new(Claude::with_environment(program, [path]));
    let mut options = Options::new(unproved(), claude, store, place.join("data"));
    options.locks = place.join("locks");
    options.roots = vec![place.canonicalize().unwrap()];
    options
}

/// Records a process for the open attempt.
fn spawned(harness: &Harness, attempt: AttemptId, process: ProcessRecord) {
    harness.store.commit(&Commit { changes: vec![Change::Spawned { attempt, process }] }).unwrap();
}

fn some_process() -> ProcessRecord {
    ProcessRecord { pid: 4711, started: "then".into() }
}

fn disk() -> (Arc<HeldStore>, Arc<dyn Store>) {
    let disk = Arc::new(HeldStore::default());
    (Arc::clone(&disk), disk)
}

/// The server was killed after the end was persisted, and before the directory was removed.
#[tokio::test]
async fn an_engine_opens_although_a_turn_that_failed_with_a_cost_left_its_directory() {
    let left = Left::new(Arc::new(Memory::default()));
    let attempt = left.attempt;
    left.happened([SessionEvent::ChatEnded { attempt, answered: false, requeued: false }]);
    left.wrote(&[
        r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Let me see."}]}}"#,
        r#"{"type":"result","subtype":"error_max_turns","is_error":true,"result":"w","total_cost_usd":0.12}"#,
    ]);
    left.open().await;
}

/// After a SIGINT the CLI (2.1.325) writes a result that reports the abort.
#[tokio::test]
async fn a_prompt_that_a_shutdown_cut_short_is_delivered_again() {
    let left = Left::new(Arc::new(Memory::default()));
    let aborted = r#"{"type":"result","subtype":"error_during_execution","is_error":true,"result":"","terminal_reason":"aborted_streaming"}"#;
    left.wrote(&[aborted]);
    let engine = left.open().await;
    let mut updates = engine.subscribe();
    while left.store.open_attempts().unwrap().iter().any(|attempt| attempt.id == left.attempt) {
        tokio::time::timeout(Duration::from_secs(60), updates.next())
            .await
            .expect("the attempt ends")
            .unwrap();
    }
    let prompts = std::fs::read_to_string(left.directory().join("prompts")).unwrap_or_default();
    assert!(
        prompts.contains("Is it green?") && prompts.contains("may have reached you before"),
        "{prompts:?}"
    );
}

#[tokio::test]
async fn a_shutdown_before_the_prompt_is_delivered_interrupts_nothing() {
    let place = tempfile::tempdir().unwrap();
    let (disk, store) = disk();
    let engine = Engine::open(claude_options(place.path(), Arc::clone(&store))).await.unwrap();
    disk.holds_a_process.store(true, Ordering::SeqCst);
    let directory = place.path().canonicalize().unwrap();
    let started = engine.start(Start::new("implement-and-review", &directory)).await.unwrap();
    disk.holds().await;
    let closing = tokio::spawn({
        let engine = engine.clone();
        async move { engine.shut_down(Shutdown::StopAgents).await }
    });
    let nothing = Uuid::nil().into();
    while !matches!(
        engine.resume(nothing, Resume::by(ResumedBy::User)).await,
        Err(ResumeError::Engine(EngineError::ShuttingDown))
    ) {}
    disk.release();
    closing.await.unwrap();
    assert_eq!(std::fs::read_to_string(directory.join("prompts")).unwrap_or_default(), "");
    assert_eq!(store.run(started.run).unwrap().unwrap().ending, None);
}

#[tokio::test(start_paused = true)]
async fn the_working_directory_is_checked_before_a_turn_that_never_began() {
    let harness = Harness::new(FakeAgent::new([Act::Hangs])).await;
    let directory = harness.directory().join("work");
    std::fs::create_dir(&directory).unwrap();
    let start = harness.start_request().directory(Some(directory.clone()));
    let started = harness.engine.start(start).await.unwrap();
    harness.agent.asked(1).await;
    spawned(&harness, harness.store.open_attempts().unwrap()[0].id, some_process());
    std::fs::rename(&directory, directory.with_extension("old")).unwrap();
    std::os::unix::fs::symlink("/", &directory).unwrap();
    harness.agent.fate(Fate::NeverBegan);
    let harness = harness.again().await;
    let ending = harness.ended(started).await;
    assert_eq!((ending.reason.as_str(), harness.agent.turns().len()), ("error", 1));
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_never_began_waits_for_its_permit() {
    let harness = Harness::new(FakeAgent::new([Act::Hangs, Act::Hangs])).await;
    harness.start().await;
    harness.start().await;
    harness.agent.asked(2).await;
    for attempt in harness.store.open_attempts().unwrap() {
        spawned(&harness, attempt.id, some_process());
        harness.agent.fate(Fate::NeverBegan);
        harness.agent.then(Act::Hangs);
    }
    let harness = harness.again_with(|options| options.parallel = 1).await;
    harness.agent.asked(3).await;
    tokio::time::sleep(SECOND).await;
    assert_eq!(harness.agent.turns().len(), 3, "the second turn waits for the permit");
}

#[tokio::test]
async fn a_running_agent_is_stopped_if_its_session_cannot_be_locked() {
    let harness = Harness::new(FakeAgent::new([Act::Hangs])).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    let attempt = harness.store.open_attempts().unwrap()[0].id;
    let files = Files::at(harness.place.path().join("files"));
    let command = Command::new("sleep", ProcessMark::new(attempt.uuid())).arguments(["600"]);
    let held = command.start(files, ProcessLimits::default(), TextLines).await.unwrap();
    let (pid, begun) = (held.process().pid, held.process().started.clone());
    spawned(&harness, attempt, ProcessRecord { pid, started: begun });
    let file = harness.place.path().join("file");
    std::fs::write(&file, "").unwrap();
    let harness = harness.again_with(|options| options.locks = file).await;
    assert_eq!(harness.ended(started).await.reason, "error");
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    assert!(status.is_empty() || status.contains(") Z "), "its process is gone: {status}");
    drop(held);
}

#[tokio::test(start_paused = true)]
async fn switching_off_that_cannot_be_persisted_is_retried_once_there_is_room() {
    let (disk, store) = disk();
    let harness = Harness::with(FakeAgent::new([Act::Hangs]), store, |_| ()).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    disk.full.store(true, Ordering::SeqCst);
    harness.engine.set_orchestration(Some(started.session), false).await.unwrap_err();
    disk.full.store(false, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_secs(2 * 60)).await;
    assert_eq!(harness.record(started.run).ending.unwrap().reason, "user-requested");
    assert_eq!(harness.store.orchestration(Some(started.session)), Ok(false));
    assert_eq!(harness.agent.turns().len(), 1);
}

mod endless {
    surefire::recipe! {
        /// A chain that never ends by itself.
        pub(super) recipe Endless {
            initial: Work,
            guardrails: { max_restarts: 1_000_000 },
            step Work { prompt: "Work.", outcomes: [Done], Done => restart Endless }
        }
    }
    pub(super) static CATALOG: surefire::Catalog = surefire::catalog![Endless];
}

/// The agent answers at once, so the chain is in another session whenever the engine looks at it.
#[tokio::test(flavor = "multi_thread")]
async fn switching_off_everywhere_stops_a_chain_that_restarts_at_that_moment() {
    for _ in 0..60 {
        let store: Arc<dyn Store> = Arc::new(Memory::default());
        let harness =
            Harness::with(FakeAgent::new([]), store, |options| options.catalog = endless::CATALOG)
                .await;
        harness.engine.start(Start::new("endless", harness.directory())).await.unwrap();
        harness.agent.asked(5).await;
        harness.engine.set_orchestration(None, false).await.unwrap();
        let open = RunFilter::default().open(Some(true));
        assert_eq!(
            harness.store.runs(&open).unwrap().len(),
            0,
            "no run is open while recipes are switched off"
        );
        harness.engine.shut_down(Shutdown::StopAgents).await;
    }
}

/// The store accepts the commit that probes it, but not the one that adopts the run.
#[tokio::test(start_paused = true)]
async fn clients_are_not_notified_of_a_recovered_run_before_that_is_persisted() {
    let (disk, store) = disk();
    let go = Arc::new(Notify::new());
    let harness =
        Harness::with(FakeAgent::new([Act::Waits(Arc::clone(&go), "complete")]), store, |_| ())
            .await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    disk.full.store(true, Ordering::SeqCst);
    go.notify_one();
    assert_eq!(harness.ended(started).await.reason, "storage_error");
    disk.full.store(false, Ordering::SeqCst);
    harness.engine.prompt(started.session, "Mind the tests.".into()).await.unwrap();
    disk.nearly_full.store(true, Ordering::SeqCst);
    let mut updates = harness.engine.subscribe();
    let update = tokio::time::timeout(Duration::from_secs(10 * 60), updates.next()).await;
    assert!(!matches!(update, Ok(Ok(Update::Recovered { .. }))), "{update:?}");
    disk.nearly_full.store(false, Ordering::SeqCst);
    while !matches!(updates.next().await.unwrap(), Update::Recovered { .. }) {}
}
