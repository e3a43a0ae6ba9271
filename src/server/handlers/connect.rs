//! `connect`: a client shows the key, and is sent the current state.

use tokio_util::sync::CancellationToken;

use crate::Remedy;
use crate::server::broadcast::update::ClientId;
use crate::server::net::auth::{self, Credentials};
use crate::server::net::caller::Caller;
use crate::server::net::connection_limit::Slot;
use crate::server::shared::Shared;
use crate::server::socket::client::Client;
use crate::server::socket::outgoing_frames::{CloseReason, OutgoingFrames};
use crate::server::socket::read;
use crate::wire::{
    AuthError, AvailableCommands, Connect, Connected, ErrorCode, ErrorMessage, ProtocolVersion,
    RequestId, ServerMessage,
};

/// How many characters of a version that is too old the error repeats.
const MAX_SHOWN_VERSION_CHARS: usize = 40;

/// A connection whose client wants to authenticate.
pub(in crate::server) struct ConnectContext<'a> {
    pub(in crate::server) shared: &'a Shared,
    pub(in crate::server) id: ClientId,
    pub(in crate::server) caller: &'a Caller,
    pub(in crate::server) over: &'a CancellationToken,
    /// The connection's slot; a test client has none.
    pub(in crate::server) slot: Option<&'a mut Slot>,
    pub(in crate::server) replies: &'a mut OutgoingFrames,
}

/// Replies, and returns the client if it is authenticated. A client that connects again starts
/// over.
///
/// It queues its reply itself: until there is a client, there is no broadcast to order the reply
/// after.
pub(in crate::server) async fn handle(
    context: ConnectContext<'_>,
    connect: Connect,
    request_id: Option<RequestId>,
) -> Option<Client> {
    let ConnectContext { shared, id, caller, over, slot, replies } = context;
    let Caller { peer, may_widen, .. } = *caller;
    // Before the key: a client that is too old would not understand why it was refused.
    if let Some((version, received)) = &connect.protocol_version
        && version.is_too_old()
    {
        replies.queue(&ServerMessage::Error(ErrorMessage {
            message: format!("Client is too old; {}", Remedy::UpgradeClient),
            remedy: Some(Remedy::UpgradeClient.to_string()),
            code: Some(ErrorCode::UnsupportedProtocolVersion),
            required: Some(ProtocolVersion::OLDEST.to_string()),
            received: Some(received.chars().take(MAX_SHOWN_VERSION_CHARS).collect()),
            request_id,
            ..ErrorMessage::default()
        }));
        replies.close(CloseReason::TOO_OLD);
        return None;
    }
    let credentials =
        Credentials { key: connect.api_key.as_deref(), cookies: caller.cookies.as_deref() };
    let Ok(authenticated) = auth::check(shared, peer, credentials, over).await else {
        replies.queue(&ServerMessage::AuthError(AuthError::default()));
        replies.close(CloseReason::NOT_AUTHENTICATED);
        return None;
    };
    // Before anything is read: reading may take long, and the slot could be given to another
    // connection meanwhile.
    if let Some(Err(close_reason)) = slot.map(Slot::authenticate) {
        replies.take();
        replies.close(close_reason);
        return None;
    }
    let negotiated =
        ProtocolVersion::negotiate(connect.protocol_version.as_ref().map(|(version, _)| *version));
    replies.queue(&ServerMessage::Connected(Connected {
        message: "Session registered".to_owned(),
        session_id: connect.session_id.clone(),
        negotiated_protocol_version: negotiated.to_string(),
        may_widen: may_widen.is_some(),
    }));
    // Before the lists are read, so that no update falls between the two.
    let (inbox, runs) =
        shared.hub.enter(id, connect.spacing, &shared.limits, over.clone(), shared.clock.now());
    for message in read::lists(shared, connect.recent_sessions_limit).await {
        replies.queue(&message);
    }
    replies.queue(&ServerMessage::AvailableCommands(AvailableCommands::default()));
    replies.queue(&read::recipes(shared).await);
    for frame in runs {
        replies.queue_frame(frame);
    }
    Some(Client::new(authenticated, (peer, may_widen), id, inbox, &connect, &shared.viewers))
}
