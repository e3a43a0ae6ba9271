//! Carrying out the commands of clients.

use std::sync::Arc;
use std::time::Duration;

use tracing::Instrument;
use uuid::Uuid;

use super::check;
use super::command::{Command, Stop};
use super::driver::Driver;
use super::load::replay;
use crate::AnyRecipe;
use crate::engine::crash;
use crate::engine::error::{EngineError, ResumeError};
use crate::engine::send_prompt::{PromptSent, SendPrompt, SendPromptError};
use crate::engine::shared::Shared;
use crate::engine::spans;
use crate::engine::start::{Start, StartError, Started};
use crate::engine::worktree::{self, WorktreeChoice, WorktreeError};
use crate::run::{
    CannotEndWorktree, CannotResume, Ending, Resume, Run, RunId, TreeClaim, WorktreeEnd,
};
use crate::session::{RunStatus, Session, SessionInput};

impl Driver {
    pub(in crate::engine) async fn execute(&mut self, command: Command) {
        if self.shared.closing.is_cancelled() {
            // Dropping the answer makes the caller return `ShuttingDown`.
            return;
        }
        // A stop that could not be persisted comes before any later command.
        if let Some(stop) = self.pending_stop.take() {
            let span = self.loaded_span().await;
            let _ = self.stop(stop).instrument(span).await;
        }
        match command {
            Command::Start { recipe, start, answer } => {
                let run = RunId::from(Uuid::new_v4());
                let span = spans::of_run(run, self.id);
                let _ = answer.send(self.start(recipe, start, run).instrument(span).await);
            }
            Command::Resume { run, resume, answer } => {
                let span = spans::of_run(run, self.id);
                let _ = answer.send(self.resume(run, resume).instrument(span).await);
            }
            Command::Stop { stop, answer } => {
                let span = self.loaded_span().await;
                let _ = answer.send(self.stop(stop).instrument(span).await);
            }
            Command::SendPrompt { prompt, answer } => {
                let span = self.loaded_span().await;
                let _ = answer.send(self.send_prompt(prompt).instrument(span).await);
            }
            Command::Switch { enabled, answer } => {
                let span = self.loaded_span().await;
                let _ = answer.send(self.switch(enabled).instrument(span).await);
            }
            Command::EndWorktree { run, choice, answer } => {
                let span = spans::of_run(run, self.id);
                let _ = answer.send(self.end_worktree(run, choice).instrument(span).await);
            }
            Command::UnsavedEnding { run, answer } => {
                let unsaved = self.unsaved.as_ref().filter(|(unsaved, _)| *unsaved == run);
                let _ = answer.send(unsaved.map(|(_, ending)| ending.clone()));
            }
        }
    }

    async fn start(
        &mut self,
        recipe: &'static dyn AnyRecipe,
        start: Start,
        run: RunId,
    ) -> Result<Started, StartError> {
        let shared = Arc::clone(&self.shared);
        let session = self.loaded().await?;
        let new_session = session.profile().is_none();
        let (spec, begins) = check::start(&shared, session, recipe, start, run).await?;
        if let Err(error) =
            self.decide(SessionInput::Start { recipe, spec: Box::new(spec), begins }).await
        {
            // If the run was persisted nevertheless, it claims its work tree again before its first
            // turn.
            shared.trees.release(run);
            return Err(error.into());
        }
        Ok(Started { run, session: self.id, new_session })
    }

    async fn resume(&mut self, run: RunId, resume: Resume) -> Result<Started, ResumeError> {
        let session = self.id;
        if !self.shared.read(move |store| store.orchestration(Some(session))).await? {
            return Err(ResumeError::SwitchedOff);
        }
        let loaded = self.loaded().await?;
        let (status, agent) = (loaded.status(), loaded.run().map(|run| run.spec().agent.clone()));
        let ended = match status {
            RunStatus::Driven(driven) if driven == run => {
                return Err(CannotResume::StillRunning.into());
            }
            RunStatus::Orphaned(it) | RunStatus::Paused(it) if it == run => {
                self.shared.agent(agent.as_deref())?;
                None
            }
            _ => {
                let ended = Self::ended_run(&self.shared, run).await?;
                self.shared.agent(Some(&ended.0.spec().agent))?;
                Some(Box::new(ended))
            }
        };
        if let Some((run, _)) = ended.as_deref()
            && let Some(claim) = run.tree_claim()
        {
            let claim =
                TreeClaim { parallel: claim.parallel || resume.permits.force_parallel, ..claim };
            self.shared.trees.hold(&self.shared.options.locks, &run.spec().directory, claim)?;
        }
        if let Err(error) = self.decide(SessionInput::Resume { ended, resume }).await {
            self.shared.trees.release(run);
            return Err(error.into());
        }
        if status == RunStatus::Orphaned(run) {
            self.recovered();
        }
        Ok(Started { run, session, new_session: false })
    }

