//! Publishes to all clients, in the same order, without waiting for any of them.
//!
//! The broadcast has two ordered streams: clients that need the start and the end of runs apart in
//! time get what `spacing.rs` releases, the others get everything at once.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::spacing::{RunEdge, Spacing};
use super::stream::{Inbox, Stream, inbox};
use super::update::{Audience, ClientId, ClientUpdate, Frame, FrameKind};
use crate::run::SessionId;
use crate::server::limits::ServerLimits;

#[derive(Default)]
pub(in crate::server) struct Hub {
    state: Mutex<State>,
    /// Notified when there may be a new update to wait for.
    changed: Notify,
}

#[derive(Default)]
struct State {
    /// Clients that get everything at once.
    unspaced: Stream,
    /// Clients that get starts and ends of runs apart in time.
    spaced: Stream,
    /// What the spaced stream has not been sent yet.
    lanes: Spacing<(Audience, SessionId, ClientUpdate)>,
}

impl Hub {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a client to the stream that it announced. From now on it gets every update, after the
    /// latest about each run. `over` is set when the client has to be disconnected because it is
    /// too slow.
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
        // A client that connects again may announce something else.
        state.leave(client);
        let known = if spaced {
            let known = state.spaced.enter(client, outbox, now);
            let State { spaced, lanes, .. } = &mut *state;
            // If the run ends right after this client was sent that it is running, the app would
            // not show that it had run.
            for session in spaced.running() {
                lanes.note(session, RunEdge::Started, Instant::now());
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

    /// Publishes an update at once.
    pub(in crate::server) fn publish(&self, audience: Audience, update: &ClientUpdate) {
        let mut state = self.state();
        state.unspaced.deliver(audience, update);
        state.spaced.deliver(audience, update);
    }

    /// Publishes an update about the runs of a session: at once in one stream, and spaced from the
    /// previous one in the other.
    pub(in crate::server) fn publish_run(
        &self,
        audience: Audience,
        session: SessionId,
        update: ClientUpdate,
        at: u64,
    ) {
        let edge = match update.kind() {
            FrameKind::Started => RunEdge::Started,
            FrameKind::Exited => RunEdge::Exited,
            FrameKind::Other => RunEdge::Neither,
        };
        let mut state = self.state();
        state.unspaced.send(audience, session, &update, at);
        let due = state.lanes.push(session, edge, (audience, session, update), Instant::now());
        state.send_spaced(due, at);
        drop(state);
        self.changed.notify_one();
    }

    /// What was known about runs before this server started.
    pub(in crate::server) fn remember(
        &self,
        session: SessionId,
        frame: &Frame,
        ended_at: Option<u64>,
    ) {
        let mut state = self.state();
        state.unspaced.remember(session, frame.clone(), ended_at);
        state.spaced.remember(session, frame.clone(), ended_at);
    }

    /// Sends delayed updates when they are due.
    pub(in crate::server) async fn send_delayed(&self, clock: &crate::engine::Clock) {
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

    fn send_spaced(&mut self, due: Vec<(Audience, SessionId, ClientUpdate)>, at: u64) {
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

    /// What has arrived in an inbox: whether it is a start.
    fn arrived(inbox: &mut Inbox) -> Vec<bool> {
        std::iter::from_fn(|| inbox.try_next())
            .map(|update| matches!(update, ClientUpdate::Message(_, FrameKind::Started)))
            .collect()
    }

    /// Publishes to one client after all clients, or the other way round; returns which starts
    /// (`true`) and ends the client gets.
    async fn received(published: &[(bool, FrameKind)]) -> Vec<bool> {
        let (hub, client) = (Hub::default(), ClientId(1));
        let (mut inbox, _) = enter(&hub, 1, true);
        for (to_all, kind) in published {
            let audience = if *to_all { Audience::All } else { Audience::Only(client) };
            let update = ClientUpdate::Message(Frame::default(), *kind);
            hub.publish_run(audience, Uuid::from_u128(1).into(), update, 0);
        }
        let _ =
            tokio::time::timeout(Duration::from_secs(2), hub.send_delayed(&Clock::new(|| 0))).await;
        arrived(&mut inbox)
    }

    /// Both streams have the same order; only the time differs.
    #[tokio::test(start_paused = true)]
    async fn a_client_that_needs_no_spacing_receives_an_end_at_once() {
        let hub = Hub::default();
        let ((mut spaced, _), (mut unspaced, _)) = (enter(&hub, 1, true), enter(&hub, 2, false));
        for kind in [FrameKind::Started, FrameKind::Other, FrameKind::Exited, FrameKind::Started] {
            let update = ClientUpdate::Message(Frame::default(), kind);
            hub.publish_run(Audience::All, Uuid::from_u128(1).into(), update, 0);
        }
        let all = [true, false, false, true];
        assert_eq!(arrived(&mut unspaced), all);
        assert_eq!(arrived(&mut spaced), all[..2]);
        let _ =
            tokio::time::timeout(Duration::from_secs(2), hub.send_delayed(&Clock::new(|| 0))).await;
        assert_eq!(arrived(&mut spaced), all[2..]);
        assert!(arrived(&mut unspaced).is_empty());
    }

    /// A client that connects is sent the latest update of its own stream.
    #[tokio::test(start_paused = true)]
    async fn a_client_that_connects_is_sent_the_latest_of_its_stream() {
        let (hub, session) = (Hub::default(), Uuid::from_u128(1).into());
        let update =
            |text: &'static str, kind| ClientUpdate::Message(Frame::from_static(text), kind);
        hub.publish_run(Audience::All, session, update("started", FrameKind::Started), 0);
        hub.publish_run(Audience::All, session, update("exited", FrameKind::Exited), 0);
        let ((mut inbox, spaced), (_, unspaced)) = (enter(&hub, 1, true), enter(&hub, 2, false));
        assert_eq!((spaced[0].as_str(), unspaced[0].as_str()), ("started", "exited"));
        let _ =
            tokio::time::timeout(Duration::from_secs(2), hub.send_delayed(&Clock::new(|| 0))).await;
        assert_eq!(arrived(&mut inbox), [false], "the end comes later");
    }

    /// A client may be sent the run of a busy session in the moment in which that run ends.
    #[tokio::test(start_paused = true)]
    async fn a_run_that_has_ended_is_never_published_as_running() {
        let started = FrameKind::Started;
        let published =
            [(true, started), (false, started), (true, FrameKind::Exited), (false, started)];
        assert_eq!(received(&published).await, [true, true, false]);
    }

    /// A client may end a run that does not exist in the moment in which another client starts one.
    #[tokio::test(start_paused = true)]
    async fn a_running_run_is_never_published_as_ended() {
        let started = FrameKind::Started;
        assert_eq!(received(&[(false, FrameKind::Exited), (true, started)]).await, [false, true]);
        assert_eq!(received(&[(true, started), (false, FrameKind::Exited)]).await, [true]);
        let ends = [(true, started), (false, FrameKind::Exited), (true, FrameKind::Exited)];
        assert_eq!(
            received(&ends).await,
            [true, false],
            "the only end it receives is that of the run"
        );
    }
}
