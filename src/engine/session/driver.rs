//! The task that owns one session: it feeds inputs to the session, persists the decision, and
//! carries out the actions.
//!
//! Invariant: whenever the loop waits for input, the session's state equals its persisted events,
//! or the session is not loaded.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;
use tracing::{Instrument, Span};
use uuid::Uuid;

use super::catch_panic::catch_panic;
use super::command::Stop;
use super::load::load;
use super::registry::Mailbox;
use crate::engine::commit::event_stream::Update;
use crate::engine::commit::journal::Journal;
use crate::engine::crash;
use crate::engine::error::DecideError;
use crate::engine::handoff;
use crate::engine::recover::orphans;
use crate::engine::shared::Shared;
use crate::engine::spans;
use crate::engine::turn::in_flight::{InFlight, JobEvent, ScratchFiles};
use crate::engine::turn::job::Job;
use crate::run::{Ending, RunId, SessionId};
use crate::session::{
    AtStake, Commit, RunStatus, Session, SessionAction, SessionDecision, SessionInput,
};
use crate::store::StoreError;
use crate::{Exit, ExitReason};

/// How often a waiting session reads the clock again: the clock may have been set, or the machine
/// may have slept.
const CLOCK_INTERVAL: Duration = Duration::from_secs(30);

/// How often a session that could not be persisted is retried.
const RETRY_INTERVAL: Duration = Duration::from_secs(30);

/// The delays between attempts to commit.
const COMMIT_RETRY_DELAYS: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(1)];

/// Drives one session.
pub(in crate::engine) struct Driver {
    pub(in crate::engine) shared: Arc<Shared>,
    pub(in crate::engine) id: SessionId,
    pub(in crate::engine) mailbox: Mailbox,
    /// `None` until it is loaded, and after a commit failed.
    pub(in crate::engine) session: Option<Session>,
    pub(in crate::engine) turn: Option<InFlight>,
    /// The job to begin once the one being stopped has ended.
    next: Option<Job>,
    /// A permit for an agent that an earlier engine left running.
    permit: Option<OwnedSemaphorePermit>,
    /// The run that stopped because it could not be persisted, and the ending that clients saw.
    pub(in crate::engine) unsaved: Option<(RunId, Ending)>,
    /// The run that this driver drove last.
    own: Option<RunId>,
    /// When to try the store again.
    retry_at: Option<Instant>,
    /// Whether the session is to be adopted, once that can be persisted.
    adopts: bool,
    /// A stop that could not be persisted.
    pub(in crate::engine) pending_stop: Option<Stop>,
    /// Set when the engine shuts down and leaves the turn to the next one.
    pub(in crate::engine) detached: bool,
}

/// Spawns the task that drives a session. `loaded` is a session to adopt.
pub(in crate::engine) fn spawn(
    shared: &Arc<Shared>,
    id: SessionId,
    mailbox: Mailbox,
    loaded: Option<Session>,
    permit: Option<OwnedSemaphorePermit>,
) {
    let adopts = loaded.is_some();
    let mut driver = Driver {
        shared: Arc::clone(shared),
        id,
        mailbox,
        session: loaded,
        turn: None,
        next: None,
        permit,
        unsaved: None,
        own: None,
        retry_at: None,
        adopts,
        pending_stop: None,
        detached: false,
    };
    shared.tasks.spawn(async move {
        if adopts {
            let span = driver.span();
            if let Err(panic) = catch_panic(driver.adopt().instrument(span)).await {
                driver.handle_panic(&panic).await;
            }
        }
        while let Err(panic) = catch_panic(driver.drive()).await {
            driver.handle_panic(&panic).await;
        }
    });
}

