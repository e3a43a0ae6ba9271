//! Driving: the one asynchronous loop that joins runs, agents and the store.
//!
//! It decides nothing about a run (that is [`run`](crate::run)) and knows no clients: whoever wants to know what
//! happens listens to its [`Feed`]. Start with [`Engine`], then `drive.rs` for the loop itself.

mod chat;
mod chat_turn;
mod crash;
mod directory;
mod drive;
mod failure;
mod feed;
mod inner;
mod journal;
mod keeper;
mod options;
mod passages;
mod prune;
mod recover;
mod say;
mod schedule;
mod scratch;
mod seat;
mod session_lock;
mod start;
mod telling;
mod turn;
mod words;

pub use directory::DirectoryError;
pub use feed::{Feed, Notice};
pub use options::{Clock, Options, Shutdown, TakeUp};
pub use prune::remove_directories;
pub use say::{Begin, Said, Say, SayError};
pub use start::{Start, StartError, Started, UnknownProvider};

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::run::{CannotResume, Ending, PromptId, ReplayError, Resume, RunId, SessionId};
use crate::store::{Store, StoreError};
use crate::{Exit, ExitReason, UnknownRecipe};
use inner::Inner;

/// Runs recipes.
///
/// Cloning gives another handle to the same engine. All of it survives a crash: what was going on when the process
/// was killed is found in the store by the next engine, and goes on.
///
/// ```
/// use std::sync::Arc;
///
/// use surefire::agent::{Rehearsal, Script};
/// use surefire::engine::{Engine, Options, Start};
/// use surefire::recipes::BUNDLED;
/// use surefire::store::Memory;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let (data, project) = (folder.path().join("data"), folder.path().canonicalize()?);
/// let agent = Arc::new(Rehearsal::new(Script::OneFix)); // pretends; `Claude` is the real one
/// let store = Arc::new(Memory::default()); // forgets; `Sqlite` is the real one
/// let mut options = Options::new(BUNDLED, agent, store, data);
/// options.roots = vec![project.clone()];
///
/// let engine = Engine::open(options).await?;
/// let started = engine.start(Start::new("implement-and-review", project)).await?;
/// let ending = engine.ended(started.run).await?;
/// assert_eq!(ending.message, "Task implementation committed successfully");
/// assert!(ending.rehearsal);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

