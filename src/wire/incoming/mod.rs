//! The messages that clients send. Each is one line in the list below, one struct, and one handler
//! of the server.

mod connect;
mod directory_trust;
mod end_worktree;
mod exit_recipe;
mod get_run_view;
mod kill_session;
mod limits;
mod prompt;
mod prune;
mod refresh_sessions;
mod request;
mod resume_run;
mod set_max_message_size;
mod set_orchestration;
mod start_recipe;
mod subscribe;
mod unsubscribe;
mod unsupported;

use serde::{Deserialize, Serialize};

pub use connect::Connect;
pub use directory_trust::{GetDirectoryTrust, TrustDirectory, UntrustDirectory};
pub use end_worktree::{DiscardRun, MergeRun};
pub use exit_recipe::ExitRecipe;
pub use get_run_view::GetRunView;
pub use kill_session::KillSession;
pub use limits::WantedLimits;
pub use prompt::{Prompt, PromptTo};
pub use prune::{PruneRuns, PruneSessions};
pub use refresh_sessions::RefreshSessions;
pub use request::Request;
pub use resume_run::ResumeRun;
pub use set_max_message_size::SetMaxMessageSize;
pub use set_orchestration::SetOrchestration;
pub use start_recipe::{IfUntrusted, StartIn, StartRecipe};
pub use subscribe::Subscribe;
pub use unsubscribe::Unsubscribe;
pub use unsupported::{ExecuteCommand, GetGitBranch, SetDirectory, UnsupportedInSession};

use super::fields::{FieldError, Fields};

/// Declares the enum from the list of messages: each with its type on the wire, and the other names
/// that clients use for it.
macro_rules! client_messages {
    ($(
        $(#[$doc:meta])*
        $variant:ident $(($body:ident))? = $name:literal $(or $alias:literal)*,
    )*) => {
        /// A message that a client sends. It is JSON, tagged with its `type`.
        ///
        /// ```
        /// use surefire::wire::ClientMessage;
        ///
        /// let read = ClientMessage::read(r#"{"type": "ping", "mood": "fine"}"#);
/// assert_eq!(read, Ok(ClientMessage::Ping));
        /// assert_eq!(serde_json::to_string(&ClientMessage::Ping).unwrap(), r#"{"type":"ping"}"#);
        ///
        /// let refused = ClientMessage::read(r#"{"type": "start_recipe"}"#).unwrap_err();
        /// assert_eq!(refused.why.to_string(), "session_id required in start_recipe message");
        /// ```
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[serde(tag = "type")]
        pub enum ClientMessage {
            $($(#[$doc])* #[serde(rename = $name)] $variant $(($body))?,)*
        }

        impl ClientMessage {
            /// The types of the messages that clients send, by their names on the wire.
            ///
            /// ```
            /// use surefire::wire::ClientMessage;
            ///
            /// assert!(ClientMessage::TYPES.contains(&"start_recipe"));
            /// ```
            pub const TYPES: &[&str] = &[$($name, $($alias,)*)*];

            /// Reads the fields of a message of one of the [`TYPES`](Self::TYPES).
            fn of_type(kind: &str, fields: Fields) -> Result<Self, FieldError> {
                match kind {
                    $($name $(| $alias)* => client_messages!(@read $variant, fields $(, $body)?),)*
                    _ => Err(serde::de::Error::custom("type")),
                }
            }
        }
    };
    (@read $variant:ident, $fields:ident) => { Ok(Self::$variant) };
    (@read $variant:ident, $fields:ident, $body:ident) => { $body::deserialize($fields).map(Self::$variant) };
}

client_messages! {
    /// Authenticates the client, and announces what it wants to receive.
    Connect(Connect) = "connect",
    /// Asks whether the server still answers.
    Ping = "ping",
    /// Asks for the recipes.
    GetAvailableRecipes = "get_available_recipes",
    /// Starts a recipe.
    StartRecipe(StartRecipe) = "start_recipe",
    /// Resumes a run that has ended.
    ResumeRun(ResumeRun) = "resume_run",
    /// Ends the run of a session. One client sends it under the other name.
    ExitRecipe(ExitRecipe) = "exit_recipe" or "stop_recipe",
    /// Asks for the view of a run.
    GetRunView(GetRunView) = "get_run_view",
    /// Merges the worktree of a run.
    MergeRun(MergeRun) = "merge_run",
    /// Discards the worktree of a run.
    DiscardRun(DiscardRun) = "discard_run",
    /// Asks whether the repository of a directory is trusted.
    GetDirectoryTrust(GetDirectoryTrust) = "get_directory_trust",
    /// Records that the repository of a directory is trusted.
    TrustDirectory(TrustDirectory) = "trust_directory",
    /// Deletes that record.
    UntrustDirectory(UntrustDirectory) = "untrust_directory",
    /// Deletes runs that ended long ago.
    PruneRuns(PruneRuns) = "prune_runs",
    /// Deletes old sessions.
    PruneSessions(PruneSessions) = "prune_sessions",
    /// Switches recipes on or off.
    SetOrchestration(SetOrchestration) = "set_orchestration",
    /// Prompts a session's agent.
    Prompt(Prompt) = "prompt",
    /// Subscribes to a session's conversation.
    Subscribe(Subscribe) = "subscribe",
    /// Unsubscribes from a session's conversation.
    Unsubscribe(Unsubscribe) = "unsubscribe",
    /// Reports that the client has deleted a session on its side.
    SessionDeleted(Unsubscribe) = "session_deleted",
    /// Reports that a message reached the client.
    MessageAck = "message_ack",
    /// Sets how large a message to the client may be.
    SetMaxMessageSize(SetMaxMessageSize) = "set_max_message_size",
    /// Asks for the lists of sessions.
    RefreshSessions(RefreshSessions) = "refresh_sessions",
    /// Stops everything that is running in a session.
    KillSession(KillSession) = "kill_session",
    /// Shortens a session's conversation. Not supported, like everything below.
    CompactSession(UnsupportedInSession) = "compact_session",
    /// Infers a name for a session.
    InferSessionName(UnsupportedInSession) = "infer_session_name",
    /// Runs a command in a shell.
    ExecuteCommand(ExecuteCommand) = "execute_command",
    /// Asks which commands were run.
    GetCommandHistory = "get_command_history",
    /// Asks what a command has printed.
    GetCommandOutput = "get_command_output",
    /// Creates a worktree and a session in it.
    CreateWorktreeSession = "create_worktree_session",
    /// Uploads a file.
    UploadFile = "upload_file",
    /// Asks for the uploaded files.
    ListResources = "list_resources",
    /// Deletes an uploaded file.
    DeleteResource = "delete_resource",
    /// Asks for the commands in a directory.
    SetDirectory(SetDirectory) = "set_directory",
    /// Asks for the branch that a directory is on.
    GetGitBranch(GetGitBranch) = "get_git_branch",
}
