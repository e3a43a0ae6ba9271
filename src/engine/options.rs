//! The configuration of an engine.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::handoff::OnEnd;
use super::prompts::PromptFiles;
use super::roots::Roots;
use crate::agent::{Agent, TurnLimits};
use crate::run::RunId;
use crate::store::Store;
use crate::{Catalog, Tool};

/// The configuration of an engine.
///
/// [`Options::new`] fills in defaults; change the fields that differ.
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// The recipes on offer.
    pub catalog: Catalog,
    /// The configured agents. The first is the default.
    pub agents: Vec<Arc<dyn Agent>>,
    /// Where events and conversations are persisted.
    pub store: Arc<dyn Store>,
    /// A directory for files that have to survive a crash and do not fit into the store.
    pub data: PathBuf,
    /// Where agents may work: in these directories and below.
    pub roots: Vec<PathBuf>,
    /// More such directories, added while the engine is open.
    pub more_roots: Roots,
    /// How many agents may work at once.
    pub parallel: usize,
    /// The limits of one turn.
    pub turn: TurnLimits,
    /// The operator's own prompts, if there may be any. They are read at the start of each run.
    pub prompts: Option<PromptFiles>,
    /// The tools that agents may use in every run, besides those its steps declare.
    pub allow_tools: Vec<Tool>,
    /// Whether recipes that need a clean work tree may start in a dirty one.
    pub allow_dirty: bool,
    /// The directory of the lock files that keep other servers on this machine out of sessions and
    /// work trees.
    pub locks: PathBuf,
    /// How many updates are buffered for a subscriber before it has to catch up from the store.
    pub backlog: usize,
    /// The time of day. Limits do not depend on it.
    pub clock: Clock,
    /// Which of an earlier engine's sessions are recovered.
    pub recovery: Recovery,
    /// The command that runs after each run. Only an operator may set it.
    pub on_end: Option<OnEnd>,
    /// The name of the program in the commands that [`stop.json`](super::STOP_JSON) suggests.
    pub program: String,
    /// The data directory, if those commands have to name it.
    pub named_data: Option<PathBuf>,
}

setters!(Options {
    roots: Vec<PathBuf>,
    more_roots: Roots,
    parallel: usize,
    turn: TurnLimits,
    prompts: Option<PromptFiles>,
    allow_tools: Vec<Tool>,
    allow_dirty: bool,
    locks: PathBuf,
    backlog: usize,
    clock: Clock,
    recovery: Recovery,
    on_end: Option<OnEnd>,
    program: String,
    named_data: Option<PathBuf>,
});

impl Options {
    /// Options with default values: two agents at once, in the user's home directory.
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
            prompts: None,
            allow_tools: Vec::new(),
            allow_dirty: false,
            locks: super::turn::session_lock::default_directory(),
            backlog: 1024,
            clock: Clock::system(),
            recovery: Recovery::All,
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

    /// The roots that apply to a directory: the engine's own worktrees folder if the directory is
    /// in it, otherwise the configured roots.
    pub(super) fn roots_of(&self, directory: &Path) -> Vec<PathBuf> {
        let worktrees = super::worktree::worktrees_directory(&self.data);
        let real = worktrees.canonicalize().unwrap_or_else(|_| worktrees.clone());
        if directory.starts_with(&real) { vec![worktrees] } else { self.all_roots() }
    }
}

/// Which unfinished work of an earlier engine is recovered from the store.
///
/// Everything else stays untouched: nothing is persisted about it, its agents keep working, and a
/// later engine can recover it. A run that is not recovered still holds its session, and can be
/// [resumed](super::Engine::resume) or [exited](super::Engine::exit).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Recovery {
    /// Everything: runs, prompts outside of runs, and processes.
    #[default]
    All,
    /// Only these runs. Open ones resume now, paused ones at their time.
    Only(Vec<RunId>),
}

impl Recovery {
    /// Whether this run is recovered; `None` asks about work outside runs.
    pub(super) fn includes(&self, run: Option<RunId>) -> bool {
        match self {
            Self::All => true,
            Self::Only(runs) => run.is_some_and(|run| runs.contains(&run)),
        }
    }
}

/// The time of day, in milliseconds since 1970.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> u64 + Send + Sync>);

impl Clock {
    /// The system's clock.
    #[must_use]
    pub fn system() -> Self {
        Self::new(|| {
            let since =
                SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
            u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
        })
    }

    /// A custom clock.
    pub fn new(now: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The current time.
    #[must_use]
    pub fn now(&self) -> u64 {
        (self.0)()
    }
}

/// What happens to the agents when the engine shuts down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shutdown {
    /// They are stopped. Their runs are interrupted, and the next engine resumes them.
    StopAgents,
    /// They keep working, and the next engine adopts their turns.
    DetachAgents,
}
