//! What all connections share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::broadcast::hub::Hub;
use super::broadcast::update::{Announced, Audience, ClientId, Frame, Meaning, Update, frame};
use super::broadcast::viewers::Viewers;
use super::limits::ServerLimits;
use super::net::auth_throttle::AuthThrottle;
use super::net::connection_limit::ConnectionLimit;
use super::net::descriptors::SocketBudget;
use super::net::key::ApiKey;
use super::net::names::Names;
use super::socket::replies::Leaving;
use crate::Catalog;
use crate::agent::Agent;
use crate::engine::{Backend, Clock, Roots};
use crate::run::SessionId;
use crate::wire::ServerMessage;

pub(super) struct Shared {
    pub(super) engine: Arc<dyn Backend>,
    pub(super) catalog: Catalog,
    /// The first one is used where nobody asks for another.
    pub(super) agents: Vec<Arc<dyn Agent>>,
    /// Where agents may work, for somebody who has not worked anywhere yet.
    pub(super) proposed_directory: Option<String>,
    /// The roots, where a process of the same user may add one.
    pub(super) growing_roots: Option<Roots>,
    pub(super) clock: Clock,
    pub(super) key: ApiKey,
    pub(super) limits: ServerLimits,
    pub(super) names: Names,
    pub(super) throttle: AuthThrottle,
    pub(super) socket_budget: SocketBudget,
    pub(super) connections: Arc<ConnectionLimit>,
    pub(super) hub: Hub,
    pub(super) viewers: Viewers,
    /// The place of the last event that clients were told of.
    pub(super) followed: watch::Sender<u64>,
    /// The answer to every ping, written once.
    pub(super) pong: Frame,
    /// Every connection is a task of its own.
    pub(super) tasks: TaskTracker,
    /// Set when the server stops.
    pub(super) stopping: CancellationToken,
    pub(super) clients: AtomicU64,
}

impl Shared {
    pub(super) fn new_client(&self) -> ClientId {
        ClientId(self.clients.fetch_add(1, Ordering::Relaxed))
    }

    /// Why a WebSocket is over that did not end by itself.
    pub(super) fn why_over(&self, authenticated: bool) -> Leaving {
        if self.stopping.is_cancelled() {
            Leaving::STOPPING
        } else if authenticated {
            Leaving::TOO_SLOW
        } else {
            Leaving::DISPLACED
        }
    }

    /// Tells something about the runs of a session.
    pub(super) fn tell_of_run(
        &self,
        audience: Audience,
        session: SessionId,
        message: &ServerMessage,
        at: u64,
    ) {
        let meaning = match message {
            ServerMessage::RecipeStarted(_) => Meaning::Started,
            ServerMessage::RecipeExited(_) => Meaning::Exited,
            _ => Meaning::Other,
        };
        self.hub.tell_of_run(audience, session, Update::Told(frame(message), meaning), at);
    }

    /// Marks the place, in what all clients are told about a session, behind which a request is answered.
    pub(super) fn announce(&self, session: SessionId, announced: Announced, at: u64) {
        self.hub.tell_of_run(Audience::Everybody, session, Update::Announced(announced), at);
    }
}
