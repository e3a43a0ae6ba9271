//! The feed: what is persisted, for as many subscribers as there are.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::broadcast::{self, error::RecvError};
use tokio_util::sync::CancellationToken;

use crate::engine::error::EngineError;
use crate::run::{Ending, Event, RunId, SessionId};
use crate::store::{Message, Recorded, Session, Store};

/// Something that subscribers hear of. What one commit persisted comes in the order it happened, new sessions first.
#[derive(Debug, Clone)]
pub enum Notice {
    /// A session began, and is persisted.
    SessionBegan(Arc<Session>),
    /// Something happened in a run, and is persisted.
    Happened(Arc<Recorded>),
    /// Something was said in a session, and is persisted. An agent's passages come as it says them, in the middle of its
    /// turn.
    Said(Arc<Message>),
    /// A prompt outside of a run has been answered, or given up.
    ChatEnded {
        /// The session.
        session: SessionId,
        /// Whether it was given up.
        aborted: bool,
    },
    /// A run stopped because what it did could not be persisted. This is not part of its history.
    Unsaved {
        /// The run.
        run: RunId,
        /// Its session.
        session: SessionId,
        /// How it would be persisted if it could.
        ending: Arc<Ending>,
    },
    /// Such a run goes on where it was, since the store works again. This is not part of its history either.
    TakenUp {
        /// The run.
        run: RunId,
        /// Its session.
        session: SessionId,
    },
    /// A command of a run printed a line. This is not part of its history either, and only the last line matters.
    Printed {
        /// The run.
        run: RunId,
        /// Its session.
        session: SessionId,
        /// The line.
        line: Arc<str>,
    },
    /// This subscriber was too slow: what is not persisted was missed, and sessions and their conversations should be
    /// read again. Events are not missed; they follow.
    Missed,
}

impl Notice {
    /// How this ends a run, if it does.
    #[must_use]
    pub fn ends(&self, wanted: RunId) -> Option<Ending> {
        if let Self::Happened(recorded) = self
            && let Event::Ended { ending, .. } = &recorded.event
            && recorded.run == wanted
        {
            return Some(ending.clone());
        }
        match self {
            Self::Unsaved { run, ending, .. } if *run == wanted => Some(Ending::clone(ending)),
            _ => None,
        }
    }
}

/// One subscriber's view of everything that happens, in order and without gaps.
///
/// A subscriber that is too slow misses no event: they are read from the store. It may miss the rest: new sessions and what
/// was said, which the store has, and the end of a prompt outside of a run, and that a run could not be saved, or goes on after that.
pub struct Feed {
    pub(in crate::engine) receiver: broadcast::Receiver<Notice>,
    pub(in crate::engine) store: Arc<dyn Store>,
    /// The place of the last event that was delivered, or that was there before the feed began.
    pub(in crate::engine) place: u64,
    /// What was read from the store and not delivered yet.
    pub(in crate::engine) caught_up: VecDeque<Notice>,
    /// Whether the store may hold more that was missed.
    pub(in crate::engine) behind: bool,
    /// Set when nothing more will be published.
    pub(in crate::engine) closed: CancellationToken,
}

/// How many events are read at once while catching up.
const PAGE: usize = 256;

impl Feed {
    /// The next notice; waits for one.
    ///
    /// # Errors
    /// The engine is gone, or the store could not be read.
    pub async fn next(&mut self) -> Result<Notice, EngineError> {
        loop {
            let notice = if let Some(notice) = self.caught_up.pop_front() {
                notice
            } else if self.behind {
                self.read_page().await?;
                continue;
            } else {
                let heard = tokio::select! {
                    biased;
                    heard = self.receiver.recv() => heard,
                    () = self.closed.cancelled() => Err(RecvError::Closed),
                };
                match heard {
                    Ok(notice) => notice,
                    Err(RecvError::Closed) => return Err(EngineError::ShuttingDown),
                    Err(RecvError::Lagged(_)) => {
                        self.behind = true;
                        return Ok(Notice::Missed);
                    }
                }
            };
            match &notice {
                Notice::Happened(recorded) if recorded.place > self.place => self.place = recorded.place,
                // Delivered already, while catching up.
                Notice::Happened(_) => continue,
                Notice::SessionBegan(_)
                | Notice::Said(_)
                | Notice::ChatEnded { .. }
                | Notice::Unsaved { .. }
                | Notice::TakenUp { .. }
                | Notice::Printed { .. }
                | Notice::Missed => {}
            }
            return Ok(notice);
        }
    }

    async fn read_page(&mut self) -> Result<(), EngineError> {
        let (store, place) = (Arc::clone(&self.store), self.place);
        let missed = tokio::task::spawn_blocking(move || store.events_of_all(place, PAGE));
        let missed = missed.await.map_err(|_| EngineError::ShuttingDown)??;
        self.behind = missed.len() == PAGE;
        self.caught_up.extend(missed.into_iter().map(|event| Notice::Happened(Arc::new(event))));
        Ok(())
    }
}
