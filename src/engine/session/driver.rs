//! The task that owns one session: it hands the session what happens, persists what it decides, and does what follows.
//!
//! Whenever the loop waits for input, the session's state equals what is persisted of it, or the session is not loaded.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;
use tracing::{Instrument, Span};
use uuid::Uuid;

use super::caught::caught;
use super::command::Stop;
use super::load::load;
use super::registry::Mailbox;
use crate::engine::commit::feed::Notice;
use crate::engine::commit::journal::Journal;
use crate::engine::crash;
use crate::engine::error::NotDone;
use crate::engine::handoff;
use crate::engine::recover::leftovers;
use crate::engine::shared::Shared;
use crate::engine::spans;
use crate::engine::turn::in_flight::{InFlight, JobEvent, Kept};
use crate::engine::turn::job::Job;
use crate::run::{Ending, RunId, SessionId};
use crate::session::{Action, AtStake, Commit, Decision, Input, RunStatus, Session};
use crate::store::StoreError;
use crate::{Exit, ExitReason};

/// How long a wait may be before the clock is looked at again: it may have been set, or the machine have slept.
const CLOCK_INTERVAL: Duration = Duration::from_secs(30);

/// How often a session that could not be persisted is tried again.
const RETRY_INTERVAL: Duration = Duration::from_secs(30);

/// How long to wait before a commit that failed is tried once more, each time.
const COMMIT_RETRY_DELAYS: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(1)];

/// Drives one session.
pub(in crate::engine) struct Driver {
    pub(in crate::engine) shared: Arc<Shared>,
    pub(in crate::engine) id: SessionId,
    pub(in crate::engine) mailbox: Mailbox,
    /// `None` until it is loaded, and where it could not be persisted.
    pub(in crate::engine) session: Option<Session>,
    pub(in crate::engine) turn: Option<InFlight>,
    /// What to begin once the job that is being stopped is gone.
    next: Option<Job>,
    /// A permit for an agent that another engine left at work.
    permit: Option<OwnedSemaphorePermit>,
    /// The run that stopped because it could not be persisted, and how it ended for clients.
    pub(in crate::engine) unsaved: Option<(RunId, Ending)>,
    /// The run that this driver drove last.
    own: Option<RunId>,
    /// When to look whether the store works again.
    retry_at: Option<Instant>,
    /// Whether the session is to be adopted, once that can be persisted.
    adopts: bool,
    /// A stop that could not be persisted.
    pub(in crate::engine) pending_stop: Option<Stop>,
    /// Set when the engine shuts down and the turn is left to the next one.
    pub(in crate::engine) detached: bool,
}

/// Drives a session. `loaded` is a session to adopt.
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
            if let Err(panic) = caught(driver.adopt().instrument(span)).await {
                driver.broken(&panic).await;
            }
        }
        while let Err(panic) = caught(driver.drive()).await {
            driver.broken(&panic).await;
        }
    });
}

impl Driver {
    /// Drives the session until there is nothing left to do in it.
    async fn drive(&mut self) {
        loop {
            // What is paused, queued or not persisted is the next engine's.
            let left = self.detached || (self.shared.closing.is_cancelled() && self.turn.is_none());
            if left || (self.rests() && self.shared.sessions.leave(self.id, &self.mailbox)) {
                return;
            }
            let wake = self.wake();
            let can_leave = self.turn.as_ref().is_some_and(InFlight::can_be_left);
            tokio::select! {
                biased;
                Some(command) = self.mailbox.recv() => self.obey(command).await,
                event = next_of(self.turn.as_mut()) => self.turn_event(event).await,
                () = tokio::time::sleep(wake.unwrap_or_default()), if wake.is_some() => {
                    let span = self.span();
                    self.woken().instrument(span).await;
                }
                () = self.shared.closing.cancelled(), if self.turn.is_none() => {}
                // Between commands, so that an agent is never left that a command is about to stop.
                () = self.shared.leave.cancelled(), if can_leave => self.leave_turn(),
            }
        }
    }

