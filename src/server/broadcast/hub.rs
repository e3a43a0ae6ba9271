//! Telling all clients, each in the same order, and waiting for none of them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::Utf8Bytes;
use tokio_util::sync::CancellationToken;

use super::spacing::{Beat, Spacing};
use crate::run::{RunId, SessionId};
use crate::server::limits::ServerLimits;
use crate::wire::{RecentSession, ServerMessage};

/// The text of a message, written once and sent to many.
pub(in crate::server) type Frame = Utf8Bytes;

pub(in crate::server) fn frame(message: &ServerMessage) -> Frame {
    message.to_json().into()
}

/// Names a client, as long as it is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::server) struct ClientId(pub(in crate::server) u64);

/// Something that clients are told.
#[derive(Debug, Clone)]
pub(in crate::server) enum Update {
    /// A message, and what it means.
    Told(Frame, Meaning),
    /// A session is new. Each client is also told of the recent ones, as many as it wants.
    Began { session: SessionId, frame: Frame, recent: Arc<[RecentSession]> },
    /// Something was said in a session, for those who want to hear it.
    Said(Arc<Spoken>),
    /// What agents work on has changed, for those who want to know.
    Work(Frame),
    /// Something may be missing: the lists and the conversations have to be read again.
    Missed,
}

/// What a message means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum Meaning {
    /// A run is at a step.
    Started(RunId),
    /// A run's agent is given a step's prompt.
    Stepped(RunId),
    /// A run has ended, or there was none.
    Exited,
    /// Anything else.
    Other,
}

/// Something said, ready to be sent as it is to whoever heard everything before it.
#[derive(Debug)]
pub(in crate::server) struct Spoken {
    pub(in crate::server) session: SessionId,
    pub(in crate::server) offset: u64,
    pub(in crate::server) frame: Frame,
}

/// Whom something is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum Audience {
    Everybody,
    Only(ClientId),
}

/// Where a client's updates wait until it reads them.
pub(in crate::server) struct Inbox {
    updates: mpsc::Receiver<Update>,
    bytes: Arc<AtomicUsize>,
}

impl Inbox {
    pub(in crate::server) async fn next(&mut self) -> Option<Update> {
        let update = self.updates.recv().await;
        self.taken(update)
    }

    /// The next update, if it is there already.
    pub(in crate::server) fn try_next(&mut self) -> Option<Update> {
        let update = self.updates.try_recv().ok();
        self.taken(update)
    }

    fn taken(&self, update: Option<Update>) -> Option<Update> {
        let update = update?;
        self.bytes.fetch_sub(update.size(), Ordering::Relaxed);
        Some(update)
    }
}

impl Update {
    fn size(&self) -> usize {
        match self {
            Self::Told(frame, _) | Self::Began { frame, .. } | Self::Work(frame) => frame.len(),
            Self::Said(spoken) => spoken.frame.len(),
            Self::Missed => 0,
        }
    }
}

/// The other end of an inbox.
struct Outbox {
    updates: mpsc::Sender<Update>,
    bytes: Arc<AtomicUsize>,
    most_bytes: usize,
    /// Set when the client is too slow, and has to go.
    over: CancellationToken,
}

impl Outbox {
    /// `false` where the client is too slow: it is not waited for, since all others would wait as well.
    fn put(&self, update: Update) -> bool {
        let size = update.size();
        let waiting = self.bytes.fetch_add(size, Ordering::Relaxed);
        // One message may be as large as it is; what adds up is what counts.
        let room = waiting == 0 || waiting + size <= self.most_bytes;
        let kept = room && self.updates.try_send(update).is_ok();
        if !kept {
            self.over.cancel();
        }
        kept
    }
}

#[derive(Default)]
pub(in crate::server) struct Hub {
    state: Mutex<State>,
    /// Told when there may be something to wait for.
    changed: Notify,
}

#[derive(Default)]
struct State {
    clients: HashMap<ClientId, Outbox>,
    about_runs: Spacing<(Audience, SessionId, Update)>,
    /// What was last told of each session's runs.
    latest: HashMap<SessionId, Latest>,
}

