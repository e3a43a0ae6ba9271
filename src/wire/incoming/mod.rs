//! What clients say. A message is one line in the list below, one struct, and one handler of the server's.

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

/// Makes the enum from the list of its messages: each with its type on the wire, and other names that clients use for it.
macro_rules! client_messages {
    ($(
        $(#[$doc:meta])*
        $variant:ident $(($body:ident))? = $name:literal $(or $alias:literal)*,
    )*) => {
        /// Something a client says. It is written and read as JSON, with its `type`.
        ///
        /// ```
        /// use surefire::wire::ClientMessage;
        ///
        /// assert_eq!(ClientMessage::read(r#"{"type": "ping", "mood": "fine"}"#), Ok(ClientMessage::Ping));
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
            /// The types of messages that clients send, by the names they have on the wire.
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
    /// Who the client is.
    Connect(Connect) = "connect",
    /// Whether the server is there.
    Ping = "ping",
    /// Which recipes there are.
    GetAvailableRecipes = "get_available_recipes",
    /// To start a recipe.
    StartRecipe(StartRecipe) = "start_recipe",
    /// To resume a run that has ended.
    ResumeRun(ResumeRun) = "resume_run",
    /// To end the run of a session. One client calls it otherwise.
    ExitRecipe(ExitRecipe) = "exit_recipe" or "stop_recipe",
    /// How a run is shown.
    GetRunView(GetRunView) = "get_run_view",
    /// To merge what a run did in a worktree of its own.
    MergeRun(MergeRun) = "merge_run",
    /// To throw away what a run did in a worktree of its own.
    DiscardRun(DiscardRun) = "discard_run",
    /// Whether the repository of a directory is trusted.
    GetDirectoryTrust(GetDirectoryTrust) = "get_directory_trust",
    /// To trust the repository of a directory.
    TrustDirectory(TrustDirectory) = "trust_directory",
    /// To trust it no longer.
    UntrustDirectory(UntrustDirectory) = "untrust_directory",
    /// To delete runs that are long over.
    PruneRuns(PruneRuns) = "prune_runs",
    /// To delete old sessions.
    PruneSessions(PruneSessions) = "prune_sessions",
    /// To switch recipes on or off.
    SetOrchestration(SetOrchestration) = "set_orchestration",
    /// To say something to a session's agent.
    Prompt(Prompt) = "prompt",
    /// To hear what is said in a session.
    Subscribe(Subscribe) = "subscribe",
    /// To hear it no longer.
    Unsubscribe(Unsubscribe) = "unsubscribe",
    /// That the client has deleted a session on its side.
    SessionDeleted(Unsubscribe) = "session_deleted",
    /// That something reached the client.
    MessageAck = "message_ack",
    /// How large a message may be.
    SetMaxMessageSize(SetMaxMessageSize) = "set_max_message_size",
    /// Which sessions there are.
    RefreshSessions(RefreshSessions) = "refresh_sessions",
    /// To end everything that is running in a session.
    KillSession(KillSession) = "kill_session",
    /// To shorten a session's conversation: not done here, as all that follow.
    CompactSession(UnsupportedInSession) = "compact_session",
    /// To find a name for a session.
    InferSessionName(UnsupportedInSession) = "infer_session_name",
    /// To run a command in a shell.
    ExecuteCommand(ExecuteCommand) = "execute_command",
    /// Which commands were run.
    GetCommandHistory = "get_command_history",
    /// What a command has printed.
    GetCommandOutput = "get_command_output",
    /// To make a worktree and a session in it.
    CreateWorktreeSession = "create_worktree_session",
    /// To take a file.
    UploadFile = "upload_file",
    /// Which files there are.
    ListResources = "list_resources",
    /// To delete a file.
    DeleteResource = "delete_resource",
    /// Which commands there are in a directory.
    SetDirectory(SetDirectory) = "set_directory",
    /// Which branch a directory is on.
    GetGitBranch(GetGitBranch) = "get_git_branch",
}
