//! What all connections share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::broadcast::hub::Hub;
use super::broadcast::update::{
    Announced, Audience, ClientId, ClientUpdate, Frame, FrameKind, frame,
};
use super::broadcast::viewers::Viewers;
use super::limits::ServerLimits;
use super::net::allowed_hosts::AllowedHosts;
use super::net::auth_throttle::AuthThrottle;
use super::net::connection_limit::ConnectionLimit;
use super::net::descriptors::SocketBudget;
use super::net::key::ApiKey;
use super::socket::outgoing_frames::CloseReason;
use crate::Catalog;
use crate::agent::Agent;
use crate::engine::{Backend, Clock, Roots};
use crate::run::SessionId;
use crate::wire::ServerMessage;

pub(super) struct Shared {
    pub(super) engine: Arc<dyn Backend>,
    pub(super) catalog: Catalog,
    /// The first one is the default.
    pub(super) agents: Vec<Arc<dyn Agent>>,
    /// A directory to propose to a client without sessions.
    pub(super) proposed_directory: Option<String>,
    /// The roots, if a process of the same user may add to them.
    pub(super) growing_roots: Option<Roots>,
    pub(super) clock: Clock,
    pub(super) key: ApiKey,
    pub(super) limits: ServerLimits,
    pub(super) names: AllowedHosts,
    pub(super) throttle: AuthThrottle,
    pub(super) socket_budget: SocketBudget,
    pub(super) connections: Arc<ConnectionLimit>,
    pub(super) hub: Hub,
    pub(super) viewers: Viewers,
    /// The global sequence number of the last event that was published to clients.
    pub(super) followed: watch::Sender<u64>,
    /// The reply to every ping, serialized once.
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

    /// Why a WebSocket is closed when its token is cancelled.
    pub(super) fn close_reason(&self, authenticated: bool) -> CloseReason {
        if self.stopping.is_cancelled() {
            CloseReason::STOPPING
        } else if authenticated {
            CloseReason::TOO_SLOW
        } else {
            CloseReason::DISPLACED
        }
    }

    /// Publishes a message about the runs of a session.
    pub(super) fn publish_run(
        &self,
        audience: Audience,
        session: SessionId,
        message: &ServerMessage,
        at: u64,
    ) {
        let kind = match message {
            ServerMessage::RecipeStarted(_) => FrameKind::Started,
            ServerMessage::RecipeExited(_) => FrameKind::Exited,
            _ => FrameKind::Other,
        };
        self.hub.publish_run(audience, session, ClientUpdate::Message(frame(message), kind), at);
    }

    /// Marks the point in a session's broadcast after which a request is answered.
    pub(super) fn announce(&self, session: SessionId, announced: Announced, at: u64) {
        self.hub.publish_run(Audience::All, session, ClientUpdate::Announced(announced), at);
    }
}
