//! `connect`: a client shows the key, and is told how things are.

use tokio_util::sync::CancellationToken;

use crate::Remedy;
use crate::server::broadcast::update::ClientId;
use crate::server::net::auth;
use crate::server::net::connection_limit::Slot;
use crate::server::net::peer::Peer;
use crate::server::net::widening::MayWiden;
use crate::server::shared::Shared;
use crate::server::socket::client::Client;
use crate::server::socket::read;
use crate::server::socket::replies::{Leaving, Replies};
use crate::wire::{
    AuthError, AvailableCommands, Connect, Connected, ErrorCode, ErrorMessage, ProtocolVersion, RequestId,
    ServerMessage,
};

/// How much of a version that is too old is repeated.
const RECEIVED: usize = 40;

/// The connection that a client comes over.
pub(in crate::server) struct Arriving<'a> {
    pub(in crate::server) shared: &'a Shared,
    pub(in crate::server) id: ClientId,
    pub(in crate::server) peer: Peer,
    pub(in crate::server) may_widen: Option<MayWiden>,
    pub(in crate::server) over: &'a CancellationToken,
    /// Its slot among the connections that have not shown the key, if it has one.
    pub(in crate::server) slot: Option<&'a mut Slot>,
    pub(in crate::server) replies: &'a mut Replies,
}

/// Answers, and gives back the client if it may come in. One that comes in again begins anew.
///
/// It writes its answer itself: until there is a client, there is no broadcast to put it behind.
pub(in crate::server) async fn handle(
    arriving: Arriving<'_>,
    connect: Connect,
    request_id: Option<RequestId>,
) -> Option<Client> {
    let Arriving { shared, id, peer, may_widen, over, slot, replies } = arriving;
    // Before the key: a client that is too old would not understand what is wrong with it.
    if let Some((version, received)) = &connect.protocol_version
        && version.is_too_old()
    {
        replies.say(&ServerMessage::Error(ErrorMessage {
            message: format!("Client is too old; {}", Remedy::UpgradeClient),
            remedy: Some(Remedy::UpgradeClient.to_string()),
            code: Some(ErrorCode::UnsupportedProtocolVersion),
            required: Some(ProtocolVersion::OLDEST.to_string()),
            received: Some(received.chars().take(RECEIVED).collect()),
            request_id,
            ..ErrorMessage::default()
        }));
        replies.leave(Leaving::TOO_OLD);
        return None;
    }
    let Ok(authenticated) = auth::check(shared, peer, connect.api_key.as_deref(), over).await else {
        replies.say(&ServerMessage::AuthError(AuthError::default()));
        replies.leave(Leaving::NOT_AUTHENTICATED);
        return None;
    };
    // Before anything is read: reading may take long, and the slot could be given to another connection meanwhile.
    if let Some(Err(leaving)) = slot.map(Slot::authenticate) {
        replies.take();
        replies.leave(leaving);
        return None;
    }
    let spoken = ProtocolVersion::negotiate(connect.protocol_version.as_ref().map(|(version, _)| *version));
    replies.say(&ServerMessage::Connected(Connected {
        message: "Session registered".to_owned(),
        session_id: connect.session_id.clone(),
        negotiated_protocol_version: spoken.to_string(),
        may_widen: may_widen.is_some(),
    }));
    // Before the lists are read: what happens after that is told, and nothing falls between the two.
    let (inbox, runs) =
        shared.hub.enter(id, connect.spacing, &shared.limits, over.clone(), shared.clock.now());
    for message in read::lists(shared, connect.recent_sessions_limit).await {
        replies.say(&message);
    }
    replies.say(&ServerMessage::AvailableCommands(AvailableCommands::default()));
    replies.say(&read::recipes(shared).await);
    for frame in runs {
        replies.put(frame);
    }
    Some(Client::new(authenticated, (peer, may_widen), id, inbox, &connect, &shared.viewers))
}