impl Driver {
    /// Drives the session until there is nothing left to do in it.
    async fn drive(&mut self) {
        loop {
            // Anything paused, queued or not persisted is left to the next engine.
            let left = self.detached || (self.shared.closing.is_cancelled() && self.turn.is_none());
            if left || (self.is_idle() && self.shared.sessions.unregister(self.id, &self.mailbox)) {
                return;
            }
            let wake = self.wake();
            let can_detach = self.turn.as_ref().is_some_and(InFlight::can_detach);
            tokio::select! {
                biased;
                Some(command) = self.mailbox.recv() => self.execute(command).await,
                event = next_of(self.turn.as_mut()) => self.turn_event(event).await,
                () = tokio::time::sleep(wake.unwrap_or_default()), if wake.is_some() => {
                    let span = self.span();
                    self.woken().instrument(span).await;
                }
                () = self.shared.closing.cancelled(), if self.turn.is_none() => {}
                // Only between commands, so that an agent that a command is about to stop is never
                // detached.
                () = self.shared.detach.cancelled(), if can_detach => self.detach_turn(),
            }
        }
    }

    /// The current span: the run's, if the session has one.
    fn span(&self) -> Span {
        let run = self.session.as_ref().and_then(|session| session.status().run());
        match run.or(self.unsaved.as_ref().map(|(run, _)| *run)) {
            Some(run) => spans::of_run(run, self.id),
            None => spans::of_session(self.id),
        }
    }

    /// Loads the session, then returns its span. A failure to load is reported by the next call
    /// that needs the session.
    pub(in crate::engine) async fn loaded_span(&mut self) -> Span {
        let _ = self.loaded().await;
        self.span()
    }

    fn is_idle(&self) -> bool {
        let nothing_pending =
            self.turn.is_none() && self.unsaved.is_none() && self.retry_at.is_none();
        nothing_pending && self.session.as_ref().is_none_or(Session::is_idle)
    }

    /// How long to sleep until the next retry or resume is due.
    fn wake(&self) -> Option<Duration> {
        if let Some(at) = self.retry_at {
            return Some(at.saturating_duration_since(Instant::now()));
        }
        let at = self.session.as_ref()?.resume_at()?;
        Some(Duration::from_millis(at.saturating_sub(self.shared.now())).min(CLOCK_INTERVAL))
    }

    async fn woken(&mut self) {
        if self.retry_at.is_some() {
            return self.retry().await;
        }
        let due = self
            .session
            .as_ref()
            .and_then(Session::resume_at)
            .is_some_and(|at| at <= self.shared.now());
        if due {
            self.resume_due().await;
        }
    }

    /// The session, loaded if necessary.
    pub(in crate::engine) async fn loaded(&mut self) -> Result<&mut Session, StoreError> {
        let session = match self.session.take() {
            Some(session) => session,
            None => load(&self.shared, self.id, self.own).await?,
        };
        Ok(self.session.insert(session))
    }

    /// How long the agent has worked on the run's turn in flight.
    pub(in crate::engine) fn took(&self) -> Duration {
        let of_run = |turn: &&InFlight| turn.discarded.is_none() && turn.job.run().is_some();
        self.turn.as_ref().filter(of_run).map_or(Duration::ZERO, InFlight::took)
    }

    /// Feeds the session an input and persists the decision. Its actions are carried out only then.
    pub(in crate::engine) async fn decide(
        &mut self,
        input: SessionInput,
    ) -> Result<Option<Ending>, DecideError> {
        let starts = matches!(input, SessionInput::Start { .. });
        self.loaded().await.map_err(DecideError::NotPersisted)?;
        let Some(session) = self.session.as_mut() else { return Ok(None) };
        let (journal, at_stake) = (Journal::of(session, &input), session.at_stake());
        let decision = session
            .handle(input, self.shared.now(), &mut Uuid::new_v4)
            .map_err(DecideError::Refused)?;
        let SessionDecision { commit, actions, successor, ended } = decision;
        let own = session.at_stake().run.map(|driven| driven.run);
        // The successor must accept commands before clients learn about it.
        let successor = successor.map(|next| (self.shared.sessions.register(next.id()), next));
        if !commit.changes.is_empty() {
            crash::point(if starts { "before-intent" } else { "before-commit" });
            if let Err(error) = persist(&self.shared, &commit).await {
                self.not_persisted(&error, at_stake);
                return Err(DecideError::NotPersisted(error));
            }
            if let Some(session) = &mut self.session {
                session.persisted();
            }
            journal.log(&commit);
            let paused = self.session.as_ref().and_then(Session::run).filter(|run| run.is_paused());
            let kept = paused.filter(|run| run.has_changed()).map(|run| run.spec().run);
            self.shared.trees.follow(&commit, kept);
            handoff::follow(&self.shared, self.id, &commit);
        }
        self.own = own.or(self.own);
        if let Some((Some(mailbox), next)) = successor {
            spawn(&self.shared, next.id(), mailbox, Some(*next), None);
        }
        for action in actions {
            self.act(action);
        }
        Ok(ended)
    }