impl Engine {
    /// Takes up what an earlier engine left in the store, all of it unless [`Options::take_up`] says otherwise, and is
    /// ready for more.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn open(options: Options) -> Result<Self, EngineError> {
        let inner = Inner::new(options)?;
        if let Err(error) = recover::take_up_what_is_left(&inner).await {
            // What was taken up already must not go on behind the back of the next engine.
            inner.shut_down(Shutdown::LeaveAgents).await;
            return Err(error);
        }
        Ok(Self { inner })
    }

    /// Starts a run. When this returns, the run is written down and holds its session.
    ///
    /// # Errors
    /// What was asked for is not possible; nothing was written down then.
    pub async fn start(&self, start: Start) -> Result<Started, StartError> {
        let inner = Arc::clone(&self.inner);
        self.inner.whole(async move { start::start(&inner, start).await }).await?
    }

    /// Goes on with a run that has ended, or that a failing store or an earlier engine had left behind.
    ///
    /// # Errors
    /// The run is not there, cannot go on, or its session is busy.
    pub async fn resume(&self, run: RunId, resume: Resume) -> Result<Started, ResumeError> {
        let inner = Arc::clone(&self.inner);
        self.inner.whole(async move { schedule::resume(&inner, run, resume).await }).await?
    }

    /// Ends the run of a session, and stops its agent. Where no run goes on, nothing happens and `None` is returned.
    ///
    /// # Errors
    /// The store failed.
    pub async fn exit(&self, session: SessionId, reason: ExitReason) -> Result<Option<Ending>, EngineError> {
        let inner = Arc::clone(&self.inner);
        let exit = Exit::because(reason);
        self.inner.whole(async move { schedule::cancel(&inner, session, exit).await }).await?
    }

    /// Ends whatever the agent does in a session: its run, and prompts outside of one. What waits for the agent is
    /// withdrawn.
    ///
    /// # Errors
    /// The store failed.
    pub async fn kill(&self, session: SessionId) -> Result<Option<Ending>, EngineError> {
        chat::withdraw(&self.inner, session).await?;
        self.inner.stop_chat(session);
        self.exit(session, ExitReason::UserRequested).await
    }

    /// Says something in a session, which begins with it if it is not there yet.
    ///
    /// When this returns, it is written down and will not be lost. The agent hears it before the next step where a run
    /// goes on, first of all when one goes on that waits to, otherwise at once.
    ///
    /// # Errors
    /// There is no such session and none can begin, or the store failed; nothing was written down then.
    pub async fn say(&self, say: Say) -> Result<Said, SayError> {
        let inner = Arc::clone(&self.inner);
        self.inner.whole(async move { say::say(&inner, say).await }).await?
    }

    /// Says something in a session that is there: [`say`](Self::say), in short.
    ///
    /// # Errors
    /// There is no such session, or the store failed.
    pub async fn prompt(&self, session: SessionId, text: String) -> Result<PromptId, EngineError> {
        let inner = Arc::clone(&self.inner);
        self.inner.whole(async move { chat::prompt(&inner, session, text).await }).await?
    }

    /// Switches recipes on or off: everywhere, or in one session. Switching off ends the runs in scope.
    ///
    /// # Errors
    /// The store failed.
    pub async fn set_orchestration(
        &self,
        session: Option<SessionId>,
        enabled: bool,
    ) -> Result<(), EngineError> {
        let inner = Arc::clone(&self.inner);
        self.inner.whole(async move { schedule::set_orchestration(&inner, session, enabled).await }).await?
    }

    /// Forgets the runs that ended before this time (milliseconds since 1970), as [`Store::prune`] does, and says how many
    /// they were. What goes on, or is yet to go on by itself, stays.
    ///
    /// # Errors
    /// The store failed; nothing was forgotten then.
    pub async fn prune(&self, ended_before: u64) -> Result<u64, EngineError> {
        if self.inner.closing.is_cancelled() {
            return Err(EngineError::ShuttingDown);
        }
        let inner = Arc::clone(&self.inner);
        let prune = async move { inner.read(move |store| store.prune(ended_before)).await };
        Ok(self.inner.whole(prune).await??)
    }

    /// Waits until a run ends; for one that has, returns at once.
    ///
    /// A run that waits to go on by itself counts as ended; whoever wants to wait longer listens to the feed.
    ///
    /// # Errors
    /// There is no such run, or the store failed.
    pub async fn ended(&self, run: RunId) -> Result<Ending, EngineError> {
        let mut feed = self.listen();
        let record = self.read(move |store| store.run(run)).await?;
        let record = record.ok_or(EngineError::NoRun(run))?;
        if let Some(ending) = record.ending.or_else(|| self.inner.unsaved_ending(run)) {
            return Ok(ending);
        }
        loop {
            let notice = feed.next().await?;
            let missed = matches!(notice, Notice::Missed).then(|| self.inner.unsaved_ending(run)).flatten();
            if let Some(ending) = notice.ends(run).or(missed) {
                return Ok(ending);
            }
        }
    }

    /// Hears of everything that happens from now on.
    #[must_use]
    pub fn listen(&self) -> Feed {
        self.inner.keeper.listen()
    }

    /// A directory that agents may work in, for somebody who has no other wish: this one if it lies inside of the
    /// [roots](Options::roots), otherwise the first root that is there.
    #[must_use]
    pub fn propose_directory(&self, near: Option<&Path>) -> Option<PathBuf> {
        directory::propose(near, &self.inner.options.roots)
    }

    /// What is written down.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.inner.store
    }

    /// Reads from the store without holding up the runtime.
    ///
    /// # Errors
    /// The store failed.
    pub async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, EngineError> {
        Ok(self.inner.read(read).await?)
    }

    /// Takes no more orders, and lets go of the agents in the way that is asked for. Whatever was going on is taken
    /// up by the next engine.
    pub async fn shut_down(&self, how: Shutdown) {
        self.inner.shut_down(how).await;
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("data", &self.inner.options.data).finish_non_exhaustive()
    }
}

/// What can go wrong with an engine, whatever it is asked.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no such run.
    #[error("there is no run {0}")]
    NoRun(RunId),
    /// There is no such session.
    #[error("there is no session {0}")]
    NoSession(SessionId),
    /// The engine is shutting down.
    #[error("the server is shutting down; try again when it is back")]
    ShuttingDown,
    /// Surefire itself broke.
    #[error("this is a bug in surefire: {0}; please report it")]
    Broken(String),
}

/// Why a run cannot be gone on with.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    /// It is over, or would stop again at once.
    #[error(transparent)]
    Cannot(#[from] CannotResume),
    /// The recipe has changed since, or the journal is damaged.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The recipe is no longer on offer.
    #[error(transparent)]
    Recipe(#[from] UnknownRecipe),
    /// The session is busy with another run.
    #[error("session {session} is busy with run {holder}; exit that run first, or wait until it ends")]
    Busy {
        /// The session.
        session: SessionId,
        /// The run that holds it.
        holder: RunId,
    },
    /// Recipes are switched off.
    #[error("recipes are switched off; switch orchestration on first")]
    SwitchedOff,
    /// Its agent is not there.
    #[error(transparent)]
    Agent(#[from] UnknownProvider),
    /// Anything else.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl From<StoreError> for ResumeError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Busy { session, holder } => Self::Busy { session, holder },
            other => Self::Engine(other.into()),
        }
    }
}
