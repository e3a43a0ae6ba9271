//! What every test sets up: an engine, its store, and a directory to work in.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use surefire::engine::{Clock, Engine, Options, Start, Started};
use surefire::recipes::BUNDLED;
use surefire::run::{Ending, Event, RunId};
use surefire::store::{Memory, Recorded, RunRecord, Store};
use tempfile::TempDir;

use crate::puppet::{Puppet, Strings};

/// The time at which all tests begin, in milliseconds since 1970.
pub(crate) const NOON: u64 = 1_800_000_000_000;

pub(crate) struct Stage {
    pub(crate) engine: Engine,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) puppet: Arc<Puppet>,
    pub(crate) place: TempDir,
}

/// A clock that moves with the test's own.
pub(crate) fn clock() -> Clock {
    let began = tokio::time::Instant::now();
    Clock::new(move || NOON + u64::try_from(began.elapsed().as_millis()).expect("tests are short"))
}

impl Stage {
    pub(crate) async fn new(puppet: Arc<Puppet>) -> Self {
        Self::with(puppet, Arc::new(Memory::default()), |_| ()).await
    }

    pub(crate) async fn with(
        puppet: Arc<Puppet>,
        store: Arc<dyn Store>,
        change: impl FnOnce(&mut Options),
    ) -> Self {
        let place = tempfile::tempdir().expect("there is room for tests");
        let mut options = options(&place, &puppet, &store);
        change(&mut options);
        let engine = Engine::open(options).await.expect("the engine opens");
        Self { engine, store, puppet, place }
    }

    /// Another engine on the same store, as after a restart of the server.
    pub(crate) async fn again(self) -> Self {
        self.again_with(|_| ()).await
    }

    pub(crate) async fn again_with(self, change: impl FnOnce(&mut Options)) -> Self {
        let Self { engine, store, puppet, place } = self;
        drop(engine);
        let mut options = options(&place, &puppet, &store);
        // The engine before this one still lives in this process, unlike one that was really killed.
        options.locks = tempfile::tempdir_in(place.path()).expect("there is room for tests").keep();
        change(&mut options);
        let engine = Engine::open(options).await.expect("the engine opens again");
        Self { engine, store, puppet, place }
    }

    pub(crate) fn directory(&self) -> PathBuf {
        self.place.path().canonicalize().expect("it is there")
    }

    pub(crate) fn wish(&self) -> Start {
        Start::new("implement-and-review", self.directory())
    }

    pub(crate) async fn start(&self) -> Started {
        self.engine.start(self.wish()).await.expect("the run starts")
    }

    pub(crate) async fn ended(&self, started: Started) -> Ending {
        self.engine.ended(started.run).await.expect("the run ends")
    }

    /// Starts a run and waits for its end.
    pub(crate) async fn run(&self) -> (Started, Ending) {
        let started = self.start().await;
        (started, self.ended(started).await)
    }

    pub(crate) fn events(&self, run: RunId) -> Vec<Recorded> {
        self.store.events(run, 0, usize::MAX).expect("the store works")
    }

    pub(crate) fn names(&self, run: RunId) -> Vec<&'static str> {
        self.events(run).iter().map(|recorded| recorded.event.name()).collect()
    }

    pub(crate) fn moves(&self, run: RunId) -> Vec<String> {
        let events = self.events(run);
        let moves = events.iter().filter_map(|recorded| match &recorded.event {
            Event::Moved { from, outcome, to, .. } => Some(format!("{from} {outcome} {to}")),
            _ => None,
        });
        moves.collect()
    }

    pub(crate) fn record(&self, run: RunId) -> RunRecord {
        self.store.run(run).expect("the store works").expect("the run is there")
    }

    /// The conversation of a session, each message as `role: text`.
    pub(crate) fn said(&self, started: Started) -> Vec<String> {
        let messages = self.store.messages(started.session, 0, usize::MAX).expect("the store works");
        messages.iter().map(|message| format!("{}: {}", message.role, message.text)).collect()
    }
}

pub(crate) fn options(place: &TempDir, puppet: &Arc<Puppet>, store: &Arc<dyn Store>) -> Options {
    let agent = Arc::new(Strings(Arc::clone(puppet)));
    let mut options = Options::new(BUNDLED, agent, Arc::clone(store), place.path().join("data"));
    options.roots = vec![place.path().to_owned()].into();
    options.locks = place.path().join("locks");
    options.clock = clock();
    options
}

pub(crate) const SECOND: Duration = Duration::from_secs(1);
