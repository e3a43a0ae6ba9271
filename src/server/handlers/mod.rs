//! How each client message is handled: one file each. A handler returns its reply, and sends
//! nothing itself.

pub(super) mod connect;
mod context;
mod directory_trust;
mod end_worktree;
mod exit_recipe;
mod get_available_recipes;
mod get_run_view;
mod kill_session;
mod prompt;
mod prune_runs;
mod prune_sessions;
mod refresh_sessions;
mod reply;
mod resume_run;
mod set_max_message_size;
mod set_orchestration;
mod start_recipe;
mod subscribe;
mod unsubscribe;
mod unsupported;
mod widening;

pub(super) use context::RequestContext;
pub(super) use reply::Reply;

use crate::wire::ClientMessage;

/// Dispatches a message to its handler.
pub(super) async fn handle(context: &mut RequestContext<'_>, message: ClientMessage) -> Reply {
    match message {
        // The first two were answered before authentication, and the third needs no reply.
        ClientMessage::Connect(_) | ClientMessage::Ping | ClientMessage::MessageAck => {
            Reply::nothing()
        }
        ClientMessage::GetAvailableRecipes => get_available_recipes::handle(context).await,
        ClientMessage::StartRecipe(message) => start_recipe::handle(context, message).await,
        ClientMessage::ResumeRun(message) => resume_run::handle(context, message).await,
        ClientMessage::ExitRecipe(message) => exit_recipe::handle(context, message).await,
        ClientMessage::GetRunView(message) => get_run_view::handle(context, message).await,
        ClientMessage::MergeRun(message) => end_worktree::merge(context, message).await,
        ClientMessage::DiscardRun(message) => end_worktree::discard(context, message).await,
        ClientMessage::GetDirectoryTrust(message) => directory_trust::get(context, message).await,
        ClientMessage::TrustDirectory(message) => directory_trust::trust(context, message).await,
        ClientMessage::UntrustDirectory(message) => {
            directory_trust::untrust(context, message).await
        }
        ClientMessage::PruneRuns(message) => prune_runs::handle(context, message).await,
        ClientMessage::PruneSessions(message) => prune_sessions::handle(context, message).await,
        ClientMessage::SetOrchestration(message) => {
            set_orchestration::handle(context, message).await
        }
        ClientMessage::Prompt(message) => prompt::handle(context, message).await,
        ClientMessage::Subscribe(message) => subscribe::handle(context, message).await,
        ClientMessage::Unsubscribe(message) | ClientMessage::SessionDeleted(message) => {
            unsubscribe::handle(context, message)
        }
        ClientMessage::SetMaxMessageSize(message) => set_max_message_size::handle(context, message),
        ClientMessage::RefreshSessions(message) => refresh_sessions::handle(context, message).await,
        ClientMessage::KillSession(message) => kill_session::handle(context, message).await,
        ClientMessage::CompactSession(message) => unsupported::compact_session(context, message),
        ClientMessage::InferSessionName(message) => {
            unsupported::infer_session_name(context, message)
        }
        ClientMessage::ExecuteCommand(message) => unsupported::execute_command(context, message),
        ClientMessage::GetCommandHistory => unsupported::get_command_history(),
        ClientMessage::GetCommandOutput => unsupported::get_command_output(),
        ClientMessage::CreateWorktreeSession => unsupported::create_worktree_session(context),
        ClientMessage::UploadFile => unsupported::upload_file(),
        ClientMessage::ListResources => unsupported::list_resources(),
        ClientMessage::DeleteResource => unsupported::delete_resource(),
        ClientMessage::SetDirectory(message) => unsupported::set_directory(message),
        ClientMessage::GetGitBranch(message) => unsupported::get_git_branch(message),
    }
}
