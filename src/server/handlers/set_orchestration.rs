//! `set_orchestration`: a client switches recipes on or off.

use super::desk::Desk;
use crate::server::broadcast::hub::{Audience, Meaning, Update, frame};
use crate::wire::{OrchestrationSet, ServerMessage, SetOrchestration};

pub(super) async fn handle(desk: &mut Desk<'_>, message: SetOrchestration) {
    let SetOrchestration { enabled, session_id } = message;
    match desk.shared.engine.set_orchestration(session_id, enabled).await {
        // For everybody, since everybody shows the switch.
        Ok(()) => {
            let set = ServerMessage::OrchestrationSet(OrchestrationSet { enabled, session_id });
            desk.shared.hub.tell(Audience::Everybody, &Update::Told(frame(&set), Meaning::Other));
        }
        Err(error) => desk.failed(session_id, &error),
    }
}