    /// Reads an ended run from the store.
    async fn ended_run(shared: &Shared, id: RunId) -> Result<(Run, u64), ResumeError> {
        let events = shared.read(move |store| store.events(id, 0, usize::MAX)).await?;
        replay(shared.options.catalog, id, &events)
    }

    /// Merges or discards the worktree of a run that has ended, and persists that.
    async fn end_worktree(
        &mut self,
        run: RunId,
        choice: WorktreeChoice,
    ) -> Result<WorktreeEnd, WorktreeError> {
        match self.loaded().await?.status() {
            RunStatus::Driven(it) | RunStatus::Orphaned(it) | RunStatus::Paused(it)
                if it == run =>
            {
                return Err(CannotEndWorktree::StillRunning.into());
            }
            _ => {}
        }
        let ended = Self::ended_run(&self.shared, run).await?;
        let end = worktree::end(&self.shared.git, ended.0.worktree()?, choice).await?;
        crash::point("after-worktree-end");
        self.decide(SessionInput::WorktreeEnded { run: Box::new(ended), end: end.clone() }).await?;
        Ok(end)
    }

    /// Stops the run, or everything. If that cannot be persisted, it is retried before any other
    /// command.
    pub(in crate::engine) async fn stop(
        &mut self,
        stop: Stop,
    ) -> Result<Option<Ending>, EngineError> {
        let stopped = self.try_stop(&stop).await;
        match &stopped {
            // The run has ended, so there is nothing left to recover.
            Ok(_) => self.unsaved = None,
            Err(EngineError::Store(error)) if error.may_pass() || error.is_stale() => {
                self.pending_stop = Some(stop);
                self.retry_later();
            }
            Err(_) => {}
        }
        stopped
    }

    async fn try_stop(&mut self, stop: &Stop) -> Result<Option<Ending>, EngineError> {
        self.loaded().await?;
        self.stop_other_agents(matches!(stop, Stop::Session)).await?;
        self.persist_partial_turn().await;
        let took = self.took();
        let input = match stop {
            Stop::Run(exit) => SessionInput::Stop { exit: exit.clone(), took },
            Stop::Session => SessionInput::Kill { took },
            Stop::Recipes => SessionInput::Switch { enabled: false, took },
        };
        Ok(self.decide(input).await?)
    }

    async fn switch(&mut self, enabled: bool) -> Result<(), EngineError> {
        if !enabled {
            return self.stop(Stop::Recipes).await.map(|_| ());
        }
        self.decide(SessionInput::Switch { enabled, took: Duration::ZERO }).await?;
        Ok(())
    }

    async fn send_prompt(&mut self, prompt: SendPrompt) -> Result<PromptSent, SendPromptError> {
        let SendPrompt { text, begin, .. } = prompt;
        let prompt = Uuid::new_v4().into();
        let new_session = self.loaded().await?.profile().is_none();
        let begins = match begin {
            Some(begin) if new_session => {
                Some(check::begin(&self.shared, self.id, &text, begin).await?)
            }
            Some(_) | None => None,
        };
        self.decide(SessionInput::Prompt { prompt, text, begins }).await?;
        Ok(PromptSent { prompt, new_session })
    }

    /// Resumes a paused run whose time has come.
    pub(in crate::engine) async fn resume_due(&mut self) {
        let session = self.id;
        let switched_on = self.shared.read(move |store| store.orchestration(Some(session))).await;
        let obstacle = match switched_on {
            Ok(true) => self.missing_agent(),
            Ok(false) => Some(ResumeError::SwitchedOff.to_string()),
            Err(error) => {
                let at_stake = self.at_stake();
                return self.not_persisted(&error, at_stake);
            }
        };
        if let Err(error) =
            self.decide(SessionInput::ResumeDue { obstacle }).await.map_err(EngineError::from)
        {
            tracing::warn!(%session, %error, "failed to resume a paused run");
        }
    }

    fn missing_agent(&self) -> Option<String> {
        let run = self.session.as_ref().and_then(Session::run)?;
        self.shared.agent(Some(&run.spec().agent)).err().map(|unknown| unknown.to_string())
    }
}