/// What a client is told of a session when it comes.
struct Latest {
    frame: Frame,
    /// When the run ended, in milliseconds since 1970; `None` while it goes on.
    ended_at: Option<u64>,
}

/// For how long the end of a run is told to those who come, in milliseconds.
pub(in crate::server) const DAY: u64 = 24 * 60 * 60 * 1000;

/// How many sessions are remembered at most. Those that ended longest ago are forgotten first.
const REMEMBERED: usize = 1024;

impl Hub {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a client in. From now on it is told everything, and first what it has to know about runs.
    ///
    /// `over` is set when it has to go, because it is too slow.
    pub(in crate::server) fn enter(
        &self,
        client: ClientId,
        limits: &ServerLimits,
        over: CancellationToken,
        now: u64,
    ) -> (Inbox, Vec<Frame>) {
        let (updates, receiver) = mpsc::channel(limits.queue.max(1));
        let bytes = Arc::<AtomicUsize>::default();
        let inbox = Inbox { updates: receiver, bytes: Arc::clone(&bytes) };
        let mut state = self.state();
        state.forget_before(now.saturating_sub(DAY));
        let State { latest, about_runs, .. } = &mut *state;
        // A run that ends right after this client was told that it goes on has not gone on, to the app.
        for (session, _) in latest.iter().filter(|(_, latest)| latest.ended_at.is_none()) {
            about_runs.note(*session, Beat::Started, Instant::now());
        }
        let known = latest.values().map(|latest| latest.frame.clone()).collect();
        state.clients.insert(client, Outbox { updates, bytes, most_bytes: limits.queue_bytes, over });
        drop(state);
        self.changed.notify_one();
        (inbox, known)
    }

    pub(in crate::server) fn leave(&self, client: ClientId) {
        self.state().clients.remove(&client);
    }

    /// Tells something at once.
    pub(in crate::server) fn tell(&self, audience: Audience, update: &Update) {
        self.state().deliver(audience, update);
    }

    /// Tells something about the runs of a session, once it is far enough apart from what was told before.
    pub(in crate::server) fn tell_of_run(
        &self,
        audience: Audience,
        session: SessionId,
        update: Update,
        at: u64,
    ) {
        let beat = match &update {
            Update::Told(_, Meaning::Started(_)) => Beat::Started,
            Update::Told(_, Meaning::Exited) => Beat::Exited,
            Update::Told(_, Meaning::Stepped(_) | Meaning::Other)
            | Update::Began { .. }
            | Update::Said(_)
            | Update::Work(_)
            | Update::Missed => Beat::Neither,
        };
        let mut state = self.state();
        let due = state.about_runs.push(session, beat, (audience, session, update), Instant::now());
        state.send(due, at);
        drop(state);
        self.changed.notify_one();
    }

    /// What was known about runs before this server began.
    pub(in crate::server) fn remember(&self, session: SessionId, frame: Frame, ended_at: Option<u64>) {
        self.state().latest.insert(session, Latest { frame, ended_at });
    }

    /// Sends what had to wait, when its time has come.
    pub(in crate::server) async fn keep_time(&self, clock: &crate::engine::Clock) {
        loop {
            let next = self.state().about_runs.next();
            tokio::select! {
                () = self.changed.notified() => {}
                () = until(next) => {
                    let mut state = self.state();
                    let due = state.about_runs.release(Instant::now());
                    state.send(due, clock.now());
                }
            }
        }
    }
}

async fn until(then: Option<Instant>) {
    match then {
        Some(then) => tokio::time::sleep_until(then).await,
        None => std::future::pending().await,
    }
}

impl State {
    fn send(&mut self, due: Vec<(Audience, SessionId, Update)>, at: u64) {
        for (audience, session, update) in due {
            if let (Audience::Everybody, Update::Told(frame, meaning)) = (audience, &update) {
                let ended_at = match meaning {
                    Meaning::Started(_) => Some(None),
                    Meaning::Exited => Some(Some(at)),
                    Meaning::Stepped(_) | Meaning::Other => None,
                };
                if let Some(ended_at) = ended_at {
                    self.latest.insert(session, Latest { frame: frame.clone(), ended_at });
                }
            }
            if !self.is_outdated(session, &update) {
                self.deliver(audience, &update);
            }
        }
        if self.latest.len() > REMEMBERED {
            self.forget_before(at.saturating_sub(DAY));
            self.forget_the_oldest();
        }
    }

