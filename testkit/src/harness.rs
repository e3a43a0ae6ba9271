//! The setup of every engine test: an engine, its store, and a directory to work in.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use surefire::engine::{Clock, Engine, Options, Start, Started};
use surefire::run::{Ending, Event, RunId};
use surefire::store::{EventRecord, Memory, RunRecord, Store};
use tempfile::TempDir;

use crate::{FakeAgent, make_work_tree, unproved};

/// The time at which all tests begin, in milliseconds since 1970.
pub const NOON: u64 = 1_800_000_000_000;

/// An engine with a fake agent, a store and a directory to work in.
///
/// ```
/// use surefire_testkit::{Act, FakeAgent, Harness};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let harness = Harness::new(FakeAgent::new([Act::Outcome("no-tasks")])).await;
/// let (started, ending) = harness.run().await;
/// assert_eq!(ending.reason, "no-tasks-available");
/// assert_eq!(harness.agent.turns().len(), 1);
/// # });
/// ```
pub struct Harness {
    /// The engine.
    pub engine: Engine,
    /// Its store.
    pub store: Arc<dyn Store>,
    /// The only agent it has.
    pub agent: FakeAgent,
    /// Its data and its locks, and the directory that its runs work in. It is deleted with the
    /// harness.
    pub place: TempDir,
}

/// A clock that moves with the runtime's.
///
/// # Panics
/// Outside of a runtime.
#[must_use]
pub fn clock() -> Clock {
    let began = tokio::time::Instant::now();
    Clock::new(move || NOON + u64::try_from(began.elapsed().as_millis()).expect("tests are short"))
}

impl Harness {
    /// An engine on a new store in memory.
    pub async fn new(agent: FakeAgent) -> Self {
        Self::with(agent, Arc::new(Memory::default()), |_| ()).await
    }

    /// An engine on this store, with these changes to its options.
    ///
    /// # Panics
    /// If it cannot be opened.
    pub async fn with(
        agent: FakeAgent,
        store: Arc<dyn Store>,
        change: impl FnOnce(&mut Options),
    ) -> Self {
        let place = tempfile::tempdir().expect("there is room for tests");
        let mut options = options(&place, &agent, &store);
        change(&mut options);
        let engine = Engine::open(options).await.expect("the engine opens");
        Self { engine, store, agent, place }
    }

    /// Makes the directory that runs work in a git work tree: see [`make_work_tree`]. For the
    /// bundled recipes with their evidence, set `options.recipes` as well.
    #[must_use]
    pub fn in_git(self) -> Self {
        make_work_tree(self.place.path(), &["/data/", "/locks/", "/.tmp*/"]);
        self
    }

    /// Another engine on the same store, as after a restart of the server.
    ///
    /// # Panics
    /// If it cannot be opened.
    pub async fn again(self) -> Self {
        self.again_with(|_| ()).await
    }

    /// The same, with these changes to its options.
    ///
    /// # Panics
    /// If it cannot be opened.
    pub async fn again_with(self, change: impl FnOnce(&mut Options)) -> Self {
        let Self { engine, store, agent, place } = self;
        drop(engine);
        let mut options = options(&place, &agent, &store);
        // The previous engine still lives in this process, and holds its locks, unlike one that was
        // really killed.
        options.locks = tempfile::tempdir_in(place.path()).expect("there is room for tests").keep();
        change(&mut options);
        let engine = Engine::open(options).await.expect("the engine opens again");
        Self { engine, store, agent, place }
    }

    /// The directory that runs work in.
    ///
    /// # Panics
    /// If a test has deleted it.
    #[must_use]
    pub fn directory(&self) -> PathBuf {
        self.place.path().canonicalize().expect("it is there")
    }

    /// The request that [`Self::start`] sends.
    #[must_use]
    pub fn start_request(&self) -> Start {
        Start::new("implement-and-review", self.directory())
    }

    /// Starts a run of `implement-and-review`.
    ///
    /// # Panics
    /// If it is refused.
    pub async fn start(&self) -> Started {
        self.engine.start(self.start_request()).await.expect("the run starts")
    }

    /// Waits for the end of a run.
    ///
    /// # Panics
    /// If the engine abandons it.
    pub async fn ended(&self, started: Started) -> Ending {
        self.engine.wait_until_ended(started.run).await.expect("the run ends")
    }

    /// Starts a run and waits for its end.
    pub async fn run(&self) -> (Started, Ending) {
        let started = self.start().await;
        (started, self.ended(started).await)
    }

    /// Waits until a condition holds. It is checked again after each update that the engine
    /// publishes.
    ///
    /// # Panics
    /// If the engine is gone.
    pub async fn until(&self, holds: impl Fn(&Self) -> bool) {
        let mut updates = self.engine.subscribe();
        while !holds(self) {
            updates.next().await.expect("the engine is running");
        }
    }

    /// The events of a run.
    ///
    /// # Panics
    /// If the store cannot be read. The same holds for the methods below.
    #[must_use]
    pub fn events(&self, run: RunId) -> Vec<EventRecord> {
        self.store.events(run, 0, usize::MAX).expect("the store works")
    }

    /// The names of the events of a run.
    #[must_use]
    pub fn names(&self, run: RunId) -> Vec<&'static str> {
        self.events(run).iter().map(|recorded| recorded.event.name()).collect()
    }

    /// The transitions of a run, each as `from outcome to`.
    #[must_use]
    pub fn moves(&self, run: RunId) -> Vec<String> {
        let events = self.events(run);
        let moves = events.iter().filter_map(|recorded| match &recorded.event {
            Event::Moved { from, outcome, to, .. } => Some(format!("{from} {outcome} {to}")),
            _ => None,
        });
        moves.collect()
    }

    /// The record of a run in the store.
    ///
    /// # Panics
    /// If there is none.
    #[must_use]
    pub fn record(&self, run: RunId) -> RunRecord {
        self.store.run(run).expect("the store works").expect("the run is there")
    }

    /// The conversation of a session, each message as `role: text`.
    ///
    /// # Panics
    /// If the store cannot be read.
    #[must_use]
    pub fn conversation(&self, started: Started) -> Vec<String> {
        let messages =
            self.store.messages(started.session, 0, usize::MAX).expect("the store works");
        messages.iter().map(|message| format!("{}: {}", message.role, message.text)).collect()
    }
}

/// The options that a [`Harness`] begins with.
#[must_use]
pub fn options(place: &TempDir, agent: &FakeAgent, store: &Arc<dyn Store>) -> Options {
    let mut options = Options::new(
        unproved(),
        Arc::new(agent.clone()),
        Arc::clone(store),
        place.path().join("data"),
    );
    options.roots = vec![place.path().to_owned()];
    options.locks = place.path().join("locks");
    options.clock = clock();
    options
}

/// A second.
pub const SECOND: Duration = Duration::from_secs(1);
