//! The task that owns one session: it hands the session what happens, persists what it decides, and does what follows.
//!
//! Whenever the loop waits for input, the session's state equals what is persisted of it, or the session is not loaded.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;
use uuid::Uuid;

use super::error::NotDone;
use super::feed::Notice;
use super::journal::Journal;
use super::load::load;
use super::registry::Mailbox;
use super::shared::Shared;
use super::turn::{InFlight, Kept};
use super::{crash, leftovers};
use crate::run::{Ending, RunId, SessionId};
use crate::session::{Action, Commit, Decision, Driven, Input, RunStatus, Session, TurnRequest};
use crate::store::StoreError;
use crate::{Exit, ExitReason};

/// How long a wait may be before the clock is looked at again: it may have been set, or the machine have slept.
const CLOCK_INTERVAL: Duration = Duration::from_secs(30);

/// How often a session that could not be persisted is tried again.
const RETRY_INTERVAL: Duration = Duration::from_secs(30);

/// How long to wait before a commit that failed is tried once more, each time.
const COMMIT_RETRY_DELAYS: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(1)];

/// Drives one session.
pub(super) struct Driver {
    pub(super) shared: Arc<Shared>,
    pub(super) id: SessionId,
    pub(super) mailbox: Mailbox,
    /// `None` until it is loaded, and where it could not be persisted.
    pub(super) session: Option<Session>,
    pub(super) turn: Option<InFlight>,
    /// What to ask once the turn that is being stopped is gone.
    next: Option<Box<TurnRequest>>,
    /// A permit for an agent that another engine left at work.
    permit: Option<OwnedSemaphorePermit>,
    /// The run that stopped because it could not be persisted, and how it ended for clients.
    pub(super) unsaved: Option<(RunId, Ending)>,
    /// The run that this driver drove last.
    own: Option<RunId>,
    /// When to look whether the store works again.
    retry_at: Option<Instant>,
    /// Set when the engine shuts down and the turn is left to the next one.
    pub(super) detached: bool,
}

