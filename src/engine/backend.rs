//! The commands that `server` and `cli` send to an engine.

use std::fmt;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use super::blocking::blocking;
use super::commit::event_stream::EventStream;
use super::diff::RunDiff;
use super::error::{EngineError, ResumeError};
use super::local::Engine;
use super::options::Shutdown;
use super::prompts::{PromptFiles, RecipePrompts};
use super::send_prompt::{PromptSent, SendPrompt, SendPromptError};
use super::start::{Start, StartError, Started};
use super::trust::TrustRecords;
use super::turn::directory::DirectoryError;
use super::worktree::{WorktreeChoice, WorktreeError};
use crate::process::run_blocking;
use crate::run::{Ending, Resume, RunId, SessionId, WorktreeEnd};
use crate::store::{Pruned, Store, StoreError};
use crate::{ExitReason, Outline};

/// A future answer, boxed so that the trait is dyn compatible.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Drives sessions: the seam between clients and an engine.
///
/// [`Engine`] drives them on this machine. Clients read history from the [store](Self::store) and
/// live updates from the [event stream](Self::subscribe); everything else is a command with an
/// answer. A command is carried out even if its caller disconnects.
pub trait Backend: fmt::Debug + Send + Sync + 'static {
    /// Starts a run. See [`Engine::start`].
    fn start(&self, start: Start) -> Pending<'_, Result<Started, StartError>>;

    /// Resumes a run. See [`Engine::resume`].
    fn resume(&self, run: RunId, resume: Resume) -> Pending<'_, Result<Started, ResumeError>>;

    /// Stops the run of a session. See [`Engine::exit`].
    fn exit(
        &self,
        session: SessionId,
        reason: ExitReason,
    ) -> Pending<'_, Result<Option<Ending>, EngineError>>;

    /// Stops everything in a session. See [`Engine::kill`].
    fn kill(&self, session: SessionId) -> Pending<'_, Result<Option<Ending>, EngineError>>;

    /// Sends a prompt in a session. See [`Engine::send_prompt`].
    fn send_prompt(&self, prompt: SendPrompt) -> Pending<'_, Result<PromptSent, SendPromptError>>;

    /// Switches recipes on or off. See [`Engine::set_orchestration`].
    fn set_orchestration(
        &self,
        session: Option<SessionId>,
        enabled: bool,
    ) -> Pending<'_, Result<(), EngineError>>;

    /// The changes of a run, in total or in one turn. See [`Engine::diff`].
    fn diff(&self, run: RunId, turn: Option<u32>) -> Pending<'_, Result<RunDiff, EngineError>>;

    /// Merges or discards the worktree of a run. See [`Engine::end_worktree`].
    fn end_worktree(
        &self,
        run: RunId,
        choice: WorktreeChoice,
    ) -> Pending<'_, Result<WorktreeEnd, WorktreeError>>;

    /// The user's records of which repositories are trusted. See [`Engine::trust_records`].
    fn trust_records(&self) -> TrustRecords;

    /// The operator's own prompts, if there may be any. See
    /// [`Options::prompts`](super::Options::prompts).
    fn prompt_files(&self) -> Option<PromptFiles>;

    /// Waits until the handoff of ended runs is complete. See [`Engine::wait_for_handoffs`].
    fn wait_for_handoffs(&self, session: SessionId) -> Pending<'_, Vec<String>>;

    /// Deletes old runs. See [`Engine::prune`].
    fn prune(&self, ended_before: u64) -> Pending<'_, Result<u64, EngineError>>;

    /// Deletes old sessions. See [`Engine::prune_sessions`].
    fn prune_sessions(&self, changed_before: u64) -> Pending<'_, Result<Pruned, EngineError>>;

    /// Returns freed space to the file system. See [`Engine::reclaim`].
    fn reclaim(&self) -> Pending<'_, Result<u64, EngineError>>;

    /// Stops accepting commands and shuts down. See [`Engine::shut_down`].
    fn shut_down(&self, how: Shutdown) -> Pending<'_, ()>;

    /// Subscribes to everything that happens from now on.
    fn subscribe(&self) -> EventStream;

    /// The store with the history of all sessions.
    fn store(&self) -> &Arc<dyn Store>;

    /// Proposes a directory that agents may work in. See [`Engine::propose_directory`].
    fn propose_directory(&self, near: Option<&Path>) -> Option<PathBuf>;

    /// The real path of a directory, if agents may work in it. See [`Engine::check_directory`].
    ///
    /// # Errors
    /// The path is not a directory, or lies outside the roots.
    fn check_directory(&self, path: &Path) -> Result<PathBuf, DirectoryError>;
}