    /// Whether one client was to be shown that a run goes on, or that none does, and meanwhile everybody was told otherwise.
    fn is_outdated(&self, session: SessionId, update: &Update) -> bool {
        let is_over = self.latest.get(&session).map(|latest| latest.ended_at.is_some());
        match update {
            Update::Told(_, Meaning::Started(_)) => is_over == Some(true),
            Update::Told(_, Meaning::Exited) => is_over == Some(false),
            Update::Told(_, Meaning::Stepped(_) | Meaning::Other)
            | Update::Began { .. }
            | Update::Said(_)
            | Update::Work(_)
            | Update::Missed => false,
        }
    }

    /// Forgets the older half of the ends that are remembered, if there are still too many.
    fn forget_the_oldest(&mut self) {
        if self.latest.len() <= REMEMBERED {
            return;
        }
        let mut ends: Vec<_> = self.latest.values().filter_map(|latest| latest.ended_at).collect();
        let middle = ends.len() / 2;
        if middle > 0 {
            let (_, &mut middle, _) = ends.select_nth_unstable(middle);
            self.forget_before(middle);
        }
    }

    fn forget_before(&mut self, time: u64) {
        self.latest.retain(|_, latest| latest.ended_at.is_none_or(|ended| ended >= time));
    }

    fn deliver(&mut self, audience: Audience, update: &Update) {
        match audience {
            Audience::Everybody => self.clients.retain(|_, outbox| outbox.put(update.clone())),
            Audience::Only(client) => {
                if self.clients.get(&client).is_some_and(|outbox| !outbox.put(update.clone())) {
                    self.clients.remove(&client);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use uuid::Uuid;

    use super::*;
    use crate::engine::Clock;

    /// Tells one client after everybody, or everybody after one client; and says of which beginnings (`true`) and ends the
    /// client hears.
    async fn heard(told: &[(bool, Meaning)]) -> Vec<bool> {
        let (hub, client) = (Hub::default(), ClientId(1));
        let (mut inbox, _) = hub.enter(client, &ServerLimits::default(), CancellationToken::new(), 0);
        for (everybody, meaning) in told {
            let audience = if *everybody { Audience::Everybody } else { Audience::Only(client) };
            let update = Update::Told(Frame::default(), *meaning);
            hub.tell_of_run(audience, Uuid::from_u128(1).into(), update, 0);
        }
        let _ = tokio::time::timeout(Duration::from_secs(2), hub.keep_time(&Clock::new(|| 0))).await;
        std::iter::from_fn(|| inbox.try_next())
            .map(|update| matches!(update, Update::Told(_, Meaning::Started(_))))
            .collect()
    }

    /// Whoever is shown the run of a busy session may be so in the moment in which it ends.
    #[tokio::test(start_paused = true)]
    async fn a_run_that_has_ended_is_shown_to_nobody_as_one_that_goes_on() {
        let started = Meaning::Started(Uuid::from_u128(2).into());
        let told = [(true, started), (false, started), (true, Meaning::Exited), (false, started)];
        assert_eq!(heard(&told).await, [true, true, false]);
    }

    /// Whoever ends what does not run may do so in the moment in which somebody else begins something.
    #[tokio::test(start_paused = true)]
    async fn a_run_that_goes_on_is_shown_to_nobody_as_one_that_has_ended() {
        let started = Meaning::Started(Uuid::from_u128(2).into());
        assert_eq!(heard(&[(false, Meaning::Exited), (true, started)]).await, [false, true]);
        assert_eq!(heard(&[(true, started), (false, Meaning::Exited)]).await, [true]);
        let ends = [(true, started), (false, Meaning::Exited), (true, Meaning::Exited)];
        assert_eq!(heard(&ends).await, [true, false], "the end that it hears is the one of the run");
    }
}
