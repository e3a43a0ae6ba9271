//! Following the engine: everything that happens becomes what clients are told.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::task::JoinSet;

use super::stream::DAY;
use super::update::{Announced, Audience, Meaning, Spoken, Update, frame};
use super::views::Views;
use super::{convert, sessions};
use crate::engine::{EngineError, Feed, Notice};
use crate::run::{Ending, Event, RunId, SessionId};
use crate::server::ledger;
use crate::server::shared::Shared;
use crate::store::{Message, Recorded, Role, RunFilter, Session, Store, StoreError};
use crate::wire::{
    OfRun, RunOutput, ServerMessage, SessionCreated, Stamp, Telling, TurnComplete, WorkChanged,
};

/// How many sessions' signatures are kept at hand.
const AT_HAND: usize = 4096;

/// How many runs of the last day are told of to those who come.
const LAST_RUNS: usize = 500;

/// How many sessions a client can want to be told of.
const RECENT: usize = 50;

/// How many characters of its first words a new session shows.
const PREVIEW: usize = 100;

/// How long to wait until clients are told of what has happened.
const CATCH_UP_TIMEOUT: Duration = Duration::from_secs(1);

/// How long to wait with a store that cannot be read.
const PATIENCE: Duration = Duration::from_secs(1);

/// Follows the engine until it shuts down, whatever breaks on the way.
pub(in crate::server) async fn follow(shared: Arc<Shared>, feed: Feed) {
    let feed = Arc::new(Mutex::new(feed));
    let mut following = JoinSet::new();
    loop {
        // A task of its own, so that a panic costs what it was about, and not all that everybody is told from then on.
        following.spawn(tell_all(Arc::clone(&shared), Arc::clone(&feed)));
        match following.join_next().await {
            Some(Err(panic)) if panic.is_panic() => {
                tracing::error!(%panic, "telling clients of something failed");
                shared.hub.tell(Audience::Everybody, &Update::Missed);
            }
            Some(_) | None => return,
        }
    }
}

async fn tell_all(shared: Arc<Shared>, feed: Arc<Mutex<Feed>>) {
    let mut follower = Follower {
        shared,
        runs: HashMap::new(),
        begun: None,
        sessions: HashMap::new(),
        views: Views::default(),
    };
    let mut feed = feed.lock().await;
    loop {
        match feed.next().await {
            Ok(notice) => {
                follower.tell_patiently(&notice).await;
                if let Notice::Happened(event) = &notice {
                    follower.shared.followed.send_modify(|place| *place = event.place.max(*place));
                }
            }
            Err(EngineError::ShuttingDown) => return,
            Err(error) => {
                tracing::warn!(%error, "what happened cannot be read; trying again");
                tokio::time::sleep(PATIENCE).await;
            }
        }
    }
}

/// Waits until clients have been told of everything that has happened so far.
///
/// # Errors
/// The store cannot be read.
pub(in crate::server) async fn caught_up(shared: &Shared) -> Result<(), EngineError> {
    let last = shared.engine.read(Store::last_place).await?;
    let mut followed = shared.followed.subscribe();
    // Something that broke while it was told is not waited for.
    let _ = tokio::time::timeout(CATCH_UP_TIMEOUT, followed.wait_for(|place| *place >= last)).await;
    Ok(())
}

/// Finds out what to tell about runs that began before this server did.
///
/// # Errors
/// The store cannot be read.
pub(in crate::server) async fn remember(shared: &Shared) -> Result<(), EngineError> {
    let since = shared.clock.now().saturating_sub(DAY);
    let look = |store: &dyn Store| {
        let last = store.runs(&RunFilter { limit: Some(LAST_RUNS), ..RunFilter::default() })?;
        let open = store.runs(&RunFilter { open: Some(true), ..RunFilter::default() })?;
        Ok((last, open))
    };
    let (mut last, open) = shared.engine.read(look).await?;
    // One that was resumed may have ended after those that began after it.
    last.sort_by_key(|record| record.changed_at);
    // So the latest of each session stays; and those that go on come last of all.
    for record in last.into_iter().chain(open) {
        let (telling, of) = (convert::telling(shared.catalog, &record), convert::last_of(&record));
        match &record.ending {
            Some(_) if record.changed_at < since => {}
            Some(ending) => {
                let exited = ServerMessage::RecipeExited(telling.exited(of, ending));
                shared.hub.remember(record.session, &frame(&exited), Some(record.changed_at));
            }
            None => {
                let started = ServerMessage::RecipeStarted(telling.state(of));
                shared.hub.remember(record.session, &frame(&started), None);
            }
        }
    }
    Ok(())
}

