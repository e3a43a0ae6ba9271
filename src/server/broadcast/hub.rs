//! Telling all clients, each in the same order, and waiting for none of them.
//!
//! It is one broadcast in two ordered streams: clients that need the beginning and the end of runs apart in time get
//! what `spacing.rs` releases, the others get everything at once.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::spacing::{Beat, Spacing};
use super::stream::{Inbox, Stream, inbox};
use super::update::{Audience, ClientId, Frame, Meaning, Update};
use crate::run::SessionId;
use crate::server::limits::ServerLimits;

#[derive(Default)]
pub(in crate::server) struct Hub {
    state: Mutex<State>,
    /// Told when there may be something to wait for.
    changed: Notify,
}

#[derive(Default)]
struct State {
    /// Clients that get everything at once.
    unspaced: Stream,
    /// Clients that get beginnings and ends of runs apart in time.
    spaced: Stream,
    /// What the spaced stream has not been sent yet.
    lanes: Spacing<(Audience, SessionId, Update)>,
}

impl Hub {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a client in, into the stream that it announced. From now on it is told everything, and first what it has to know
    /// about runs.
    ///
    /// `over` is set when it has to go, because it is too slow.
    pub(in crate::server) fn enter(
        &self,
        client: ClientId,
        spaced: bool,
        limits: &ServerLimits,
        over: CancellationToken,
        now: u64,
    ) -> (Inbox, Vec<Frame>) {
        let (outbox, inbox) = inbox(limits, over);
        let mut state = self.state();
        // One that comes in again may announce something else.
        state.leave(client);
        let known = if spaced {
            let known = state.spaced.enter(client, outbox, now);
            let State { spaced, lanes, .. } = &mut *state;
            // A run that ends right after this client was told that it goes on has not gone on, to the app.
            for session in spaced.going_on() {
                lanes.note(session, Beat::Started, Instant::now());
            }
            known
        } else {
            state.unspaced.enter(client, outbox, now)
        };
        drop(state);
        self.changed.notify_one();
        (inbox, known)
    }

    pub(in crate::server) fn leave(&self, client: ClientId) {
        self.state().leave(client);
    }

    /// Tells something at once.
    pub(in crate::server) fn tell(&self, audience: Audience, update: &Update) {
        let mut state = self.state();
        state.unspaced.deliver(audience, update);
        state.spaced.deliver(audience, update);
    }

    /// Tells something about the runs of a session: at once in one stream, and once it is far enough apart from what was told
    /// before in the other.
    pub(in crate::server) fn tell_of_run(
        &self,
        audience: Audience,
        session: SessionId,
        update: Update,
        at: u64,
    ) {
        let beat = match update.meaning() {
            Meaning::Started => Beat::Started,
            Meaning::Exited => Beat::Exited,
            Meaning::Other => Beat::Neither,
        };
        let mut state = self.state();
        state.unspaced.send(audience, session, &update, at);
        let due = state.lanes.push(session, beat, (audience, session, update), Instant::now());
        state.send_spaced(due, at);
        drop(state);
        self.changed.notify_one();
    }

    /// What was known about runs before this server began.
    pub(in crate::server) fn remember(&self, session: SessionId, frame: &Frame, ended_at: Option<u64>) {
        let mut state = self.state();
        state.unspaced.remember(session, frame.clone(), ended_at);
        state.spaced.remember(session, frame.clone(), ended_at);
    }

