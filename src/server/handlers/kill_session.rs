//! `kill_session`: a client wants whatever goes on in a session to end.

use super::desk::Desk;
use crate::wire::{KillSession, ServerMessage, SessionKilled, TurnComplete};

pub(super) async fn handle(desk: &mut Desk<'_>, message: KillSession) {
    let session_id = message.session_id;
    match desk.shared.engine.kill(session_id).await {
        // If a run was on, everybody is told of its end.
        Ok(_) => {
            let killed = SessionKilled { session_id, message: "Session killed".to_owned() };
            desk.say(&ServerMessage::SessionKilled(killed));
            desk.say(&ServerMessage::TurnComplete(TurnComplete { session_id, aborted: true }));
        }
        Err(error) => desk.failed(Some(session_id), &error),
    }
}
