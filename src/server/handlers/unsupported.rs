//! What other servers of the app do and this one does not: refused in the words that the app knows, never with silence.

use super::desk::Desk;
use crate::wire::{
    AvailableCommands, CommandError, CommandHistory, CompactionError, ErrorCode, GitBranch, InferNameError,
    NotOurs, ResourcesList, ServerMessage, WorktreeSessionError,
};

pub(super) fn handle(desk: &mut Desk<'_>, message: NotOurs) {
    let not = |what: &str| format!("{what} is not supported by this server");
    let answer = match message {
        NotOurs::CompactSession { session } => ServerMessage::CompactionError(CompactionError {
            session_id: session,
            error: not("Compacting a session"),
        }),
        NotOurs::InferSessionName { session } => ServerMessage::InferNameError(InferNameError {
            session_id: session,
            error: not("Finding a name for a session"),
        }),
        NotOurs::ExecuteCommand { command } => ServerMessage::CommandError(CommandError {
            command_id: command.unwrap_or_default(),
            error: not("Running commands"),
        }),
        NotOurs::GetCommandHistory => ServerMessage::CommandHistory(CommandHistory::default()),
        NotOurs::CreateWorktreeSession => ServerMessage::WorktreeSessionError(WorktreeSessionError {
            success: false,
            error: not("Making a worktree"),
        }),
        // The app waits for the list, whatever else it is told.
        NotOurs::ListResources => {
            refuse(desk, not("Listing files"));
            ServerMessage::ResourcesList(ResourcesList::default())
        }
        NotOurs::SetDirectory { directory } => ServerMessage::AvailableCommands(AvailableCommands {
            working_directory: directory.unwrap_or_default(),
            ..AvailableCommands::default()
        }),
        NotOurs::GetGitBranch { directory } => ServerMessage::GitBranch(GitBranch {
            working_directory: directory.unwrap_or_default(),
            ..GitBranch::default()
        }),
        NotOurs::GetCommandOutput => return refuse(desk, not("Running commands")),
        NotOurs::UploadFile => return refuse(desk, not("Uploading files")),
        NotOurs::DeleteResource => return refuse(desk, not("Deleting files")),
    };
    desk.say(&answer);
}

fn refuse(desk: &mut Desk<'_>, words: String) {
    desk.error(None, ErrorCode::NotSupported, words);
}
