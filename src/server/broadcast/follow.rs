//! Follows the engine: its updates become messages to clients.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::task::JoinSet;

use super::stream::DAY_MS;
use super::update::{Announced, Audience, ClientUpdate, ConversationUpdate, FrameKind, frame};
use super::views::Views;
use super::{convert, sessions};
use crate::engine::{EngineError, EventStream, Update};
use crate::run::{Ending, Event, RunId, SessionId};
use crate::server::ledger;
use crate::server::shared::Shared;
use crate::store::{EventRecord, Message, Role, RunFilter, SessionRecord, Store, StoreError};
use crate::wire::{
    OfRun, RunBroadcast, RunOutput, ServerMessage, SessionCreated, Stamp, TurnComplete, WorkChanged,
};

/// How many sessions' signatures are cached.
const MAX_CACHED_SIGNATURES: usize = 4096;

/// How many runs of the last day are sent to a client that connects.
const MAX_LAST_RUNS: usize = 500;

/// How many sessions a client can ask to be sent.
const MAX_RECENT_SESSIONS: usize = 50;

/// How many characters of its first message a new session shows.
const MAX_PREVIEW_CHARS: usize = 100;

/// How long to wait until everything that has happened is published.
const CATCH_UP_TIMEOUT: Duration = Duration::from_secs(1);

/// How long to wait before retrying a store that cannot be read.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// Follows the engine until it shuts down, whatever breaks on the way.
pub(in crate::server) async fn follow(shared: Arc<Shared>, feed: EventStream) {
    let feed = Arc::new(Mutex::new(feed));
    let mut following = JoinSet::new();
    loop {
        // A task of its own, so that a panic costs one update, and not all later ones.
        following.spawn(publish_all(Arc::clone(&shared), Arc::clone(&feed)));
        match following.join_next().await {
            Some(Err(panic)) if panic.is_panic() => {
                tracing::error!(%panic, "failed to publish update to clients: panicked");
                shared.hub.publish(Audience::All, &ClientUpdate::Lagged);
            }
            Some(_) | None => return,
        }
    }
}

async fn publish_all(shared: Arc<Shared>, feed: Arc<Mutex<EventStream>>) {
    let mut follower = Follower {
        shared,
        runs: HashMap::new(),
        new_session: None,
        sessions: HashMap::new(),
        views: Views::default(),
    };
    let mut feed = feed.lock().await;
    loop {
        match feed.next().await {
            Ok(update) => {
                follower.publish_with_retry(&update).await;
                if let Update::Event(event) = &update {
                    follower
                        .shared
                        .followed
                        .send_modify(|last| *last = event.global_seq.max(*last));
                }
            }
            Err(EngineError::ShuttingDown) => return,
            Err(error) => {
                tracing::warn!(%error, "failed to read events; retrying");
                tokio::time::sleep(RETRY_INTERVAL).await;
            }
        }
    }
}

/// Waits until everything that has happened so far is published to clients.
///
/// # Errors
/// The store cannot be read.
pub(in crate::server) async fn caught_up(shared: &Shared) -> Result<(), EngineError> {
    let last = shared.engine.read(Store::last_global_seq).await?;
    let mut followed = shared.followed.subscribe();
    // An update whose conversion panicked is not waited for.
    let _ = tokio::time::timeout(CATCH_UP_TIMEOUT, followed.wait_for(|seq| *seq >= last)).await;
    Ok(())
}

/// Reads what clients should know about runs that began before this server did.
///
/// # Errors
/// The store cannot be read.
pub(in crate::server) async fn remember(shared: &Shared) -> Result<(), EngineError> {
    let since = shared.clock.now().saturating_sub(DAY_MS);
    let query = |store: &dyn Store| {
        let last = store.runs(&RunFilter { limit: Some(MAX_LAST_RUNS), ..RunFilter::default() })?;
        let open = store.runs(&RunFilter { open: Some(true), ..RunFilter::default() })?;
        Ok((last, open))
    };
    let (mut last, open) = shared.engine.read(query).await?;
    // A resumed run may have ended after runs that began later.
    last.sort_by_key(|record| record.changed_at);
    // So the latest run of each session remains, and running ones come last.
    for record in last.into_iter().chain(open) {
        let (broadcast, of) =
            (convert::run_broadcast(shared.catalog, &record), convert::last_of(&record));
        match &record.ending {
            Some(_) if record.changed_at < since => {}
            Some(ending) => {
                let exited = ServerMessage::RecipeExited(broadcast.exited(of, ending));
                shared.hub.remember(record.session, &frame(&exited), Some(record.changed_at));
            }
            None => {
                let started = ServerMessage::RecipeStarted(broadcast.state(of));
                shared.hub.remember(record.session, &frame(&started), None);
            }
        }
    }
    Ok(())
}