struct Follower {
    shared: Arc<Shared>,
    /// The runs that go on, and the number of the last event that was told.
    runs: HashMap<RunId, (Telling, u64)>,
    /// A session that has just begun, until it is clear by what.
    begun: Option<Arc<Session>>,
    /// What is needed of a session to tell what is said in it.
    sessions: HashMap<SessionId, Known>,
    views: Views,
}

#[derive(Clone)]
struct Known {
    signature: String,
    provider: &'static str,
}

impl Follower {
    /// Tells of something; again and again, if the store cannot be read for a while. Clients would otherwise wait for ever for
    /// the end of a run that they have not been told of. What can never be read is given up: they would wait for all the rest.
    async fn tell_patiently(&mut self, notice: &Notice) {
        while let Err(error) = self.hear(notice).await {
            let may_pass = matches!(&error, EngineError::Store(error) if error.may_pass());
            tracing::warn!(%error, may_pass, "clients cannot be told of something");
            if self.shared.stopping.is_cancelled() {
                return;
            }
            if !may_pass {
                return self.shared.hub.tell(Audience::Everybody, &Update::Missed);
            }
            tokio::time::sleep(PATIENCE).await;
        }
    }

    async fn hear(&mut self, notice: &Notice) -> Result<(), EngineError> {
        match notice {
            Notice::SessionBegan(session) => self.begun = Some(Arc::clone(session)),
            Notice::Happened(recorded) => self.happened(recorded).await?,
            Notice::Said(message) => {
                self.tell_of_session(message.session, Some(message)).await?;
                self.said(message).await?;
                self.work_changed(message);
            }
            Notice::ChatEnded { session, aborted } => {
                let turn = TurnComplete { session_id: *session, aborted: *aborted };
                self.tell(&ServerMessage::TurnComplete(turn));
            }
            Notice::Unsaved { run, session, ending } => self.unsaved(*run, *session, ending).await?,
            Notice::TakenUp { run, session } => self.taken_up(*run, *session).await?,
            Notice::Printed { run, session, line } => {
                let (run_id, session_id, line) = (*run, *session, line.to_string());
                let printed = frame(&ServerMessage::RunOutput(RunOutput { session_id, run_id, line }));
                self.shared.hub.tell(Audience::Everybody, &Update::View(printed));
            }
            Notice::Missed => self.shared.hub.tell(Audience::Everybody, &Update::Missed),
        }
        Ok(())
    }

    async fn happened(&mut self, recorded: &Recorded) -> Result<(), EngineError> {
        let Recorded { run, session, seq, at, ref event, .. } = *recorded;
        let (mut telling, told) = self.run(recorded).await?;
        if seq <= told {
            return Ok(());
        }
        // Before anything is told: if the store cannot be read, all of this is done again.
        let view = self.views.changed(&self.shared, recorded).await?;
        for message in telling.tell(seq, at, event) {
            self.tell_of_run(session, &message, at);
            if matches!(event, Event::Started { .. }) {
                self.tell_of_session(session, None).await?;
            }
        }
        if let Some(changed) = view {
            let changed = frame(&ServerMessage::RunView(changed));
            self.shared.hub.tell(Audience::Everybody, &Update::View(changed));
        }
        if matches!(event, Event::Started { .. } | Event::Resumed { .. }) {
            self.shared.announce(session, Announced::Run(run), at);
        }
        if matches!(event, Event::Ended { .. }) {
            self.runs.remove(&run);
        } else {
            self.runs.insert(run, (telling, seq));
        }
        Ok(())
    }

    /// What clients know about a run before this event, and the number of the event that they know it from.
    async fn run(&self, recorded: &Recorded) -> Result<(Telling, u64), EngineError> {
        if let Some(known) = self.runs.get(&recorded.run) {
            return Ok(known.clone());
        }
        // It follows from what happened before. The line that the store has about the run may be further than this event.
        let (id, told) = (recorded.run, recorded.seq.saturating_sub(1));
        let many = usize::try_from(told).unwrap_or(usize::MAX);
        let mut before = Vec::new();
        if many > 0 {
            before = self.shared.engine.read(move |store| store.events(id, 0, many)).await?;
        }
        let first = before.first().map_or(&recorded.event, |first| &first.event);
        let Event::Started { recipe, step, order, .. } = first else { return Err(EngineError::NoRun(id)) };
        let mut telling = Telling {
            run: id,
            session: recorded.session,
            recipe_id: recipe.clone(),
            recipe_label: convert::label(self.shared.catalog, recipe),
            step: step.clone(),
            step_count: 1,
            rehearsal: order.rehearsal,
            in_turn: false,
        };
        for earlier in &before {
            telling.tell(earlier.seq, earlier.at, &earlier.event);
        }
        Ok((telling, told))
    }

