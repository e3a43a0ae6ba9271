//! `kill_session`: a client stops everything that is running in a session.

use super::context::{RequestContext, failed};
use super::reply::Reply;
use crate::wire::{KillSession, ServerMessage, SessionKilled, TurnComplete};

pub(super) async fn handle(context: &mut RequestContext<'_>, message: KillSession) -> Reply {
    let session_id = message.session_id;
    match context.shared.engine.kill(session_id).await {
        // If a run was running, all clients are sent its end.
        Ok(_) => {
            let killed = SessionKilled { session_id, message: "Session killed".to_owned() };
            let turn = TurnComplete { session_id, aborted: true };
            Reply::from(ServerMessage::SessionKilled(killed))
                .then(ServerMessage::TurnComplete(turn))
        }
        Err(error) => failed(Some(session_id), &error).into(),
    }
}