struct Follower {
    shared: Arc<Shared>,
    /// The running runs, and the number of the last event that was published.
    runs: HashMap<RunId, (RunBroadcast, u64)>,
    /// A session that was just created, until it is known whether by a run or by a message.
    new_session: Option<Arc<SessionRecord>>,
    /// What is needed of a session to publish its messages.
    sessions: HashMap<SessionId, SessionInfo>,
    views: Views,
}

#[derive(Clone)]
struct SessionInfo {
    signature: String,
    provider: &'static str,
}

impl Follower {
    /// Publishes an update, and retries while the store cannot be read: otherwise clients would
    /// wait forever for the end of a run. What can never be read is dropped, so that later updates
    /// are not blocked.
    async fn publish_with_retry(&mut self, update: &Update) {
        while let Err(error) = self.publish_update(update).await {
            let may_pass = matches!(&error, EngineError::Store(error) if error.may_pass());
            tracing::warn!(%error, may_pass, "failed to publish update to clients");
            if self.shared.stopping.is_cancelled() {
                return;
            }
            if !may_pass {
                return self.shared.hub.publish(Audience::All, &ClientUpdate::Lagged);
            }
            tokio::time::sleep(RETRY_INTERVAL).await;
        }
    }

    async fn publish_update(&mut self, update: &Update) -> Result<(), EngineError> {
        match update {
            Update::SessionBegan(session) => self.new_session = Some(Arc::clone(session)),
            Update::Event(recorded) => self.publish_event(recorded).await?,
            Update::Message(message) => {
                self.publish_new_session(message.session, Some(message)).await?;
                self.publish_message(message).await?;
                self.work_changed(message);
            }
            Update::ChatEnded { session, aborted } => {
                let turn = TurnComplete { session_id: *session, aborted: *aborted };
                self.publish(&ServerMessage::TurnComplete(turn));
            }
            Update::NotPersisted { run, session, ending } => {
                self.publish_not_persisted(*run, *session, ending).await?;
            }
            Update::Recovered { run, session } => self.publish_recovered(*run, *session).await?,
            Update::Printed { run, session, line } => {
                let (run_id, session_id, line) = (*run, *session, line.to_string());
                let printed =
                    frame(&ServerMessage::RunOutput(RunOutput { session_id, run_id, line }));
                self.shared.hub.publish(Audience::All, &ClientUpdate::View(printed));
            }
            Update::Lagged => self.shared.hub.publish(Audience::All, &ClientUpdate::Lagged),
        }
        Ok(())
    }

    async fn publish_event(&mut self, recorded: &EventRecord) -> Result<(), EngineError> {
        let EventRecord { run, session, seq, at, ref event, .. } = *recorded;
        let (mut broadcast, published) = self.run(recorded).await?;
        if seq <= published {
            return Ok(());
        }
        // Before anything is published: if the store cannot be read, all of this is retried.
        let view = self.views.changed(&self.shared, recorded).await?;
        for message in broadcast.apply(seq, at, event) {
            self.publish_run(session, &message, at);
            if matches!(event, Event::Started { .. }) {
                self.publish_new_session(session, None).await?;
            }
        }
        if let Some(changed) = view {
            let changed = frame(&ServerMessage::RunView(changed));
            self.shared.hub.publish(Audience::All, &ClientUpdate::View(changed));
        }
        if matches!(event, Event::Started { .. } | Event::Resumed { .. }) {
            self.shared.announce(session, Announced::Run(run), at);
        }
        if matches!(event, Event::Ended { .. }) {
            self.runs.remove(&run);
        } else {
            self.runs.insert(run, (broadcast, seq));
        }
        Ok(())
    }

    /// What clients know about a run before this event, and the number of the last published event.
    async fn run(&self, recorded: &EventRecord) -> Result<(RunBroadcast, u64), EngineError> {
        if let Some(known) = self.runs.get(&recorded.run) {
            return Ok(known.clone());
        }
        // It follows from the earlier events. The run's row in the store may be ahead of this
        // event.
        let (id, published) = (recorded.run, recorded.seq.saturating_sub(1));
        let count = usize::try_from(published).unwrap_or(usize::MAX);
        let mut before = Vec::new();
        if count > 0 {
            before = self.shared.engine.read(move |store| store.events(id, 0, count)).await?;
        }
        let first = before.first().map_or(&recorded.event, |first| &first.event);
        let Event::Started { recipe, step, spec, .. } = first else {
            return Err(EngineError::NoRun(id));
        };
        let mut broadcast = RunBroadcast {
            run: id,
            session: recorded.session,
            recipe_id: recipe.clone(),
            recipe_label: convert::label(self.shared.catalog, recipe),
            step: step.clone(),
            step_count: 1,
            rehearsal: spec.rehearsal,
            in_turn: false,
        };
        for earlier in &before {
            broadcast.apply(earlier.seq, earlier.at, &earlier.event);
        }
        Ok((broadcast, published))
    }

