//! A store that fails: the run pauses, nothing unsaved is announced, and the engine stays up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use surefire::engine::Notice;
use surefire::run::{AttemptId, PromptId, Resume, ResumedBy, RunId, SessionId};
use surefire::store::{
    Attempt, Commit, Committed, Memory, Message, Recorded, RunFilter, RunRecord, Session, Store, StoreError,
    Waiting,
};

use crate::puppet::{Act, Puppet, json};
use crate::stage::Stage;

/// A store on a disk that is full whenever the test says so.
#[derive(Default)]
struct Flaky {
    kept: Memory,
    full: AtomicBool,
    refused: AtomicUsize,
}

impl Store for Flaky {
    fn commit(&self, commit: &Commit) -> Result<Committed, StoreError> {
        if self.full.load(Ordering::SeqCst) {
            self.refused.fetch_add(1, Ordering::SeqCst);
            return Err(StoreError::Full);
        }
        self.kept.commit(commit)
    }
    fn session(&self, id: SessionId) -> Result<Option<Session>, StoreError> {
        self.kept.session(id)
    }
    fn sessions(&self, limit: usize) -> Result<Vec<Session>, StoreError> {
        self.kept.sessions(limit)
    }
    fn session_count(&self) -> Result<u64, StoreError> {
        self.kept.session_count()
    }
    fn messages(&self, session: SessionId, from: u64, limit: usize) -> Result<Vec<Message>, StoreError> {
        self.kept.messages(session, from, limit)
    }
    fn run(&self, id: RunId) -> Result<Option<RunRecord>, StoreError> {
        self.kept.run(id)
    }
    fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRecord>, StoreError> {
        self.kept.runs(filter)
    }
    fn events(&self, run: RunId, after: u64, limit: usize) -> Result<Vec<Recorded>, StoreError> {
        self.kept.events(run, after, limit)
    }
    fn events_of_all(&self, after: u64, limit: usize) -> Result<Vec<Recorded>, StoreError> {
        self.kept.events_of_all(after, limit)
    }
    fn last_place(&self) -> Result<u64, StoreError> {
        self.kept.last_place()
    }
    fn attempt(&self, id: AttemptId) -> Result<Option<Attempt>, StoreError> {
        self.kept.attempt(id)
    }
    fn open_attempts(&self) -> Result<Vec<Attempt>, StoreError> {
        self.kept.open_attempts()
    }
    fn waiting(&self, session: SessionId) -> Result<Vec<Waiting>, StoreError> {
        self.kept.waiting(session)
    }
    fn waiting_sessions(&self) -> Result<Vec<SessionId>, StoreError> {
        self.kept.waiting_sessions()
    }
    fn prompt(&self, id: PromptId) -> Result<Option<Waiting>, StoreError> {
        self.kept.prompt(id)
    }
    fn orchestration(&self, session: Option<SessionId>) -> Result<bool, StoreError> {
        self.kept.orchestration(session)
    }
    fn prune(&self, ended_before: u64) -> Result<u64, StoreError> {
        self.kept.prune(ended_before)
    }
}

#[tokio::test(start_paused = true)]
async fn a_full_disk_pauses_the_run_and_nothing_unsaved_is_announced() {
    let flaky = Arc::new(Flaky::default());
    let go = Arc::new(tokio::sync::Notify::new());
    let puppet = Puppet::new([Act::Waits(Arc::clone(&go), "complete")]);
    let store: Arc<dyn Store> = Arc::<Flaky>::clone(&flaky);
    let stage = Stage::with(puppet, store, |_| ()).await;
    let started = stage.start().await;
    let mut feed = stage.engine.listen();
    stage.puppet.asked(1).await;
    flaky.full.store(true, Ordering::SeqCst);
    go.notify_one();

    let ending = stage.ended(started).await;
    assert_eq!((ending.reason.as_str(), ending.exit_code), ("storage_error", 17));
    assert_eq!(flaky.refused.load(Ordering::SeqCst), 3, "it was tried more than once");
    loop {
        match feed.next().await.unwrap() {
            Notice::Unsaved { run, .. } => break assert_eq!(run, started.run),
            Notice::Happened(recorded) => panic!("{recorded:?} was announced"),
            _ => {}
        }
    }
    let refused = stage.engine.start(stage.wish()).await.unwrap_err();
    assert!(refused.to_string().contains("no room"), "{refused}");

    flaky.full.store(false, Ordering::SeqCst);
    assert!(stage.engine.start(stage.wish()).await.is_ok(), "the engine is still up");
    // The agent's reply is still to be had: it is not asked a second time.
    stage.puppet.fate(surefire::agent::Fate::Ended(Ok(json("complete"))));
    stage.engine.resume(started.run, Resume::by(ResumedBy::User)).await.unwrap();
    assert_eq!(stage.ended(started).await.reason, "task-committed");
    assert_eq!(stage.moves(started.run).len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_disk_that_is_full_for_a_moment_is_waited_for() {
    let flaky = Arc::new(Flaky::default());
    let go = Arc::new(tokio::sync::Notify::new());
    let puppet = Puppet::new([Act::Waits(Arc::clone(&go), "no-tasks")]);
    let store: Arc<dyn Store> = Arc::<Flaky>::clone(&flaky);
    let stage = Stage::with(puppet, store, |_| ()).await;
    let started = stage.start().await;
    stage.puppet.asked(1).await;
    flaky.full.store(true, Ordering::SeqCst);
    go.notify_one();
    while flaky.refused.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    flaky.full.store(false, Ordering::SeqCst);
    assert_eq!(stage.ended(started).await.reason, "no-tasks-available");
}
