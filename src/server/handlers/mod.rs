//! What is done about each message of a client: one file each.

pub(super) mod connect;
mod desk;
mod exit_recipe;
mod get_available_recipes;
mod kill_session;
mod prompt;
mod prune_runs;
mod prune_sessions;
mod refresh_sessions;
mod resume_run;
mod set_max_message_size;
mod set_orchestration;
mod start_recipe;
mod subscribe;
mod unsubscribe;
mod unsupported;

pub(super) use super::handlers::desk::Desk;

use crate::wire::ClientMessage;

/// Hands a message to whoever handles it.
pub(super) async fn handle(desk: &mut Desk<'_>, message: ClientMessage) {
    match message {
        // The first two were answered before anybody had to be known, and the third needs no answer.
        ClientMessage::Connect(_) | ClientMessage::Ping | ClientMessage::MessageAck => {}
        ClientMessage::GetAvailableRecipes => get_available_recipes::handle(desk).await,
        ClientMessage::StartRecipe(message) => start_recipe::handle(desk, message).await,
        ClientMessage::ResumeRun(message) => resume_run::handle(desk, message).await,
        ClientMessage::ExitRecipe(message) => exit_recipe::handle(desk, message).await,
        ClientMessage::PruneRuns(message) => prune_runs::handle(desk, message).await,
        ClientMessage::PruneSessions(message) => prune_sessions::handle(desk, message).await,
        ClientMessage::SetOrchestration(message) => set_orchestration::handle(desk, message).await,
        ClientMessage::Prompt(message) => prompt::handle(desk, message).await,
        ClientMessage::Subscribe(message) => subscribe::handle(desk, message).await,
        ClientMessage::Unsubscribe(message) | ClientMessage::SessionDeleted(message) => {
            unsubscribe::handle(desk, message);
        }
        ClientMessage::SetMaxMessageSize(message) => set_max_message_size::handle(desk, message),
        ClientMessage::RefreshSessions(message) => refresh_sessions::handle(desk, message).await,
        ClientMessage::KillSession(message) => kill_session::handle(desk, message).await,
        ClientMessage::NotOurs(message) => unsupported::handle(desk, message),
    }
}
