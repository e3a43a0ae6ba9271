//! The engine on this machine.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::oneshot;
use uuid::Uuid;

use super::commit::event_stream::{EventStream, Update};
use super::error::{EngineError, ResumeError};
use super::handoff;
use super::options::{Options, Shutdown};
use super::prompts::PromptFiles;
use super::recover::adopt;
use super::send_prompt::{PromptSent, SendPrompt, SendPromptError};
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
/// Cloning gives another handle to the same engine. Runs survive a crash: the next engine finds in
/// the store what was running when the process was killed, and resumes it.
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
/// let agent = Arc::new(Rehearsal::new(Script::OneFix)); // simulated; `Claude` is the real one
/// let store = Arc::new(Memory::default()); // not durable; `Sqlite` is
/// let mut options = Options::new(BUNDLED, agent, store, data);
/// options.roots = vec![project.clone()];
///
/// let engine = Engine::open(options).await?;
/// let started = engine.start(Start::new("implement-and-review", project)).await?;
/// let ending = engine.wait_until_ended(started.run).await?;
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
    /// Opens an engine. It recovers what an earlier engine left in the store: everything, unless
    /// [`Options::recovery`] says otherwise.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn open(options: Options) -> Result<Self, EngineError> {
        let shared = Shared::new(options)?;
        let unwritten = handoff::unwritten(&shared).await;
        if let Err(error) = adopt::recover_sessions(&shared).await {
            // Sessions that were recovered already must not run beside the next engine's.
            shared.shut_down(Shutdown::DetachAgents).await;
            return Err(error);
        }
        handoff::repair(&shared, unwritten);
        Ok(Self { shared })
    }

    /// Starts a run. When this returns, the run is persisted and holds its session.
    ///
    /// # Errors
    /// The run cannot start; nothing was persisted.
    pub async fn start(&self, start: Start) -> Result<Started, StartError> {
        let recipe = self.shared.options.catalog.find(&start.recipe)?;
        let session = start.session.unwrap_or_else(|| Uuid::new_v4().into());
        self.ask(session, |answer| Command::Start { recipe, start, answer }).await?
    }

    /// Resumes a run that has ended, or that an earlier engine or a failing store left unfinished.
    ///
    /// # Errors
    /// There is no such run, it cannot be resumed, or its session is busy.
    pub async fn resume(&self, run: RunId, mut resume: Resume) -> Result<Started, ResumeError> {
        self.ensure_open()?;
        // An operator who now allows a tool that the run was refused expects the resumed run to
        // have it.
        resume.allow_tools.extend_from_slice(&self.shared.options.allow_tools);
        let record =
            self.shared.read(move |store| store.run(run)).await?.ok_or(EngineError::NoRun(run))?;
        self.ask(record.session, |answer| Command::Resume { run, resume, answer }).await?
    }

    /// Stops the run of a session and its agent, and withdraws queued prompts. Returns `None` if no
    /// run is open or paused.
    ///
    /// # Errors
    /// The store failed.
    pub async fn exit(
        &self,
        session: SessionId,
        reason: ExitReason,
    ) -> Result<Option<Ending>, EngineError> {
        let stop = Stop::Run(Exit::because(reason));
        self.ask(session, |answer| Command::Stop { stop, answer }).await?
    }

    /// Stops everything in a session: its run, its agent, and prompts outside a run. Queued prompts
    /// are withdrawn.
    ///
    /// # Errors
    /// The store failed.
    pub async fn kill(&self, session: SessionId) -> Result<Option<Ending>, EngineError> {
        self.ask(session, |answer| Command::Stop { stop: Stop::Session, answer }).await?
    }

    /// Sends a prompt to a session, which begins with it if it does not exist yet.
    ///
    /// When this returns, the prompt is persisted. If a run is open, the agent gets it before the
    /// next step; if a run is paused, as soon as it resumes; otherwise at once.
    ///
    /// # Errors
    /// There is no such session and it cannot begin, or the store failed; nothing was persisted.
    pub async fn send_prompt(&self, prompt: SendPrompt) -> Result<PromptSent, SendPromptError> {
        self.ask(prompt.session, |answer| Command::SendPrompt { prompt, answer }).await?
    }

    /// Sends a prompt to an existing session. Shorthand for [`send_prompt`](Self::send_prompt).
    ///
    /// # Errors
    /// There is no such session, or the store failed.
    pub async fn prompt(&self, session: SessionId, text: String) -> Result<PromptId, EngineError> {
        match self.send_prompt(SendPrompt { session, text, begin: None }).await {
            Ok(sent) => Ok(sent.prompt),
            Err(SendPromptError::Engine(error)) => Err(error),
            // The other errors concern a new session.
            Err(error) => Err(EngineError::Bug(error.to_string())),
        }
    }

    /// Merges or discards the worktree of a run that has ended; for a chain of runs, that of its
    /// last run. This is idempotent: after a crash, a repeated call completes it.
    ///
    /// # Errors
    /// The run has not ended or has no worktree, or git refuses; nothing has changed.
    pub async fn end_worktree(
        &self,
        run: RunId,
        choice: WorktreeChoice,
    ) -> Result<WorktreeEnd, WorktreeError> {
        self.ensure_open()?;
        let mut last = run;
        // Runs of a chain share one worktree, and its end is recorded in the last run.
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

    /// The operator's own prompts, if there may be any.
    #[must_use]
    pub fn prompt_files(&self) -> Option<PromptFiles> {
        self.shared.options.prompts.clone()
    }

    /// Switches recipes on or off, in one session or in all. Switching off stops the runs there.
    ///
    /// # Errors
    /// The store failed.
    pub async fn set_orchestration(
        &self,
        session: Option<SessionId>,
        enabled: bool,
    ) -> Result<(), EngineError> {
        self.ensure_open()?;
        if let Some(session) = session {
            return self.ask(session, |answer| Command::Switch { enabled, answer }).await?;
        }
        let commit = Commit { changes: vec![Change::Orchestration { enabled }] };
        self.shared.committer.commit(commit).await?;
        if enabled { Ok(()) } else { self.stop_all().await }
    }

    /// Stops every run. This includes all driven sessions: one of them may be about to start a run,
    /// and its mailbox orders the stop after the start.
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
            // A chain may have restarted into another session meanwhile, so look again until
            // nothing was stopped and no session is new.
            if !any || result.is_err() {
                return result;
            }
        }
    }

    /// Waits until a run ends. Returns at once if it has.
    ///
    /// A paused run counts as ended; a caller that wants to wait longer subscribes to the event
    /// stream.
    ///
    /// # Errors
    /// There is no such run, or the store failed.
    pub async fn wait_until_ended(&self, run: RunId) -> Result<Ending, EngineError> {
        let mut updates = self.subscribe();
        let record =
            self.read(move |store| store.run(run)).await?.ok_or(EngineError::NoRun(run))?;
        if let Some(ending) = record.ending {
            return Ok(ending);
        }
        let mut missed = true;
        loop {
            if missed && let Some(ending) = self.unsaved_ending(record.session, run).await {
                return Ok(ending);
            }
            let update = updates.next().await?;
            missed = matches!(update, Update::Lagged);
            if let Some(ending) = update.ends(run) {
                return Ok(ending);
            }
        }
    }

    /// The ending of a run that could not be persisted; only its session knows it.
    async fn unsaved_ending(&self, session: SessionId, run: RunId) -> Option<Ending> {
        let (answer, answered) = oneshot::channel();
        self.shared.sessions.send_if_driven(session, Command::UnsavedEnding { run, answer });
        answered.await.ok().flatten()
    }

    /// Waits until the handoff of a session's ended runs is complete: their files are written and
    /// [`Options::on_end`] has run. Returns the problems since the last call.
    pub async fn wait_for_handoffs(&self, session: SessionId) -> Vec<String> {
        // An end is published before its session's task begins the handoff. Once the task has
        // answered a later command, the handoff has begun.
        let (answer, answered) = oneshot::channel();
        let run = Uuid::nil().into();
        self.shared.sessions.send_if_driven(session, Command::UnsavedEnding { run, answer });
        let _ = answered.await;
        self.shared.handoffs.finished().await
    }

    /// Subscribes to everything that happens from now on.
    #[must_use]
    pub fn subscribe(&self) -> EventStream {
        self.shared.committer.subscribe()
    }

    /// Proposes a directory for a client that names none: `near` if it lies inside the
    /// [roots](Options::roots), otherwise the first root that exists.
    #[must_use]
    pub fn propose_directory(&self, near: Option<&Path>) -> Option<PathBuf> {
        directory::propose(near, &self.shared.options.all_roots())
    }

    /// The real path of a directory, if agents may work in it.
    ///
    /// # Errors
    /// The path is not a directory, or lies outside the [roots](Options::roots).
    pub fn check_directory(&self, path: &Path) -> Result<PathBuf, DirectoryError> {
        directory::check(path, &self.shared.options.all_roots())
    }

    /// The store with the history of all sessions.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.shared.store
    }

    /// Reads from the store without blocking the runtime.
    ///
    /// # Errors
    /// The store failed.
    pub async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, EngineError> {
        Ok(self.shared.read(read).await?)
    }

    /// Stops accepting commands, and stops or detaches the agents as `how` says. The next engine
    /// recovers unfinished work.
    pub async fn shut_down(&self, how: Shutdown) {
        self.shared.shut_down(how).await;
    }

    pub(super) fn ensure_open(&self) -> Result<(), EngineError> {
        if self.shared.closing.is_cancelled() { Err(EngineError::ShuttingDown) } else { Ok(()) }
    }

    /// Sends a session a command and waits for the answer. The command is carried out even if the
    /// caller disconnects.
    async fn ask<T>(
        &self,
        session: SessionId,
        command: impl FnOnce(oneshot::Sender<T>) -> Command,
    ) -> Result<T, EngineError> {
        self.ensure_open()?;
        let (answer, answered) = oneshot::channel();
        let shared = &self.shared;
        let drive = |mailbox| driver::spawn(shared, session, mailbox, None, None);
        let sent = shared.sessions.send(session, command(answer), drive);
        sent.map_err(|_| EngineError::Overloaded(session))?;
        answered.await.map_err(|_| match self.ensure_open() {
            Err(closing) => closing,
            Ok(()) => EngineError::Bug("a session ended without answering a command".to_owned()),
        })
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("data", &self.shared.options.data).finish_non_exhaustive()
    }
}
