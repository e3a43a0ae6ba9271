//! The engine on this machine.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::oneshot;
use uuid::Uuid;

use super::commit::feed::{Feed, Notice};
use super::error::{EngineError, ResumeError};
use super::handoff;
use super::options::{Options, Shutdown};
use super::recover::adopt;
use super::say::{Said, Say, SayError};
use super::session::command::{Command, Stop};
use super::session::driver;
use super::session::load::unfinished_runs;
use super::shared::Shared;
use super::start::{Start, StartError, Started};
use super::trust::TrustRecords;
use super::turn::directory::{self, DirectoryError};
use super::worktree::{WorktreeChoice, WorktreeError};
use crate::run::{Ending, PromptId, Resume, RunId, SessionId, WorktreeEnd};
use crate::session::{Change, Commit};
use crate::store::{Store, StoreError};
use crate::{Exit, ExitReason};

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
    pub(super) shared: Arc<Shared>,
}

impl Engine {
    /// Takes up what an earlier engine left in the store, all of it unless [`Options::take_up`] says otherwise, and is
    /// ready for more.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn open(options: Options) -> Result<Self, EngineError> {
        let shared = Shared::new(options)?;
        let unwritten = handoff::unwritten(&shared).await;
        if let Err(error) = adopt::take_up(&shared).await {
            // What was taken up already must not go on behind the back of the next engine.
            shared.shut_down(Shutdown::LeaveAgents).await;
            return Err(error);
        }
        handoff::repair(&shared, unwritten);
        Ok(Self { shared })
    }

    /// Starts a run. When this returns, the run is persisted and holds its session.
    ///
    /// # Errors
    /// What was asked for is not possible; nothing was persisted then.
    pub async fn start(&self, start: Start) -> Result<Started, StartError> {
        let recipe = self.shared.options.catalog.find(&start.recipe)?;
        let session = start.session.unwrap_or_else(|| Uuid::new_v4().into());
        self.ask(session, |answer| Command::Start { recipe, start, answer }).await?
    }

    /// Resumes a run that has ended, or that a failing store or an earlier engine had left behind.
    ///
    /// # Errors
    /// The run is not there, cannot go on, or its session is busy.
    pub async fn resume(&self, run: RunId, mut resume: Resume) -> Result<Started, ResumeError> {
        self.is_open()?;
        // An operator who allows more after a run was refused it expects that run to have it too.
        resume.allow_tools.extend_from_slice(&self.shared.options.allow_tools);
        let record = self.shared.read(move |store| store.run(run)).await?.ok_or(EngineError::NoRun(run))?;
        self.ask(record.session, |answer| Command::Resume { run, resume, answer }).await?
    }

    /// Stops the run of a session and its agent, and withdraws what is queued. Where no run is open or paused, nothing
    /// happens and `None` is returned.
    ///
    /// # Errors
    /// The store failed.
    pub async fn exit(&self, session: SessionId, reason: ExitReason) -> Result<Option<Ending>, EngineError> {
        let stop = Stop::Run(Exit::because(reason));
        self.ask(session, |answer| Command::Stop { stop, answer }).await?
    }

    /// Stops everything in a session: its run, its agent, prompts outside of a run. What is queued is withdrawn.
    ///
    /// # Errors
    /// The store failed.
    pub async fn kill(&self, session: SessionId) -> Result<Option<Ending>, EngineError> {
        self.ask(session, |answer| Command::Stop { stop: Stop::Session, answer }).await?
    }

    /// Sends a prompt in a session, which begins with it if it is not there yet.
    ///
    /// When this returns, it is persisted and will not be lost. The agent gets it before the next step where a run is
    /// open, first of all when a paused one resumes, otherwise at once.
    ///
    /// # Errors
    /// There is no such session and none can begin, or the store failed; nothing was persisted then.
    pub async fn say(&self, say: Say) -> Result<Said, SayError> {
        self.ask(say.session, |answer| Command::Say { say, answer }).await?
    }

    /// Sends a prompt in a session that is there: [`say`](Self::say), in short.
    ///
    /// # Errors
    /// There is no such session, or the store failed.
    pub async fn prompt(&self, session: SessionId, text: String) -> Result<PromptId, EngineError> {
        match self.say(Say { session, text, begin: None }).await {
            Ok(said) => Ok(said.prompt),
            Err(SayError::Engine(error)) => Err(error),
            // The others are about a session that begins.
            Err(error) => Err(EngineError::Broken(error.to_string())),
        }
    }

    /// Merges or throws away the worktree of a run that has ended; for a chain of runs, that of its last one. Where a crash
    /// comes in between, asking again finishes it.
    ///
    /// # Errors
    /// The run has not ended or has no worktree, or git refuses: then nothing has changed.
    pub async fn end_worktree(
        &self,
        run: RunId,
        choice: WorktreeChoice,
    ) -> Result<WorktreeEnd, WorktreeError> {
        self.is_open()?;
        let mut last = run;
        // Runs of a chain share one worktree, and what becomes of it is said of the last.
        let record = loop {
            let found = self.shared.read(move |store| store.run(last)).await?;
            let record = found.ok_or(EngineError::NoRun(last))?;
            match record.ending.as_ref().and_then(|ending| ending.continued_by) {
                Some(next) => last = next,
                None => break record,
            }
        };
        let run = record.id;
        self.ask(record.session, |answer| Command::EndWorktree { run, choice, answer }).await?
    }

    /// The user's records of which repositories are trusted.
    #[must_use]
    pub fn trust_records(&self) -> TrustRecords {
        TrustRecords::new(&self.shared.options.data)
    }

    /// Switches recipes on or off: everywhere, or in one session. Switching off stops the runs in scope.
    ///
    /// # Errors
    /// The store failed.
    pub async fn set_orchestration(
        &self,
        session: Option<SessionId>,
        enabled: bool,
    ) -> Result<(), EngineError> {
        self.is_open()?;
        if let Some(session) = session {
            return self.ask(session, |answer| Command::Switch { enabled, answer }).await?;
        }
        let commit = Commit { changes: vec![Change::Orchestration { enabled }] };
        self.shared.committer.commit(commit).await?;
        if enabled { Ok(()) } else { self.stop_all().await }
    }

    /// Stops every run. A session that is about to start one is asked as well: its mailbox puts that behind the start.
    async fn stop_all(&self) -> Result<(), EngineError> {
        let (mut result, mut asked) = (Ok(()), BTreeSet::new());
        loop {
            let runs = self.shared.read(|store| unfinished_runs(store, None)).await?;
            let mut sessions: Vec<_> = runs.iter().map(|run| run.session).collect();
            sessions.extend(self.shared.sessions.sessions());
            let mut any = false;
            for session in sessions {
                any |= asked.insert(session);
                match self.exit(session, ExitReason::UserRequested).await {
                    Ok(ending) => any |= ending.is_some(),
                    Err(error) => result = Err(error),
                }
            }
            // A chain may have restarted into another session meanwhile, so that all those in the list had nothing to stop.
            if !any || result.is_err() {
                return result;
            }
        }
    }

    /// Waits until a run ends; for one that has, returns at once.
    ///
    /// A paused run counts as ended; a caller that wants to wait longer listens to the feed.
    ///
    /// # Errors
    /// There is no such run, or the store failed.
    pub async fn ended(&self, run: RunId) -> Result<Ending, EngineError> {
        let mut feed = self.listen();
        let record = self.read(move |store| store.run(run)).await?.ok_or(EngineError::NoRun(run))?;
        if let Some(ending) = record.ending {
            return Ok(ending);
        }
        let mut missed = true;
        loop {
            if missed && let Some(ending) = self.unsaved_ending(record.session, run).await {
                return Ok(ending);
            }
            let notice = feed.next().await?;
            missed = matches!(notice, Notice::Missed);
            if let Some(ending) = notice.ends(run) {
                return Ok(ending);
            }
        }
    }

    /// How a run ended that could not be persisted. Its session knows.
    async fn unsaved_ending(&self, session: SessionId, run: RunId) -> Option<Ending> {
        let (answer, answered) = oneshot::channel();
        self.shared.sessions.send_if_driven(session, Command::UnsavedEnding { run, answer });
        answered.await.ok().flatten()
    }

    /// Waits until what the ended runs of a session leave is written, and [`Options::on_end`] has run for them, and says
    /// what went wrong with that since the last time.
    pub async fn handed_off(&self, session: SessionId) -> Vec<String> {
        // An end is published before its session's task sees to it; one that answers has done so.
        let (answer, answered) = oneshot::channel();
        let run = Uuid::nil().into();
        self.shared.sessions.send_if_driven(session, Command::UnsavedEnding { run, answer });
        let _ = answered.await;
        self.shared.handoffs.finished().await
    }

    /// Hears of everything that happens from now on.
    #[must_use]
    pub fn listen(&self) -> Feed {
        self.shared.committer.listen()
    }

    /// A directory that agents may work in, where a client names none: this one if it lies inside of the
    /// [roots](Options::roots), otherwise the first root that is there.
    #[must_use]
    pub fn propose_directory(&self, near: Option<&Path>) -> Option<PathBuf> {
        directory::propose(near, &self.shared.options.all_roots())
    }

    /// The real path of a directory, if agents may work in it.
    ///
    /// # Errors
    /// It is not a directory, or lies outside of the [roots](Options::roots).
    pub fn check_directory(&self, path: &Path) -> Result<PathBuf, DirectoryError> {
        directory::check(path, &self.shared.options.all_roots())
    }

    /// What is persisted.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.shared.store
    }

    /// Reads from the store without holding up the runtime.
    ///
    /// # Errors
    /// The store failed.
    pub async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, EngineError> {
        Ok(self.shared.read(read).await?)
    }

    /// Takes no more commands, and lets go of the agents in the way that is asked for. Whatever was going on is taken up by
    /// the next engine.
    pub async fn shut_down(&self, how: Shutdown) {
        self.shared.shut_down(how).await;
    }

    pub(super) fn is_open(&self) -> Result<(), EngineError> {
        if self.shared.closing.is_cancelled() { Err(EngineError::ShuttingDown) } else { Ok(()) }
    }

    /// Sends a session a command and waits for the answer. The command is carried out even if the caller goes away.
    async fn ask<T>(
        &self,
        session: SessionId,
        command: impl FnOnce(oneshot::Sender<T>) -> Command,
    ) -> Result<T, EngineError> {
        self.is_open()?;
        let (answer, answered) = oneshot::channel();
        let shared = &self.shared;
        let drive = |mailbox| driver::spawn(shared, session, mailbox, None, None);
        let sent = shared.sessions.send(session, command(answer), drive);
        sent.map_err(|_| EngineError::Overloaded(session))?;
        answered.await.map_err(|_| match self.is_open() {
            Err(closing) => closing,
            Ok(()) => EngineError::Broken("a session went away without an answer".to_owned()),
        })
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("data", &self.shared.options.data).finish_non_exhaustive()
    }
}