    /// Persists a passage. A failure does not end the run, because the reply contains the passage
    /// again.
    pub(in crate::engine) async fn decide_passage(
        &mut self,
        input: SessionInput,
    ) -> Result<(), StoreError> {
        let Some(session) = self.session.as_mut() else { return Ok(()) };
        let Ok(SessionDecision { commit, .. }) =
            session.handle(input, self.shared.now(), &mut Uuid::new_v4)
        else {
            return Ok(());
        };
        self.shared.committer.commit(commit).await?;
        session.persisted();
        Ok(())
    }

    fn act(&mut self, action: SessionAction) {
        match action {
            SessionAction::Ask(request) => self.begin(Job::Turn(request)),
            SessionAction::Check(request) => self.begin(Job::Check(request)),
            SessionAction::StopTurn => self.stop_turn(ScratchFiles::Remove),
        }
    }

    /// Begins a job, or queues it until the one being stopped has ended.
    fn begin(&mut self, job: Job) {
        if self.turn.is_some() {
            self.next = Some(job);
            return;
        }
        crash::point("after-intent");
        self.turn = Some(InFlight::new(&self.shared, self.id, job, self.permit.take()));
    }

    /// Stops the turn in flight, and drops the queued job.
    fn stop_turn(&mut self, kept: ScratchFiles) {
        self.next = None;
        if let Some(turn) = &mut self.turn
            && !turn.discard(kept)
        {
            self.turn_gone();
        }
    }

    fn detach_turn(&self) {
        if let Some(turn) = &self.turn {
            turn.detach();
        }
    }

    /// The turn has ended: begins the queued job, if there is one.
    pub(in crate::engine) fn turn_gone(&mut self) {
        self.turn = None;
        if let Some(job) = self.next.take() {
            self.begin(job);
        }
    }

    /// What the session would lose if a commit failed now.
    pub(in crate::engine) fn at_stake(&self) -> AtStake {
        self.session.as_ref().map(Session::at_stake).unwrap_or_default()
    }

    /// A decision could not be persisted: drops the session's state, stops its agent, and notifies
    /// clients of the runs and chats that this ends.
    pub(in crate::engine) fn not_persisted(&mut self, error: &StoreError, at_stake: AtStake) {
        self.session = None;
        self.stop_turn(ScratchFiles::Keep);
        if let Some(driven) = at_stake.run {
            let (run, ending) = (driven.run, driven.not_persisted(&error.to_string()));
            let prefix = ending.category.log_prefix();
            tracing::error!(%run, session = %self.id, reason = ending.reason, %error, "{prefix}");
            self.unsaved = Some((run, ending.clone()));
            self.publish(Update::NotPersisted { run, session: self.id, ending: Arc::new(ending) });
        } else {
            tracing::error!(session = %self.id, %error, "failed to persist a session");
        }
        if at_stake.chat {
            self.publish(Update::ChatEnded { session: self.id, aborted: true });
        }
        self.adopts |= at_stake.adopted;
        // A full disk may get space again, and a stale session is reloaded. Other errors are
        // permanent.
        if error.may_pass() || error.is_stale() {
            self.retry_later();
        }
    }

    pub(in crate::engine) fn retry_later(&mut self) {
        self.retry_at = Some(Instant::now() + RETRY_INTERVAL);
    }

