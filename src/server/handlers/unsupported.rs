//! Requests that other servers of the app support and this one does not: refused with errors that
//! the app understands, never ignored.

use super::context::{RequestContext, error};
use super::reply::Reply;
use crate::wire::{
    AvailableCommands, CommandError, CommandHistory, CompactionError, ErrorCode, ExecuteCommand,
    GetGitBranch, GitBranch, InferNameError, ResourcesList, ServerMessage, SetDirectory,
    UnsupportedInSession, WorktreeSessionError,
};

pub(super) fn compact_session(
    context: &RequestContext<'_>,
    message: UnsupportedInSession,
) -> Reply {
    let error = not_supported("Compacting a session");
    let refusal = CompactionError { session_id: message.session_id, error: error.clone() };
    refuse_with(context, ServerMessage::CompactionError(refusal), error)
}

pub(super) fn infer_session_name(
    context: &RequestContext<'_>,
    message: UnsupportedInSession,
) -> Reply {
    let error = not_supported("Finding a name for a session");
    let refusal = InferNameError { session_id: message.session_id, error: error.clone() };
    refuse_with(context, ServerMessage::InferNameError(refusal), error)
}

pub(super) fn execute_command(context: &RequestContext<'_>, message: ExecuteCommand) -> Reply {
    let error = not_supported("Running commands");
    let refusal =
        CommandError { command_id: message.command_id.unwrap_or_default(), error: error.clone() };
    refuse_with(context, ServerMessage::CommandError(refusal), error)
}

pub(super) fn create_worktree_session(context: &RequestContext<'_>) -> Reply {
    let error = not_supported("Making a worktree");
    let refusal = WorktreeSessionError { success: false, error: error.clone() };
    refuse_with(context, ServerMessage::WorktreeSessionError(refusal), error)
}

pub(super) fn get_command_history() -> Reply {
    ServerMessage::CommandHistory(CommandHistory::default()).into()
}

pub(super) fn get_command_output() -> Reply {
    refusal(not_supported("Running commands")).into()
}

pub(super) fn upload_file() -> Reply {
    refusal(not_supported("Uploading files")).into()
}

pub(super) fn delete_resource() -> Reply {
    refusal(not_supported("Deleting files")).into()
}

/// The app waits for the list, whatever else it receives.
pub(super) fn list_resources() -> Reply {
    let list = ServerMessage::ResourcesList(ResourcesList::default());
    Reply::from(refusal(not_supported("Listing files"))).then(list)
}

pub(super) fn set_directory(message: SetDirectory) -> Reply {
    let working_directory = message.path.unwrap_or_default();
    let none = AvailableCommands { working_directory, ..AvailableCommands::default() };
    ServerMessage::AvailableCommands(none).into()
}

pub(super) fn get_git_branch(message: GetGitBranch) -> Reply {
    let working_directory = message.working_directory.unwrap_or_default();
    ServerMessage::GitBranch(GitBranch { working_directory, ..GitBranch::default() }).into()
}

fn not_supported(what: &str) -> String {
    format!("{what} is not supported by this server")
}

fn refusal(words: String) -> ServerMessage {
    error(None, ErrorCode::NotSupported, words)
}

/// A refusal with a message type of its own. It carries no request id, so a request that has one
/// gets an `error` as well.
fn refuse_with(context: &RequestContext<'_>, refused: ServerMessage, words: String) -> Reply {
    let reply = Reply::from(refused);
    if context.has_id { reply.then(refusal(words)) } else { reply }
}