impl dyn Backend {
    /// Reads from the store without blocking the runtime.
    ///
    /// # Errors
    /// The store failed.
    pub async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, EngineError> {
        Ok(blocking(self.store(), read).await?)
    }

    /// The prompts of these recipes, and where each comes from; empty if none can be changed. Does
    /// not block the runtime.
    pub async fn prompts_of(&self, recipes: Vec<&'static Outline>) -> Vec<RecipePrompts> {
        let Some(files) = self.prompt_files() else { return Vec::new() };
        run_blocking(move || recipes.into_iter().map(|recipe| files.of(recipe)).collect()).await
    }
}

impl Backend for Engine {
    fn start(&self, start: Start) -> Pending<'_, Result<Started, StartError>> {
        Box::pin(self.start(start))
    }

    fn resume(&self, run: RunId, resume: Resume) -> Pending<'_, Result<Started, ResumeError>> {
        Box::pin(self.resume(run, resume))
    }

    fn exit(
        &self,
        session: SessionId,
        reason: ExitReason,
    ) -> Pending<'_, Result<Option<Ending>, EngineError>> {
        Box::pin(self.exit(session, reason))
    }

    fn kill(&self, session: SessionId) -> Pending<'_, Result<Option<Ending>, EngineError>> {
        Box::pin(self.kill(session))
    }

    fn send_prompt(&self, prompt: SendPrompt) -> Pending<'_, Result<PromptSent, SendPromptError>> {
        Box::pin(self.send_prompt(prompt))
    }

    fn set_orchestration(
        &self,
        session: Option<SessionId>,
        enabled: bool,
    ) -> Pending<'_, Result<(), EngineError>> {
        Box::pin(self.set_orchestration(session, enabled))
    }

    fn diff(&self, run: RunId, turn: Option<u32>) -> Pending<'_, Result<RunDiff, EngineError>> {
        Box::pin(self.diff(run, turn))
    }

    fn end_worktree(
        &self,
        run: RunId,
        choice: WorktreeChoice,
    ) -> Pending<'_, Result<WorktreeEnd, WorktreeError>> {
        Box::pin(self.end_worktree(run, choice))
    }

    fn trust_records(&self) -> TrustRecords {
        self.trust_records()
    }

    fn prompt_files(&self) -> Option<PromptFiles> {
        self.prompt_files()
    }

    fn wait_for_handoffs(&self, session: SessionId) -> Pending<'_, Vec<String>> {
        Box::pin(self.wait_for_handoffs(session))
    }

    fn prune(&self, ended_before: u64) -> Pending<'_, Result<u64, EngineError>> {
        Box::pin(self.prune(ended_before))
    }

    fn prune_sessions(&self, changed_before: u64) -> Pending<'_, Result<Pruned, EngineError>> {
        Box::pin(self.prune_sessions(changed_before))
    }

    fn reclaim(&self) -> Pending<'_, Result<u64, EngineError>> {
        Box::pin(self.reclaim())
    }

    fn shut_down(&self, how: Shutdown) -> Pending<'_, ()> {
        Box::pin(self.shut_down(how))
    }

    fn subscribe(&self) -> EventStream {
        self.subscribe()
    }

    fn store(&self) -> &Arc<dyn Store> {
        self.store()
    }

    fn propose_directory(&self, near: Option<&Path>) -> Option<PathBuf> {
        self.propose_directory(near)
    }

    fn check_directory(&self, path: &Path) -> Result<PathBuf, DirectoryError> {
        self.check_directory(path)
    }
}