/// Drives a session. `loaded` is what there is to go on with, where something is.
pub(super) fn spawn(
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
        detached: false,
    };
    shared.tasks.spawn(async move {
        if adopts && let Err(panic) = caught(driver.adopt()).await {
            driver.broken(&panic).await;
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
            tokio::select! {
                biased;
                Some(command) = self.mailbox.recv() => self.obey(command).await,
                event = next_of(self.turn.as_mut()) => self.turn_event(event).await,
                () = tokio::time::sleep(wake.unwrap_or_default()), if wake.is_some() => self.woken().await,
                () = self.shared.closing.cancelled(), if self.turn.is_none() => {}
            }
        }
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
    pub(super) async fn loaded(&mut self) -> Result<&mut Session, StoreError> {
        let session = match self.session.take() {
            Some(session) => session,
            None => load(&self.shared, self.id, self.own).await?,
        };
        Ok(self.session.insert(session))
    }

    /// How long the agent has worked on the turn in flight.
    pub(super) fn took(&self) -> Duration {
        self.turn.as_ref().filter(|turn| turn.discarded.is_none()).map_or(Duration::ZERO, InFlight::took)
    }

    /// Hands the session an input and persists what it decides. Nothing is done about it before that.
    pub(super) async fn decide(&mut self, input: Input) -> Result<Option<Ending>, NotDone> {
        let starts = matches!(input, Input::Start { .. });
        self.loaded().await.map_err(NotDone::NotPersisted)?;
        let Some(session) = self.session.as_mut() else { return Ok(None) };
        let (journal, driven) = (Journal::of(session, &input), session.driven());
        let decision =
            session.handle(input, self.shared.now(), &mut Uuid::new_v4).map_err(NotDone::Refused)?;
        let Decision { commit, actions, ended } = decision;
        self.own = session.run().map(|run| run.order().run).or(self.own);
        // Sessions that go on with the work can be reached before anybody hears of them.
        let mut begun = Vec::new();
        let mut acts = Vec::new();
        for action in actions {
            match action {
                Action::Begin(next) => begun.push((self.shared.sessions.enter(next.id()), next)),
                action => acts.push(action),
            }
        }
        if !commit.changes.is_empty() {
            crash::point(if starts { "before-intent" } else { "before-commit" });
            if let Err(error) = persist(&self.shared, &commit).await {
                self.not_persisted(&error, driven);
                return Err(NotDone::NotPersisted(error));
            }
            if let Some(session) = &mut self.session {
                session.persisted();
            }
            journal.log(&commit);
        }
        for (mailbox, next) in begun {
            if let Some(mailbox) = mailbox {
                spawn(&self.shared, next.id(), mailbox, Some(*next), None);
            }
        }
        for action in acts {
            self.act(action);
        }
        Ok(ended)
    }

    /// Persists a passage. One that cannot be persisted is no reason to end anything: the reply is what counts.
    pub(super) async fn decide_passage(&mut self, input: Input) -> Result<(), StoreError> {
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
            Action::Ask(request) if self.turn.is_some() => self.next = Some(request),
            Action::Ask(request) => self.ask(request),
            Action::StopTurn => self.stop_turn(Kept::No),
            // Seen to when the commit was made.
            Action::Begin(_) => {}
        }
    }

    fn ask(&mut self, request: Box<TurnRequest>) {
        crash::point("after-intent");
        self.turn = Some(InFlight::new(&self.shared, self.id, request, self.permit.take()));
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

    /// The slot is free: what was to follow is asked.
    pub(super) fn turn_gone(&mut self) {
        self.turn = None;
        if let Some(request) = self.next.take() {
            self.ask(request);
        }
    }

    /// What was decided is not persisted: the session is thrown away, its agent stopped, and clients are told about the run
    /// that was driven.
    pub(super) fn not_persisted(&mut self, error: &StoreError, driven: Option<Driven>) {
        self.session = None;
        let is_chat = self.turn.as_ref().is_some_and(|turn| turn.request.run.is_none());
        self.stop_turn(Kept::Yes);
        if let Some(driven) = driven {
            let (run, ending) = (driven.run, driven.not_persisted(&error.to_string()));
            let prefix = ending.category.log_prefix();
            tracing::error!(%run, session = %self.id, reason = ending.reason, %error, "{prefix}");
            self.unsaved = Some((run, ending.clone()));
            self.publish(Notice::Unsaved { run, session: self.id, ending: Arc::new(ending) });
        } else {
            tracing::error!(session = %self.id, %error, "failed to persist what happened in a session");
        }
        if is_chat {
            self.publish(Notice::ChatEnded { session: self.id, aborted: true });
        }
        // A full disk may be freed. What contradicts the store now contradicts it later.
        self.retry_at = error.may_pass().then(|| Instant::now() + RETRY_INTERVAL);
    }

    /// Goes on where the session is, if the store works again.
    async fn retry(&mut self) {
        self.retry_at = Some(Instant::now() + RETRY_INTERVAL);
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
        self.adopt().await;
    }

    /// Drives what another engine, or a failing store, left behind.
    pub(super) async fn adopt(&mut self) {
        let Some(session) = &self.session else { return };
        match session.status() {
            RunStatus::Left(run) => tracing::info!(%run, session = %self.id, "Recipe taken up again"),
            RunStatus::Unreplayable(run) => {
                tracing::error!(%run, session = %self.id, "run cannot be replayed");
                // Its agent must not work on when the run has ended.
                if let Err(error) = leftovers::stop_agent_of(&self.shared, run).await {
                    return self.not_persisted(&error, None);
                }
            }
            RunStatus::None | RunStatus::Driven(_) | RunStatus::Paused(_) => {}
        }
        self.recovered();
        // What goes wrong is told where it does.
        let _ = self.decide(Input::Adopt).await;
    }

    /// Clients that were told that a run stopped are told that it goes on.
    pub(super) fn recovered(&mut self) {
        if let Some((run, _)) = self.unsaved.take() {
            self.publish(Notice::TakenUp { run, session: self.id });
        }
    }

    /// Something panicked while it worked for the session: the run ends, and nothing else does.
    async fn broken(&mut self, panic: &str) {
        tracing::error!(session = %self.id, panic, "driving a session failed");
        (self.session, self.next) = (None, None);
        if let Some(mut turn) = self.turn.take() {
            turn.discard(Kept::Yes);
        }
        let exit = Exit::because(ExitReason::InternalError).describe(panic);
        if let Some(run) = self.own
            && let Err(error) = leftovers::stop_agent_of(&self.shared, run).await
        {
            tracing::error!(session = %self.id, %error, "failed to stop the agent of a run that broke");
        }
        if let Err(error) = self.decide(Input::Broken { exit }).await {
            tracing::error!(session = %self.id, ?error, "failed to end a run that broke");
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
async fn next_of(turn: Option<&mut InFlight>) -> super::turn::TurnEvent {
    match turn {
        Some(turn) => turn.next().await,
        None => std::future::pending().await,
    }
}

/// Runs something to its end, or to its panic.
async fn caught(work: impl Future<Output = ()>) -> Result<(), String> {
    let mut work = std::pin::pin!(work);
    std::future::poll_fn(move |context| {
        match std::panic::catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
            Ok(Poll::Ready(())) => Poll::Ready(Ok(())),
            Ok(Poll::Pending) => Poll::Pending,
            Err(panic) => Poll::Ready(Err(words_of(&*panic))),
        }
    })
    .await
}

fn words_of(panic: &(dyn Any + Send)) -> String {
    let literal = panic.downcast_ref::<&str>().map(|words| (*words).to_owned());
    let words = literal.or_else(|| panic.downcast_ref::<String>().cloned());
    words.unwrap_or_else(|| "a panic without words".to_owned())
}