    /// Resumes the session if the store accepts commits again.
    async fn retry(&mut self) {
        self.retry_later();
        // A discarded turn may still be ending.
        if self.turn.is_some() {
            return;
        }
        let Ok(session) = self.loaded().await else { return };
        if session.profile().is_some() {
            let commit = session.probe();
            if self.shared.committer.commit(commit).await.is_err() {
                self.session = None;
                return;
            }
            if let Some(session) = &mut self.session {
                session.persisted();
            }
        }
        self.retry_at = None;
        if let Some(stop) = self.pending_stop.take() {
            let _ = self.stop(stop).await;
        }
        // A run that a client stopped is not driven again, even if the stop is not persisted yet.
        if self.adopts && self.session.is_some() && self.pending_stop.is_none() {
            self.adopt().await;
        }
    }

    /// Drives what an earlier engine or a failing store left unfinished.
    pub(in crate::engine) async fn adopt(&mut self) {
        let Some(session) = &self.session else { return };
        match session.status() {
            RunStatus::Orphaned(run) => {
                tracing::info!(%run, session = %self.id, "Run recovered");
            }
            RunStatus::Unreplayable(run) => {
                tracing::error!(%run, session = %self.id, "run cannot be replayed");
                // Its agent must not keep working after the run has ended.
                if let Err(error) = self.stop_other_agents(false).await {
                    let at_stake = AtStake { adopted: true, ..self.at_stake() };
                    return self.not_persisted(&error, at_stake);
                }
            }
            RunStatus::None | RunStatus::Driven(_) | RunStatus::Paused(_) => {}
        }
        // `decide` reports its own errors; transient ones are retried.
        self.adopts = self.decide(SessionInput::Adopt).await.is_err();
        if !self.adopts {
            self.recovered();
        }
    }

    /// Stops agents in this session that this driver does not control: those of runs, or all.
    pub(in crate::engine) async fn stop_other_agents(
        &mut self,
        everything: bool,
    ) -> Result<(), StoreError> {
        let own = self.turn.as_ref().filter(|turn| turn.is_own()).map(|turn| turn.job.attempt());
        orphans::stop_agents(&self.shared, self.id, everything, own).await
    }

    /// Notifies clients that saw a run stop that it has resumed.
    pub(in crate::engine) fn recovered(&mut self) {
        if let Some((run, _)) = self.unsaved.take() {
            self.publish(Update::Recovered { run, session: self.id });
        }
    }

    /// Handles a panic in this session's work: ends its run, and nothing else.
    async fn handle_panic(&mut self, panic: &str) {
        let span = self.span();
        self.end_after_panic(panic).instrument(span).await;
    }

    async fn end_after_panic(&mut self, panic: &str) {
        tracing::error!(session = %self.id, panic, "session driver panicked");
        self.session = None;
        self.stop_turn(ScratchFiles::Keep);
        if let Err(error) = self.stop_other_agents(false).await {
            tracing::error!(session = %self.id, %error, "failed to stop the agent of a run after a panic");
        }
        let exit = Exit::because(ExitReason::InternalError).describe(panic);
        if let Err(error) = self.decide(SessionInput::Panicked { exit }).await {
            tracing::error!(session = %self.id, ?error, "failed to end a run after a panic");
            self.adopts = true;
            self.retry_later();
        }
    }

    fn publish(&self, update: Update) {
        self.shared.committer.publish(update);
    }
}

/// Persists a commit, with retries for a busy or full disk.
async fn persist(shared: &Shared, commit: &Commit) -> Result<(), StoreError> {
    for delay in COMMIT_RETRY_DELAYS {
        match shared.committer.commit(commit.clone()).await {
            Ok(_) => return Ok(()),
            Err(error) if !error.may_pass() => return Err(error),
            Err(error) => {
                tracing::warn!(%error, "failed to commit, retrying");
                tokio::time::sleep(delay).await;
            }
        }
    }
    shared.committer.commit(commit.clone()).await.map(|_| ())
}

/// The next event of the turn in flight; pending forever if there is none.
async fn next_of(turn: Option<&mut InFlight>) -> JobEvent {
    match turn {
        Some(turn) => turn.next().await,
        None => std::future::pending().await,
    }
}