    /// The span of what is about to happen: the run's, where the session has one.
    fn span(&self) -> Span {
        let run = self.session.as_ref().and_then(|session| session.status().run());
        match run.or(self.unsaved.as_ref().map(|(run, _)| *run)) {
            Some(run) => spans::of_run(run, self.id),
            None => spans::of_session(self.id),
        }
    }

    /// The same once the session is loaded. Where it cannot be, what needs it reports that.
    pub(in crate::engine) async fn loaded_span(&mut self) -> Span {
        let _ = self.loaded().await;
        self.span()
    }

    fn rests(&self) -> bool {
        let nothing_waits = self.turn.is_none() && self.unsaved.is_none() && self.retry_at.is_none();
        nothing_waits && self.session.as_ref().is_none_or(Session::is_idle)
    }

    /// How long to sleep until something is due.
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
        let due =
            self.session.as_ref().and_then(Session::resume_at).is_some_and(|at| at <= self.shared.now());
        if due {
            self.resume_due().await;
        }
    }

    /// Loads the session, if it is not.
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

    /// Hands the session an input and persists what it decides. Nothing is done about it before that.
    pub(in crate::engine) async fn decide(&mut self, input: Input) -> Result<Option<Ending>, NotDone> {
        let starts = matches!(input, Input::Start { .. });
        self.loaded().await.map_err(NotDone::NotPersisted)?;
        let Some(session) = self.session.as_mut() else { return Ok(None) };
        let (journal, at_stake) = (Journal::of(session, &input), session.at_stake());
        let decision =
            session.handle(input, self.shared.now(), &mut Uuid::new_v4).map_err(NotDone::Refused)?;
        let Decision { commit, actions, successor, ended } = decision;
        let own = session.at_stake().run.map(|driven| driven.run);
        // The successor can be reached before clients hear of it.
        let successor = successor.map(|next| (self.shared.sessions.enter(next.id()), next));
        if !commit.changes.is_empty() {
            crash::point(if starts { "before-intent" } else { "before-commit" });
            if let Err(error) = persist(&self.shared, &commit).await {
                self.not_persisted(&error, at_stake);
                return Err(NotDone::NotPersisted(error));
            }
            if let Some(session) = &mut self.session {
                session.persisted();
            }
            journal.log(&commit);
            let paused = self.session.as_ref().and_then(Session::run).filter(|run| run.is_paused());
            let kept = paused.filter(|run| run.has_changed()).map(|run| run.order().run);
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

    /// Persists a passage. One that cannot be persisted is no reason to end anything: the reply is what counts.
    pub(in crate::engine) async fn decide_passage(&mut self, input: Input) -> Result<(), StoreError> {
        let Some(session) = self.session.as_mut() else { return Ok(()) };
        let Ok(Decision { commit, .. }) = session.handle(input, self.shared.now(), &mut Uuid::new_v4) else {
            return Ok(());
        };
        self.shared.committer.commit(commit).await?;
        session.persisted();
        Ok(())
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::Ask(request) => self.begin(Job::Turn(request)),
            Action::Check(request) => self.begin(Job::Check(request)),
            Action::StopTurn => self.stop_turn(Kept::No),
        }
    }

    /// Begins a job, or keeps it until the one that is being stopped is gone.
    fn begin(&mut self, job: Job) {
        if self.turn.is_some() {
            self.next = Some(job);
            return;
        }
        crash::point("after-intent");
        self.turn = Some(InFlight::new(&self.shared, self.id, job, self.permit.take()));
    }

    /// Stops the turn in flight, and what was to follow it.
    fn stop_turn(&mut self, kept: Kept) {
        self.next = None;
        if let Some(turn) = &mut self.turn
            && !turn.discard(kept)
        {
            self.turn_gone();
        }
    }

    fn leave_turn(&self) {
        if let Some(turn) = &self.turn {
            turn.leave();
        }
    }

    /// The slot is free: what was to follow is asked.
    pub(in crate::engine) fn turn_gone(&mut self) {
        self.turn = None;
        if let Some(job) = self.next.take() {
            self.begin(job);
        }
    }

    /// What the session would lose now.
    pub(in crate::engine) fn at_stake(&self) -> AtStake {
        self.session.as_ref().map(Session::at_stake).unwrap_or_default()
    }

    /// What was decided is not persisted: the session is thrown away, its agent stopped, and clients are told about what was
    /// driven.
    pub(in crate::engine) fn not_persisted(&mut self, error: &StoreError, at_stake: AtStake) {
        self.session = None;
        self.stop_turn(Kept::Yes);
        if let Some(driven) = at_stake.run {
            let (run, ending) = (driven.run, driven.not_persisted(&error.to_string()));
            let prefix = ending.category.log_prefix();
            tracing::error!(%run, session = %self.id, reason = ending.reason, %error, "{prefix}");
            self.unsaved = Some((run, ending.clone()));
            self.publish(Notice::Unsaved { run, session: self.id, ending: Arc::new(ending) });
        } else {
            tracing::error!(session = %self.id, %error, "failed to persist what happened in a session");
        }
        if at_stake.chat {
            self.publish(Notice::ChatEnded { session: self.id, aborted: true });
        }
        self.adopts |= at_stake.adopted;
        // A full disk may be freed, and a stale session is loaded anew. Anything else stays wrong.
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
        // A discarded turn may still be on its way out.
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
        // What a client stopped is not driven again, even if that cannot be persisted yet.
        if self.adopts && self.session.is_some() && self.pending_stop.is_none() {
            self.adopt().await;
        }
    }

    /// Drives what another engine, or a failing store, left behind.
    pub(in crate::engine) async fn adopt(&mut self) {
        let Some(session) = &self.session else { return };
        match session.status() {
            RunStatus::Left(run) => tracing::info!(%run, session = %self.id, "Recipe taken up again"),
            RunStatus::Unreplayable(run) => {
                tracing::error!(%run, session = %self.id, "run cannot be replayed");
                // Its agent must not work on when the run has ended.
                if let Err(error) = self.stop_other_agents(false).await {
                    let at_stake = AtStake { adopted: true, ..self.at_stake() };
                    return self.not_persisted(&error, at_stake);
                }
            }
            RunStatus::None | RunStatus::Driven(_) | RunStatus::Paused(_) => {}
        }
        // `decide` reports its own errors; where one may pass, this is tried again.
        self.adopts = self.decide(Input::Adopt).await.is_err();
        if !self.adopts {
            self.recovered();
        }
    }

    /// Stops the agents that work for runs of the session without this driver, or for anything in it.
    pub(in crate::engine) async fn stop_other_agents(&mut self, everything: bool) -> Result<(), StoreError> {
        let own = self.turn.as_ref().filter(|turn| turn.is_own()).map(|turn| turn.job.attempt());
        leftovers::stop_agents(&self.shared, self.id, everything, own).await
    }

    /// Clients that were told that a run stopped are told that it goes on.
    pub(in crate::engine) fn recovered(&mut self) {
        if let Some((run, _)) = self.unsaved.take() {
            self.publish(Notice::TakenUp { run, session: self.id });
        }
    }

    /// Something panicked while it worked for the session: the run ends, and nothing else does.
    async fn broken(&mut self, panic: &str) {
        let span = self.span();
        self.end_broken(panic).instrument(span).await;
    }

    async fn end_broken(&mut self, panic: &str) {
        tracing::error!(session = %self.id, panic, "driving a session failed");
        self.session = None;
        self.stop_turn(Kept::Yes);
        if let Err(error) = self.stop_other_agents(false).await {
            tracing::error!(session = %self.id, %error, "failed to stop the agent of a run that broke");
        }
        let exit = Exit::because(ExitReason::InternalError).describe(panic);
        if let Err(error) = self.decide(Input::Broken { exit }).await {
            tracing::error!(session = %self.id, ?error, "failed to end a run that broke");
            self.adopts = true;
            self.retry_later();
        }
    }

    fn publish(&self, notice: Notice) {
        self.shared.committer.publish(notice);
    }
}

/// Persists a commit, with some patience for a disk that is busy or full.
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

/// The next event of the turn in flight; never, where there is none.
async fn next_of(turn: Option<&mut InFlight>) -> JobEvent {
    match turn {
        Some(turn) => turn.next().await,
        None => std::future::pending().await,
    }
}