    /// A run stopped because it could not be written down. It may be taken up again.
    async fn unsaved(&mut self, run: RunId, session: SessionId, ending: &Ending) -> Result<(), EngineError> {
        let (mut telling, seq) = self.last_told(run).await?;
        let at = self.shared.clock.now();
        for message in telling.tell(seq, at, &Event::ended(ending.clone())) {
            self.tell_of_run(session, &message, at);
        }
        Ok(())
    }

    /// It is taken up.
    async fn taken_up(&mut self, run: RunId, session: SessionId) -> Result<(), EngineError> {
        let (telling, seq) = self.last_told(run).await?;
        let at = self.shared.clock.now();
        let of = OfRun { run_id: run, seq, at: Stamp(at) };
        self.tell_of_run(session, &ServerMessage::RecipeStarted(telling.state(of)), at);
        Ok(())
    }

    /// What clients know about a run in which nothing happens, and the number of the event that they know it from.
    async fn last_told(&mut self, run: RunId) -> Result<(Telling, u64), EngineError> {
        if let Some(known) = self.runs.get(&run) {
            return Ok(known.clone());
        }
        let record = self.shared.engine.read(move |store| store.run(run)).await?;
        let record = record.ok_or(EngineError::NoRun(run))?;
        Ok((convert::telling(self.shared.catalog, &record), record.last_seq))
    }

    async fn said(&mut self, message: &Message) -> Result<(), EngineError> {
        let (session, offset) = (message.session, message.offset);
        let known = self.known(session).await?;
        let whole = ServerMessage::SessionHistory(ledger::pushed(known.signature, known.provider, message));
        let spoken = Spoken { session, offset, frame: frame(&whole) };
        self.shared.hub.tell(Audience::Everybody, &Update::Said(Arc::new(spoken)));
        Ok(())
    }

    async fn known(&mut self, id: SessionId) -> Result<Known, EngineError> {
        if let Some(known) = self.sessions.get(&id) {
            return Ok(known.clone());
        }
        let session = self.shared.engine.read(move |store| store.session(id)).await?;
        let session = session.ok_or(EngineError::NoSession(id))?;
        let known =
            Known { signature: convert::signature(&session), provider: convert::provider(&session.agent) };
        if self.sessions.len() >= AT_HAND {
            self.sessions.clear();
        }
        self.sessions.insert(id, known.clone());
        Ok(known)
    }

    /// Tells of a session that has just begun: after the run that it began with, or before the words.
    async fn tell_of_session(&mut self, id: SessionId, first: Option<&Message>) -> Result<(), EngineError> {
        let Some(session) = self.begun.clone().filter(|begun| begun.id == id) else { return Ok(()) };
        let preview = first.map_or(session.name.as_str(), |message| &message.text);
        let preview = preview.chars().take(PREVIEW).collect();
        let (catalog, mut new) = (self.shared.catalog, Session::clone(&session));
        let look = move |store: &dyn Store| -> Result<_, StoreError> {
            // The run that it begins with holds it by now.
            new.run = store.session(id)?.and_then(|known| known.run);
            Ok((sessions::entry(store, catalog, &new)?, store.sessions(RECENT)?))
        };
        let (entry, recent) = self.shared.engine.read(look).await?;
        let created = ServerMessage::SessionCreated(SessionCreated { session: entry, preview });
        let recent = recent.iter().map(convert::recent_session).collect();
        let began = Update::Began { frame: frame(&created), recent };
        self.shared.hub.tell_of_run(Audience::Everybody, id, began, session.created_at);
        self.shared.announce(id, Announced::Session(id), session.created_at);
        self.begun = None;
        Ok(())
    }

    /// Tells of a prompt that a client sent: it is queued, or the agent works on it. What else changes in what agents work on is
    /// the beginning, a step or the end of a run, or the end of a turn, and all clients hear of those.
    fn work_changed(&self, message: &Message) {
        if message.role == Role::User && message.attempt.is_none() {
            let changed = ServerMessage::WorkChanged(WorkChanged { session_id: message.session });
            self.shared.hub.tell(Audience::Everybody, &Update::Work(frame(&changed)));
        }
    }

    fn tell(&self, message: &ServerMessage) {
        self.shared.hub.tell(Audience::Everybody, &Update::Told(frame(message), Meaning::Other));
    }

    fn tell_of_run(&self, session: SessionId, message: &ServerMessage, at: u64) {
        self.shared.tell_of_run(Audience::Everybody, session, message, at);
    }
}
