//! What all parts of one engine share.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedMutexGuard, Semaphore, mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use super::EngineError;
use super::feed::Notice;
use super::keeper::Keeper;
use super::options::{Options, Shutdown};
use super::start::UnknownProvider;
use crate::Exit;
use crate::agent::Agent;
use crate::run::{Ending, Fresh, PromptId, RunId, SessionId};
use crate::store::{Store, StoreError};

/// How long shutting down may take; agents are given less when it has to be quick.
const LONGEST_SHUTDOWN: Duration = Duration::from_secs(10);

pub(super) struct Inner {
    pub(super) options: Options,
    pub(super) store: Arc<dyn Store>,
    pub(super) keeper: Keeper,
    /// One permit for each agent that may work.
    pub(super) permits: Arc<Semaphore>,
    pub(super) tasks: TaskTracker,
    /// Set when nothing new shall begin.
    pub(super) closing: CancellationToken,
    /// Set when every agent shall be stopped.
    pub(super) stop: CancellationToken,
    /// Set beside it: there is little time.
    pub(super) hurry: CancellationToken,
    /// Set when every agent shall be left to itself.
    pub(super) leave: CancellationToken,
    desks: Mutex<HashMap<SessionId, Desk>>,
    /// Runs that stopped because they could not be written down, until somebody takes them up.
    unsaved: Mutex<HashMap<RunId, Ending>>,
}

/// What goes on in one session. There is none for a session in which nothing does.
#[derive(Default)]
pub(super) struct Desk {
    pub(super) run: Option<Driven>,
    pub(super) chat: Option<Chat>,
    /// Held for each turn: an agent has one conversation, and one thing to do in it.
    pub(super) turn: Arc<tokio::sync::Mutex<()>>,
    /// Held by whoever begins something in the session, or ends what nobody drives, from before it is written down until
    /// it is driven: so nobody finds a run that is written down and not yet driven.
    gate: Arc<tokio::sync::Mutex<()>>,
}

/// Holds a session's gate. A desk that was only looked at is cleared away with it.
pub(super) struct Gate<'i> {
    inner: &'i Inner,
    session: SessionId,
    held: Option<OwnedMutexGuard<()>>,
}

impl Drop for Gate<'_> {
    fn drop(&mut self) {
        self.held = None;
        self.inner.at_desk(self.session, |_| ());
    }
}

/// Somebody passes prompts on, outside of a run.
pub(super) struct Chat {
    /// Stops the prompt that the agent works on.
    pub(super) stop: CancellationToken,
    /// Whether another prompt has come since they last looked.
    pub(super) again: bool,
    /// Whether somebody wants what the agent works on to end.
    pub(super) killed: bool,
}

/// A run that goes on, and how to reach it.
pub(super) struct Driven {
    pub(super) run: RunId,
    pub(super) commands: mpsc::Sender<Command>,
}

/// What a run that goes on can be told.
pub(super) enum Command {
    /// To end.
    Cancel { exit: Exit, done: oneshot::Sender<Ending> },
    /// To pass something on to the agent.
    Prompt { prompt: PromptId, text: String, done: oneshot::Sender<()> },
}

impl Inner {
    pub(super) fn new(options: Options) -> Result<Arc<Self>, StoreError> {
        let store = Arc::clone(&options.store);
        Ok(Arc::new(Self {
            permits: Arc::new(Semaphore::new(options.parallel.max(1))),
            keeper: Keeper::new(Arc::clone(&store), options.backlog)?,
            store,
            options,
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
            stop: CancellationToken::new(),
            hurry: CancellationToken::new(),
            leave: CancellationToken::new(),
            desks: Mutex::default(),
            unsaved: Mutex::default(),
        }))
    }

    /// Does something to the end, even if whoever asked for it goes away: half a start would be worse than none.
    pub(super) async fn whole<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, EngineError> {
        self.tasks.spawn(work).await.map_err(|error| EngineError::Broken(error.to_string()))
    }

    pub(super) fn now(&self) -> u64 {
        self.options.clock.now()
    }

    pub(super) fn fresh() -> Fresh {
        Fresh { attempt: Uuid::new_v4().into(), run: Uuid::new_v4().into(), session: Uuid::new_v4().into() }
    }