    /// A run stopped because it could not be persisted. It may be recovered.
    async fn publish_not_persisted(
        &mut self,
        run: RunId,
        session: SessionId,
        ending: &Ending,
    ) -> Result<(), EngineError> {
        let (mut broadcast, seq) = self.last_published(run).await?;
        let at = self.shared.clock.now();
        for message in broadcast.apply(seq, at, &Event::ended(ending.clone())) {
            self.publish_run(session, &message, at);
        }
        Ok(())
    }

    /// The run was recovered.
    async fn publish_recovered(
        &mut self,
        run: RunId,
        session: SessionId,
    ) -> Result<(), EngineError> {
        let (broadcast, seq) = self.last_published(run).await?;
        let at = self.shared.clock.now();
        let of = OfRun { run_id: run, seq, at: Stamp(at) };
        self.publish_run(session, &ServerMessage::RecipeStarted(broadcast.state(of)), at);
        Ok(())
    }

    /// What clients know about a run that is not running, and the number of the last published
    /// event.
    async fn last_published(&mut self, run: RunId) -> Result<(RunBroadcast, u64), EngineError> {
        if let Some(known) = self.runs.get(&run) {
            return Ok(known.clone());
        }
        let record = self.shared.engine.read(move |store| store.run(run)).await?;
        let record = record.ok_or(EngineError::NoRun(run))?;
        Ok((convert::run_broadcast(self.shared.catalog, &record), record.last_seq))
    }

    async fn publish_message(&mut self, message: &Message) -> Result<(), EngineError> {
        let (session, offset) = (message.session, message.offset);
        let known = self.session_info(session).await?;
        let history =
            ServerMessage::SessionHistory(ledger::pushed(known.signature, known.provider, message));
        let update = ConversationUpdate { session, offset, frame: frame(&history) };
        self.shared.hub.publish(Audience::All, &ClientUpdate::Conversation(Arc::new(update)));
        Ok(())
    }

    async fn session_info(&mut self, id: SessionId) -> Result<SessionInfo, EngineError> {
        if let Some(known) = self.sessions.get(&id) {
            return Ok(known.clone());
        }
        let session = self.shared.engine.read(move |store| store.session(id)).await?;
        let session = session.ok_or(EngineError::NoSession(id))?;
        let known = SessionInfo {
            signature: convert::signature(&session),
            provider: convert::provider(&session.agent),
        };
        if self.sessions.len() >= MAX_CACHED_SIGNATURES {
            self.sessions.clear();
        }
        self.sessions.insert(id, known.clone());
        Ok(known)
    }

    /// Publishes a session that was just created: after the run that it was created with, or before
    /// its first message.
    async fn publish_new_session(
        &mut self,
        id: SessionId,
        first: Option<&Message>,
    ) -> Result<(), EngineError> {
        let Some(session) = self.new_session.clone().filter(|new| new.id == id) else {
            return Ok(());
        };
        let preview = first.map_or(session.name.as_str(), |message| &message.text);
        let preview = preview.chars().take(MAX_PREVIEW_CHARS).collect();
        let (catalog, mut new) = (self.shared.catalog, SessionRecord::clone(&session));
        let query = move |store: &dyn Store| -> Result<_, StoreError> {
            // The run that it was created with holds it by now.
            new.run = store.session(id)?.and_then(|known| known.run);
            Ok((sessions::entry(store, catalog, &new)?, store.sessions(MAX_RECENT_SESSIONS)?))
        };
        let (entry, recent) = self.shared.engine.read(query).await?;
        let created = ServerMessage::SessionCreated(SessionCreated { session: entry, preview });
        let recent = recent.iter().map(convert::recent_session).collect();
        let created = ClientUpdate::SessionCreated { frame: frame(&created), recent };
        self.shared.hub.publish_run(Audience::All, id, created, session.created_at);
        self.shared.announce(id, Announced::Session(id), session.created_at);
        self.new_session = None;
        Ok(())
    }

    /// Publishes that a client's prompt was queued, or that the agent works on it. All other
    /// changes of the work come with messages that all clients get: the start, a step or the end of
    /// a run, or the end of a turn.
    fn work_changed(&self, message: &Message) {
        if message.role == Role::User && message.attempt.is_none() {
            let changed = ServerMessage::WorkChanged(WorkChanged { session_id: message.session });
            self.shared.hub.publish(Audience::All, &ClientUpdate::Work(frame(&changed)));
        }
    }

    fn publish(&self, message: &ServerMessage) {
        self.shared
            .hub
            .publish(Audience::All, &ClientUpdate::Message(frame(message), FrameKind::Other));
    }

    fn publish_run(&self, session: SessionId, message: &ServerMessage, at: u64) {
        self.shared.publish_run(Audience::All, session, message, at);
    }
}
