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
use crate::run::{CannotResume, Ending, Event, Resume, Run, RunId, abandon};
use crate::session::{Input, Session};
use crate::{AnyRecipe, Exit, ExitReason};

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
            Command::Kill { exit, answer } => {
                let _ = answer.send(self.kill(exit).await);
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
        let is_left = loaded.left_run() == Some(run);
        if loaded.holder() == Some(run) && !is_left && loaded.unreplayable_run().is_none() {
            return Err(CannotResume::StillRunning.into());
        }
        let is_paused = loaded.paused_run() == Some(run) && loaded.unreplayable_run().is_none();
        if is_left || is_paused {
            let agent = loaded.run().map(|run| run.order().agent.clone());
            self.shared.agent(agent.as_deref())?;
        }
        if is_left {
            // Its agent may have replied meanwhile, so it goes on just where it was.
            if resume != Resume::by(resume.by) {
                return Err(CannotResume::AsItIs.into());
            }
            self.recovered();
            self.decide(Input::Adopt).await?;
            return Ok(started);
        }
        let ended = if is_paused { None } else { Some(Box::new(Self::ended_run(&self.shared, run).await?)) };
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
        if self.loaded().await?.unreplayable_run().is_some() {
            return self.end_unreplayable(Some(exit), true).await;
        }
        let took = self.took();
        Ok(self.decide(Input::Stop { exit, took }).await?)
    }

    async fn kill(&mut self, exit: Exit) -> Result<Option<Ending>, EngineError> {
        self.stop_what_is_left().await?;
        let mut ended = None;
        if self.loaded().await?.unreplayable_run().is_some() {
            ended = self.end_unreplayable(Some(exit.clone()), true).await?;
        }
        let took = self.took();
        Ok(self.decide(Input::Kill { exit, took }).await?.or(ended))
    }

    async fn switch(&mut self, enabled: bool) -> Result<(), EngineError> {
        let exit = Exit::because(ExitReason::UserRequested);
        if !enabled {
            self.stop_what_is_left().await?;
            if self.loaded().await?.unreplayable_run().is_some() {
                self.end_unreplayable(Some(exit.clone()), true).await?;
            }
        }
        let took = self.took();
        Ok(self.decide(Input::Switch { enabled, exit, took }).await.map(|_| ())?)
    }

    /// A run that nothing drives may have an agent at work, which is stopped before the run is.
    async fn stop_what_is_left(&mut self) -> Result<(), EngineError> {
        if let Some(run) = self.loaded().await?.left_run() {
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
        let result = if self.session.as_ref().is_some_and(|session| session.unreplayable_run().is_some()) {
            self.end_unreplayable(None, false).await.map(|_| ())
        } else {
            self.decide(Input::ResumeDue { obstacle }).await.map(|_| ()).map_err(EngineError::from)
        };
        if let Err(error) = result {
            tracing::warn!(%session, %error, "failed to resume a paused run");
        }
    }

    fn missing_agent(&self) -> Option<String> {
        let run = self.session.as_ref().and_then(Session::run)?;
        self.shared.agent(Some(&run.order().agent)).err().map(|unknown| unknown.to_string())
    }

    /// Ends a run that cannot be replayed: for this reason, or because it cannot go on by itself.
    pub(super) async fn end_unreplayable(
        &mut self,
        exit: Option<Exit>,
        stopped: bool,
    ) -> Result<Option<Ending>, EngineError> {
        let Some(id) = self.loaded().await?.unreplayable_run() else { return Ok(None) };
        leftovers::stop_agent_of(&self.shared, id).await?;
        let events = self.shared.read(move |store| store.events(id, 0, usize::MAX)).await?;
        let (Some(first), Some(last)) = (events.first(), events.last()) else { return Ok(None) };
        let Event::Started { recipe, .. } = &first.event else { return Ok(None) };
        let exit = exit.unwrap_or_else(|| {
            let why = replay(self.shared.options.catalog, id, &events).err();
            let why = why.map(|error| error.to_string()).unwrap_or_default();
            tracing::error!(run = %id, session = %self.id, recipe, why, "run cannot be replayed");
            match &last.event {
                Event::Ended { ending, .. } => ending.give_up(&why),
                _ => Exit::because(ExitReason::Interrupted)
                    .describe(format!("the run cannot go on by itself: {why}")),
            }
        });
        let Some(mut ended) = abandon(events.iter().map(|recorded| &recorded.event), &exit) else {
            return Ok(None);
        };
        // A client that stops a run knows what it was at: the prompt that was being delivered is not queued again.
        if let Event::Ended { unheard, .. } = &mut ended {
            *unheard &= !stopped;
        }
        let (after, recipe) = (last.seq, recipe.clone());
        let input = Input::Abandon { after, ended: Box::new(ended), recipe, stopped };
        Ok(self.decide(input).await?)
    }
}