    /// The agent with this name, or the first one.
    pub(super) fn agent(&self, name: Option<&str>) -> Result<Arc<dyn Agent>, UnknownProvider> {
        let agents = &self.options.agents;
        let found = match name {
            None => agents.first(),
            Some(name) => agents.iter().find(|agent| agent.about().name == name),
        };
        found.cloned().ok_or_else(|| UnknownProvider {
            provider: name.unwrap_or_default().to_owned(),
            known: agents.iter().map(|agent| agent.about().name).collect(),
        })
    }

    pub(super) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let store = Arc::clone(&self.store);
        let read = tokio::task::spawn_blocking(move || read(&*store)).await;
        read.map_err(|error| StoreError::Failed { why: error.to_string() })?
    }

    fn desks(&self) -> MutexGuard<'_, HashMap<SessionId, Desk>> {
        // Nothing panics while holding it, and if something did, the map would still be whole.
        self.desks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with a session's desk, and clears it away if nothing is left on it.
    pub(super) fn at_desk<T>(&self, session: SessionId, act: impl FnOnce(&mut Desk) -> T) -> T {
        let mut desks = self.desks();
        let desk = desks.entry(session).or_default();
        let result = act(desk);
        let held = Arc::strong_count(&desk.turn) > 1 || Arc::strong_count(&desk.gate) > 1;
        if desk.run.is_none() && desk.chat.is_none() && !held {
            desks.remove(&session);
        }
        result
    }

    /// Waits until nobody else begins or ends something in the session.
    pub(super) async fn gate(&self, session: SessionId) -> Gate<'_> {
        let held = self.at_desk(session, |desk| Arc::clone(&desk.gate)).lock_owned().await;
        Gate { inner: self, session, held: Some(held) }
    }

    /// Takes a run off its desk: from now on it hears nothing. A later loop of the same run stays.
    pub(super) fn leave_desk(&self, session: SessionId, commands: &mpsc::Sender<Command>) {
        self.at_desk(session, |desk| {
            if desk.run.as_ref().is_some_and(|driven| driven.commands.same_channel(commands)) {
                desk.run = None;
            }
        });
    }

    fn unsaved(&self) -> MutexGuard<'_, HashMap<RunId, Ending>> {
        self.unsaved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How a run ended that could not be written down.
    pub(super) fn unsaved_ending(&self, run: RunId) -> Option<Ending> {
        self.unsaved().get(&run).cloned()
    }

    /// Tells that a run stopped because it could not be written down. It can be resumed once the store works again.
    pub(super) fn tell_unsaved(&self, run: RunId, session: SessionId, ending: Ending) {
        self.unsaved().insert(run, ending.clone());
        self.keeper.tell(Notice::Unsaved { run, session, ending: Arc::new(ending) });
    }

    /// It ends in another way, or goes on; whether there was such a run.
    pub(super) fn forget_unsaved(&self, run: RunId) -> bool {
        self.unsaved().remove(&run).is_some()
    }

    /// The run that goes on in a session, and how to reach it.
    pub(super) fn driven(&self, session: SessionId) -> Option<(RunId, mpsc::Sender<Command>)> {
        self.at_desk(session, |desk| desk.run.as_ref().map(|driven| (driven.run, driven.commands.clone())))
    }

    pub(super) fn stop_chat(&self, session: SessionId) {
        self.at_desk(session, |desk| {
            if let Some(chat) = &mut desk.chat {
                chat.killed = true;
                chat.stop.cancel();
            }
        });
    }

    /// Whether somebody has ended the prompt that the agent works on outside of a run.
    pub(super) fn is_killed(&self, session: SessionId) -> bool {
        self.at_desk(session, |desk| desk.chat.as_ref().is_some_and(|chat| chat.killed))
    }

    pub(super) async fn shut_down(&self, how: Shutdown) {
        self.closing.cancel();
        self.hurry.cancel();
        match how {
            Shutdown::StopAgents => self.stop.cancel(),
            Shutdown::LeaveAgents => self.leave.cancel(),
        }
        self.tasks.close();
        if tokio::time::timeout(LONGEST_SHUTDOWN, self.tasks.wait()).await.is_err() {
            tracing::error!("not everything has ended in time; the next engine takes up what is left");
        }
        self.keeper.close();
    }
}
