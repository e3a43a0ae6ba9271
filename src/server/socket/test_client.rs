//! For tests only: a client without a socket, to throw anything at.

use std::net::Ipv4Addr;
use std::sync::Arc;

use super::dialogue::Dialogue;
use crate::server::Server;
use crate::server::net::peer::Peer;

/// A client that is spoken for by hand.
pub struct ByHand {
    dialogue: Dialogue,
}

impl ByHand {
    /// A client that has just been greeted by this server.
    #[must_use]
    pub fn new(server: &Server) -> Self {
        let peer = Peer { address: Ipv4Addr::LOCALHOST.into(), same_user: false };
        let over = server.shared.stopping.child_token();
        Self { dialogue: Dialogue::new(Arc::clone(&server.shared), (peer, None), over, None) }
    }

    /// Says something, and gives back all that the server says to it; `None` once the server has closed the socket.
    pub async fn say(&mut self, text: &str) -> Option<Vec<String>> {
        if self.dialogue.replies.leaving.is_some() {
            return None;
        }
        self.dialogue.hear(text).await;
        Some(self.dialogue.replies.take().iter().map(ToString::to_string).collect())
    }

    /// What everybody was told meanwhile.
    pub async fn told(&mut self) -> Vec<String> {
        while let Some(update) = self.dialogue.client.as_mut().and_then(|client| client.inbox.try_next()) {
            self.dialogue.pass_on(update).await;
        }
        self.dialogue.replies.take().iter().map(ToString::to_string).collect()
    }
}
