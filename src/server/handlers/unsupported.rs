//! What other servers of the app do and this one does not: refused in the words that the app knows, never with silence.

use super::context::{RequestContext, error};
use super::reply::Reply;
use crate::wire::{
    AvailableCommands, CommandError, CommandHistory, CompactionError, ErrorCode, ExecuteCommand,
    GetGitBranch, GitBranch, InferNameError, ResourcesList, ServerMessage, SetDirectory,
    UnsupportedInSession, WorktreeSessionError,
};

pub(super) fn compact_session(context: &RequestContext<'_>, message: UnsupportedInSession) -> Reply {
    let error = not("Compacting a session");
    let refusal = CompactionError { session_id: message.session_id, error: error.clone() };
    in_its_own_words(context, ServerMessage::CompactionError(refusal), error)
}

pub(super) fn infer_session_name(context: &RequestContext<'_>, message: UnsupportedInSession) -> Reply {
    let error = not("Finding a name for a session");
    let refusal = InferNameError { session_id: message.session_id, error: error.clone() };
    in_its_own_words(context, ServerMessage::InferNameError(refusal), error)
}

pub(super) fn execute_command(context: &RequestContext<'_>, message: ExecuteCommand) -> Reply {
    let error = not("Running commands");
    let refusal = CommandError { command_id: message.command_id.unwrap_or_default(), error: error.clone() };
    in_its_own_words(context, ServerMessage::CommandError(refusal), error)
}

pub(super) fn create_worktree_session(context: &RequestContext<'_>) -> Reply {
    let error = not("Making a worktree");
    let refusal = WorktreeSessionError { success: false, error: error.clone() };
    in_its_own_words(context, ServerMessage::WorktreeSessionError(refusal), error)
}

pub(super) fn get_command_history() -> Reply {
    ServerMessage::CommandHistory(CommandHistory::default()).into()
}

pub(super) fn get_command_output() -> Reply {
    refusal(not("Running commands")).into()
}

pub(super) fn upload_file() -> Reply {
    refusal(not("Uploading files")).into()
}

pub(super) fn delete_resource() -> Reply {
    refusal(not("Deleting files")).into()
}

/// The app waits for the list, whatever else it is told.
pub(super) fn list_resources() -> Reply {
    let list = ServerMessage::ResourcesList(ResourcesList::default());
    Reply::from(refusal(not("Listing files"))).then(list)
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

fn not(what: &str) -> String {
    format!("{what} is not supported by this server")
}

fn refusal(words: String) -> ServerMessage {
    error(None, ErrorCode::NotSupported, words)
}

/// A refusal that is a message of its own. It carries no request's id, so a request that has one gets an `error` as well.
fn in_its_own_words(context: &RequestContext<'_>, refused: ServerMessage, words: String) -> Reply {
    let reply = Reply::from(refused);
    if context.has_id { reply.then(refusal(words)) } else { reply }
}
