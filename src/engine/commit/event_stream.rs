//! The event stream: what the engine has persisted, for any number of subscribers.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::broadcast::{self, error::RecvError};
use tokio_util::sync::CancellationToken;

use crate::engine::error::EngineError;
use crate::process::try_blocking;
use crate::run::{Ending, Event, RunId, SessionId};
use crate::store::{EventRecord, Message, SessionRecord, Store};

/// A notification for subscribers. The updates of one commit arrive in the order of their events,
/// new sessions first.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Update {
    /// A session began. It is persisted.
    SessionBegan(Arc<SessionRecord>),
    /// A run's event. It is persisted.
    Event(Arc<EventRecord>),
    /// A message in a session's conversation. It is persisted. An agent's passages arrive while its
    /// turn is still running.
    Message(Arc<Message>),
    /// The turn of a prompt outside a run ended: answered or aborted.
    ChatEnded {
        /// The session.
        session: SessionId,
        /// Whether it was aborted.
        aborted: bool,
    },
    /// A run stopped because an event could not be persisted. This is not part of its history.
    NotPersisted {
        /// The run.
        run: RunId,
        /// Its session.
        session: SessionId,
        /// The ending that would have been persisted.
        ending: Arc<Ending>,
    },
    /// A run reported as [`NotPersisted`](Self::NotPersisted) resumes where it was, because the
    /// store works again. This is not part of its history either.
    Recovered {
        /// The run.
        run: RunId,
        /// Its session.
        session: SessionId,
    },
    /// A command of a run printed a line. This is not part of its history either; a newer line
    /// replaces an older one.
    Printed {
        /// The run.
        run: RunId,
        /// Its session.
        session: SessionId,
        /// The line.
        line: Arc<str>,
    },
    /// This subscriber was too slow and missed updates. The missed events follow. The subscriber
    /// should read sessions and conversations from the store again; missed updates that are not
    /// persisted are lost.
    Lagged,
}

impl Update {
    /// The ending of this run, if the update ends it.
    #[must_use]
    pub fn ends(&self, wanted: RunId) -> Option<Ending> {
        if let Self::Event(recorded) = self
            && let Event::Ended { ending, .. } = &recorded.event
            && recorded.run == wanted
        {
            return Some(ending.clone());
        }
        match self {
            Self::NotPersisted { run, ending, .. } if *run == wanted => Some(Ending::clone(ending)),
            _ => None,
        }
    }
}

/// One subscriber's updates, with all events in order and without gaps.
///
/// A subscriber that is too slow loses no event: missed events are read from the store. It may miss
/// other updates: new sessions and messages, which it can read from the store, and
/// [`ChatEnded`](Update::ChatEnded), [`NotPersisted`](Update::NotPersisted) and
/// [`Recovered`](Update::Recovered), which it cannot.
pub struct EventStream {
    pub(in crate::engine) receiver: broadcast::Receiver<Update>,
    pub(in crate::engine) store: Arc<dyn Store>,
    /// The global sequence number of the last event delivered, or of the last one before the
    /// subscription.
    pub(in crate::engine) global_seq: u64,
    /// Updates read from the store and not delivered yet.
    pub(in crate::engine) caught_up: VecDeque<Update>,
    /// Whether the store may hold more missed events.
    pub(in crate::engine) behind: bool,
    /// Set when nothing more will be published.
    pub(in crate::engine) closed: CancellationToken,
}

/// How many events are read at once while catching up.
const PAGE_EVENTS: usize = 256;

impl EventStream {
    /// The next update; waits for one.
    ///
    /// # Errors
    /// The engine is gone, or the store could not be read.
    pub async fn next(&mut self) -> Result<Update, EngineError> {
        loop {
            let update = if let Some(update) = self.caught_up.pop_front() {
                update
            } else if self.behind {
                self.read_page().await?;
                continue;
            } else {
                let received = tokio::select! {
                    biased;
                    received = self.receiver.recv() => received,
                    () = self.closed.cancelled() => Err(RecvError::Closed),
                };
                match received {
                    Ok(update) => update,
                    Err(RecvError::Closed) => return Err(EngineError::ShuttingDown),
                    Err(RecvError::Lagged(_)) => {
                        self.behind = true;
                        return Ok(Update::Lagged);
                    }
                }
            };
            match &update {
                Update::Event(recorded) if recorded.global_seq > self.global_seq => {
                    self.global_seq = recorded.global_seq;
                }
                // Delivered already, while catching up.
                Update::Event(_) => continue,
                Update::SessionBegan(_)
                | Update::Message(_)
                | Update::ChatEnded { .. }
                | Update::NotPersisted { .. }
                | Update::Recovered { .. }
                | Update::Printed { .. }
                | Update::Lagged => {}
            }
            return Ok(update);
        }
    }

    async fn read_page(&mut self) -> Result<(), EngineError> {
        let (store, after) = (Arc::clone(&self.store), self.global_seq);
        let missed = try_blocking(move || store.events_of_all(after, PAGE_EVENTS));
        let missed = missed.await.map_err(|_| EngineError::ShuttingDown)??;
        self.behind = missed.len() == PAGE_EVENTS;
        self.caught_up.extend(missed.into_iter().map(|event| Update::Event(Arc::new(event))));
        Ok(())
    }
}
