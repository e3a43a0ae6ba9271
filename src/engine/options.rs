//! What an engine is told when it is opened.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::handoff::OnEnd;
use super::roots::Roots;
use crate::agent::{Agent, TurnLimits};
use crate::run::RunId;
use crate::store::Store;
use crate::{Catalog, Tool};

/// Everything an engine needs to know.
///
/// [`Options::new`] fills in what most people want; the rest is there to be changed.
#[derive(Clone)]
pub struct Options {
    /// The recipes on offer.
    pub catalog: Catalog,
    /// The agents there are. The first one is used where a client asks for none.
    pub agents: Vec<Arc<dyn Agent>>,
    /// Where everything is written down.
    pub store: Arc<dyn Store>,
    /// A directory for what has to outlive a crash and does not fit into the store.
    pub data: PathBuf,
    /// Where agents may work: in these directories and below.
    pub roots: Vec<PathBuf>,
    /// Where they may work besides, as long as the engine is open.
    pub more_roots: Roots,
    /// How many agents may work at once.
    pub parallel: usize,
    /// What one turn may use up.
    pub turn: TurnLimits,
    /// What agents are allowed in every run, on top of what its steps declare.
    pub allow_tools: Vec<Tool>,
    /// Whether recipes that need a clean work tree begin all the same.
    pub allow_dirty: bool,
    /// Where sessions and work trees are locked against other servers on this machine.
    pub locks: PathBuf,
    /// How many notices may wait for a listener before it has to catch up from the store.
    pub backlog: usize,
    /// The time of day. Limits do not depend on it.
    pub clock: Clock,
    /// What is taken up of what an earlier engine left.
    pub take_up: TakeUp,
    /// The command that is told of each run that has ended. Only an operator may name it.
    pub on_end: Option<OnEnd>,
    /// What the commands that help after a run are called: those that [`stop.json`](super::STOP_JSON) names.
    pub program: String,
    /// The data directory, where those commands have to name it.
    pub named_data: Option<PathBuf>,
}

impl Options {
    /// Options with the usual values: two agents at once, in the user's home.
    #[must_use]
    pub fn new(
        catalog: Catalog,
        agent: Arc<dyn Agent>,
        store: Arc<dyn Store>,
        data: impl Into<PathBuf>,
    ) -> Self {
        let data = data.into();
        Self {
            catalog,
            agents: vec![agent],
            store,
            named_data: Some(data.clone()),
            data,
            roots: std::env::home_dir().into_iter().collect(),
            more_roots: Roots::default(),
            parallel: 2,
            turn: TurnLimits::default(),
            allow_tools: Vec::new(),
            allow_dirty: false,
            locks: super::turn::session_lock::usual_directory(),
            backlog: 1024,
            clock: Clock::system(),
            take_up: TakeUp::All,
            on_end: None,
            program: "surefire".to_owned(),
        }
    }
}

impl Options {
    /// All directories that agents may work in and below.
    pub(super) fn all_roots(&self) -> Vec<PathBuf> {
        self.roots.iter().cloned().chain(self.more_roots.all()).collect()
    }

    /// The directories that a directory has to lie in to be worked in: the worktrees that the engine made itself, or the roots.
    pub(super) fn roots_of(&self, directory: &Path) -> Vec<PathBuf> {
        let worktrees = super::worktree::worktrees_directory(&self.data);
        let real = worktrees.canonicalize().unwrap_or_else(|_| worktrees.clone());
        if directory.starts_with(&real) { vec![worktrees] } else { self.all_roots() }
    }
}

/// What an engine takes up of what an earlier one left in the store.
///
/// Whatever is not taken up stays as it is: nothing is written about it, its agents work on, and a later engine finds it as
/// if this one had never been. A run that is left alone still holds its session, and can be
/// [resumed](super::Engine::resume) or [exited](super::Engine::exit).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TakeUp {
    /// Everything: runs, prompts outside of runs, and processes.
    #[default]
    All,
    /// Only these runs: those that have not ended go on, those that wait for a time go on at that time.
    Only(Vec<RunId>),
}

impl TakeUp {
    /// Whether what belongs to this run is taken up; `None` asks about work outside of runs.
    pub(super) fn takes(&self, run: Option<RunId>) -> bool {
        match self {
            Self::All => true,
            Self::Only(runs) => run.is_some_and(|run| runs.contains(&run)),
        }
    }
}

/// Tells the time of day, in milliseconds since 1970.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> u64 + Send + Sync>);

impl Clock {
    /// The system's clock.
    #[must_use]
    pub fn system() -> Self {
        Self::new(|| {
            let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
            u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
        })
    }

    /// A clock of your own.
    pub fn new(now: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// What it shows now.
    #[must_use]
    pub fn now(&self) -> u64 {
        (self.0)()
    }
}

/// What becomes of the agents when the engine shuts down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shutdown {
    /// They are stopped. Their runs are interrupted, and go on with the next engine.
    StopAgents,
    /// They work on, and the next engine takes up what they did.
    LeaveAgents,
}
