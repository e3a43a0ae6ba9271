//! What clients ask of a session.

use std::sync::Arc;

use uuid::Uuid;

use super::command::Command;
use super::driver::Driver;
use super::error::{EngineError, ResumeError};
use super::load::replay;
use super::say::{Said, Say, SayError};
use super::shared::Shared;
use super::start::{Start, StartError, Started};
use super::{check, leftovers};
use crate::run::{CannotResume, Ending, Resume, Run, RunId};
use crate::session::{Input, RunStatus, Session};
use crate::{AnyRecipe, Exit};

impl Driver {
    pub(super) async fn obey(&mut self, command: Command) {
        if self.shared.closing.is_cancelled() {
            // Whoever waits for the answer learns from its absence that the engine shuts down.
            return;
        }
        match command {
            Command::Start { recipe, start, answer } => {
                let _ = answer.send(self.start(recipe, start).await);
            }
            Command::Resume { run, resume, answer } => {
                let _ = answer.send(self.resume(run, resume).await);
            }
            Command::Exit { exit, answer } => {
                let _ = answer.send(self.exit(exit).await);
            }
            Command::Kill { answer } => {
                let _ = answer.send(self.kill().await);
            }
            Command::Say { say, answer } => {
                let _ = answer.send(self.say(say).await);
            }
            Command::Switch { enabled, answer } => {
                let _ = answer.send(self.switch(enabled).await);
            }
            Command::UnsavedEnding { run, answer } => {
                let unsaved = self.unsaved.as_ref().filter(|(unsaved, _)| *unsaved == run);
                let _ = answer.send(unsaved.map(|(_, ending)| ending.clone()));
            }
        }
    }

    async fn start(&mut self, recipe: &'static dyn AnyRecipe, start: Start) -> Result<Started, StartError> {
        let run = RunId::from(Uuid::new_v4());
        let shared = Arc::clone(&self.shared);
        let session = self.loaded().await?;
        let new_session = session.profile().is_none();
        let (order, begins) = check::start(&shared, session, recipe, start, run).await?;
        self.decide(Input::Start { recipe, order: Box::new(order), begins }).await?;
        Ok(Started { run, session: self.id, new_session })
    }

    async fn resume(&mut self, run: RunId, resume: Resume) -> Result<Started, ResumeError> {
        let session = self.id;
        if !self.shared.read(move |store| store.orchestration(Some(session))).await? {
            return Err(ResumeError::SwitchedOff);
        }
        let started = Started { run, session, new_session: false };
        let loaded = self.loaded().await?;
        let (status, agent) = (loaded.status(), loaded.run().map(|run| run.order().agent.clone()));
        let ended = match status {
            RunStatus::Driven(driven) if driven == run => return Err(CannotResume::StillRunning.into()),
            RunStatus::Left(left) if left == run => {
                self.shared.agent(agent.as_deref())?;
                // Its agent may have replied meanwhile, so it goes on just where it was.
                if resume != Resume::by(resume.by) {
                    return Err(CannotResume::AsItIs.into());
                }
                self.recovered();
                self.decide(Input::Adopt).await?;
                return Ok(started);
            }
            RunStatus::Paused(paused) if paused == run => {
                self.shared.agent(agent.as_deref())?;
                None
            }
            _ => Some(Box::new(Self::ended_run(&self.shared, run).await?)),
        };
        self.decide(Input::Resume { ended, resume }).await?;
        Ok(started)
    }

    /// A run that has ended, as the store has it.
    async fn ended_run(shared: &Shared, id: RunId) -> Result<(Run, u64), ResumeError> {
        let events = shared.read(move |store| store.events(id, 0, usize::MAX)).await?;
        let (run, seq) = replay(shared.options.catalog, id, &events)?;
        shared.agent(Some(&run.order().agent))?;
        Ok((run, seq))
    }

    async fn exit(&mut self, exit: Exit) -> Result<Option<Ending>, EngineError> {
        self.stop_what_is_left().await?;
        let took = self.took();
        Ok(self.decide(Input::Stop { exit, took }).await?)
    }

    async fn kill(&mut self) -> Result<Option<Ending>, EngineError> {
        self.stop_what_is_left().await?;
        let took = self.took();
        Ok(self.decide(Input::Kill { took }).await?)
    }

    async fn switch(&mut self, enabled: bool) -> Result<(), EngineError> {
        if !enabled {
            self.stop_what_is_left().await?;
        }
        let took = self.took();
        Ok(self.decide(Input::Switch { enabled, took }).await.map(|_| ())?)
    }

    /// A run that nothing drives may have an agent at work, which is stopped before the run is.
    async fn stop_what_is_left(&mut self) -> Result<(), EngineError> {
        if let RunStatus::Left(run) | RunStatus::Unreplayable(run) = self.loaded().await?.status() {
            leftovers::stop_agent_of(&self.shared, run).await?;
        }
        // It does not go on any more, so nobody is told that it does.
        self.unsaved = None;
        Ok(())
    }

    async fn say(&mut self, say: Say) -> Result<Said, SayError> {
        let Say { text, begin, .. } = say;
        let prompt = Uuid::new_v4().into();
        let new_session = self.loaded().await?.profile().is_none();
        let begins = match begin {
            Some(begin) if new_session => Some(check::begin(&self.shared, self.id, &text, begin)?),
            Some(_) | None => None,
        };
        self.decide(Input::Prompt { prompt, text, begins }).await?;
        Ok(Said { prompt, new_session })
    }

    /// A paused run resumes by itself, now.
    pub(super) async fn resume_due(&mut self) {
        let session = self.id;
        let switched_on = self.shared.read(move |store| store.orchestration(Some(session))).await;
        let obstacle = match switched_on {
            Ok(true) => self.missing_agent(),
            Ok(false) => Some(ResumeError::SwitchedOff.to_string()),
            Err(error) => return self.not_persisted(&error, None),
        };
        if let Err(error) = self.decide(Input::ResumeDue { obstacle }).await.map_err(EngineError::from) {
            tracing::warn!(%session, %error, "failed to resume a paused run");
        }
    }

    fn missing_agent(&self) -> Option<String> {
        let run = self.session.as_ref().and_then(Session::run)?;
        self.shared.agent(Some(&run.order().agent)).err().map(|unknown| unknown.to_string())
    }
}