    /// Sends what had to wait, when its time has come.
    pub(in crate::server) async fn keep_time(&self, clock: &crate::engine::Clock) {
        loop {
            let next = self.state().lanes.next();
            tokio::select! {
                () = self.changed.notified() => {}
                () = until(next) => {
                    let mut state = self.state();
                    let due = state.lanes.release(Instant::now());
                    state.send_spaced(due, clock.now());
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
    fn leave(&mut self, client: ClientId) {
        self.unspaced.leave(client);
        self.spaced.leave(client);
    }

    fn send_spaced(&mut self, due: Vec<(Audience, SessionId, Update)>, at: u64) {
        for (audience, session, update) in due {
            self.spaced.send(audience, session, &update, at);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use uuid::Uuid;

    use super::*;
    use crate::engine::Clock;

    fn enter(hub: &Hub, client: u64, spaced: bool) -> (Inbox, Vec<Frame>) {
        hub.enter(ClientId(client), spaced, &ServerLimits::default(), CancellationToken::new(), 0)
    }

    /// What has arrived in an inbox: whether it is a beginning.
    fn arrived(inbox: &mut Inbox) -> Vec<bool> {
        std::iter::from_fn(|| inbox.try_next())
            .map(|update| matches!(update, Update::Told(_, Meaning::Started)))
            .collect()
    }

    /// Tells one client after everybody, or everybody after one client; and says of which beginnings (`true`) and ends the
    /// client hears.
    async fn heard(told: &[(bool, Meaning)]) -> Vec<bool> {
        let (hub, client) = (Hub::default(), ClientId(1));
        let (mut inbox, _) = enter(&hub, 1, true);
        for (everybody, meaning) in told {
            let audience = if *everybody { Audience::Everybody } else { Audience::Only(client) };
            let update = Update::Told(Frame::default(), *meaning);
            hub.tell_of_run(audience, Uuid::from_u128(1).into(), update, 0);
        }
        let _ = tokio::time::timeout(Duration::from_secs(2), hub.keep_time(&Clock::new(|| 0))).await;
        arrived(&mut inbox)
    }

    /// Both streams have the same order; only the time differs.
    #[tokio::test(start_paused = true)]
    async fn a_client_that_needs_no_spacing_hears_of_an_end_at_once() {
        let hub = Hub::default();
        let ((mut spaced, _), (mut unspaced, _)) = (enter(&hub, 1, true), enter(&hub, 2, false));
        for meaning in [Meaning::Started, Meaning::Other, Meaning::Exited, Meaning::Started] {
            let update = Update::Told(Frame::default(), meaning);
            hub.tell_of_run(Audience::Everybody, Uuid::from_u128(1).into(), update, 0);
        }
        let all = [true, false, false, true];
        assert_eq!(arrived(&mut unspaced), all);
        assert_eq!(arrived(&mut spaced), all[..2]);
        let _ = tokio::time::timeout(Duration::from_secs(2), hub.keep_time(&Clock::new(|| 0))).await;
        assert_eq!(arrived(&mut spaced), all[2..]);
        assert!(arrived(&mut unspaced).is_empty());
    }

    /// What a client is told when it comes is the last that its own stream was told.
    #[tokio::test(start_paused = true)]
    async fn a_client_that_comes_is_told_what_its_stream_knows() {
        let (hub, session) = (Hub::default(), Uuid::from_u128(1).into());
        let told = |words: &'static str, meaning| Update::Told(Frame::from_static(words), meaning);
        hub.tell_of_run(Audience::Everybody, session, told("started", Meaning::Started), 0);
        hub.tell_of_run(Audience::Everybody, session, told("exited", Meaning::Exited), 0);
        let ((mut inbox, spaced), (_, unspaced)) = (enter(&hub, 1, true), enter(&hub, 2, false));
        assert_eq!((spaced[0].as_str(), unspaced[0].as_str()), ("started", "exited"));
        let _ = tokio::time::timeout(Duration::from_secs(2), hub.keep_time(&Clock::new(|| 0))).await;
        assert_eq!(arrived(&mut inbox), [false], "the end comes later");
    }

    /// A client may be shown the run of a busy session in the moment in which that run ends.
    #[tokio::test(start_paused = true)]
    async fn a_run_that_has_ended_is_shown_to_nobody_as_one_that_goes_on() {
        let started = Meaning::Started;
        let told = [(true, started), (false, started), (true, Meaning::Exited), (false, started)];
        assert_eq!(heard(&told).await, [true, true, false]);
    }

    /// A client may end a run that does not exist in the moment in which another client starts one.
    #[tokio::test(start_paused = true)]
    async fn a_run_that_goes_on_is_shown_to_nobody_as_one_that_has_ended() {
        let started = Meaning::Started;
        assert_eq!(heard(&[(false, Meaning::Exited), (true, started)]).await, [false, true]);
        assert_eq!(heard(&[(true, started), (false, Meaning::Exited)]).await, [true]);
        let ends = [(true, started), (false, Meaning::Exited), (true, Meaning::Exited)];
        assert_eq!(heard(&ends).await, [true, false], "the end that it hears is the one of the run");
    }
}
