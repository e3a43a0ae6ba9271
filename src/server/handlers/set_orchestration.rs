//! `set_orchestration`: a client switches recipes on or off.

use super::context::{RequestContext, failed};
use super::reply::Reply;
use crate::server::broadcast::update::{Audience, ClientUpdate, FrameKind, frame};
use crate::wire::{OrchestrationSet, ServerMessage, SetOrchestration};

pub(super) async fn handle(context: &mut RequestContext<'_>, message: SetOrchestration) -> Reply {
    let SetOrchestration { enabled, session_id } = message;
    match context.shared.engine.set_orchestration(session_id, enabled).await {
        // For all clients, since all of them show the switch.
        Ok(()) => {
            let set = ServerMessage::OrchestrationSet(OrchestrationSet { enabled, session_id });
            context
                .shared
                .hub
                .publish(Audience::All, &ClientUpdate::Message(frame(&set), FrameKind::Other));
            Reply::nothing()
        }
        Err(error) => failed(session_id, &error).into(),
    }
}
