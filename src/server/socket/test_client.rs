//! For tests only: a client without a socket, which can send any text.

use std::net::Ipv4Addr;
use std::sync::Arc;

use super::client_session::ClientSession;
use crate::server::Server;
use crate::server::net::caller::Caller;
use crate::server::net::peer::Peer;

/// A client whose messages a test writes.
pub struct TestClient {
    client_session: ClientSession,
}

impl TestClient {
    /// A client that has just been greeted by this server.
    #[must_use]
    pub fn new(server: &Server) -> Self {
        let peer = Peer { address: Ipv4Addr::LOCALHOST.into(), same_user: false };
        let over = server.shared.stopping.child_token();
        let caller = Caller { peer, may_widen: None, cookies: None };
        Self { client_session: ClientSession::new(Arc::clone(&server.shared), caller, over, None) }
    }

    /// Sends a text, and returns the replies; `None` once the server has closed the socket.
    pub async fn send(&mut self, text: &str) -> Option<Vec<String>> {
        if self.client_session.replies.close_reason.is_some() {
            return None;
        }
        self.client_session.receive(text).await;
        Some(self.client_session.replies.take().iter().map(ToString::to_string).collect())
    }

    /// The broadcast updates since the last call.
    pub async fn updates(&mut self) -> Vec<String> {
        while let Some(update) =
            self.client_session.client.as_mut().and_then(|client| client.inbox.try_next())
        {
            self.client_session.forward(update).await;
        }
        self.client_session.replies.take().iter().map(ToString::to_string).collect()
    }
}
