//! The messages that the server sends. Each is one struct; `STANDARDS.md` shows them all.

mod directory_trust;
mod handshake;
mod history;
mod recipe;
mod refusals;
mod run_output;
mod run_view;
mod sessions;
mod worktree_ended;

use serde::{Deserialize, Serialize};

pub use directory_trust::DirectoryTrust;
pub use handshake::{Ack, AuthError, Connected, ErrorCode, ErrorMessage, Hello};
pub use history::{DeliveryMark, HistoryMessage, SessionHistory};
pub use recipe::{
    AvailableRecipes, OfRun, OfferedAgent, OfferedRecipe, OrchestrationRetry, OrchestrationSet,
    RecipeError, RecipeExited, RecipeStarted, RecipeStepStarted, RecipeStepTransition, RunsPruned,
    SessionsPruned,
};
pub use refusals::{
    AvailableCommands, CommandError, CommandHistory, CompactionError, GitBranch, InferNameError,
    ResourcesList, WorktreeSessionError,
};
pub use run_output::RunOutput;
pub use run_view::RunViewChanged;
pub use sessions::{
    ActiveRecipe, LastRecipe, RecentSession, RecentSessions, SessionCreated, SessionEntry,
    SessionKilled, SessionList, SessionReady, TurnComplete, WorkChanged,
};
pub use worktree_ended::WorktreeEnded;

/// A message that the server sends.
///
/// ```
/// use surefire::wire::ServerMessage;
///
/// assert_eq!(ServerMessage::Pong.to_json(), r#"{"type":"pong"}"#);
/// ```
#[derive(
    Debug, Clone, PartialEq, Serialize, Deserialize, strum::IntoStaticStr, strum::VariantNames,
)]
#[serde(tag = "type", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "a message is made once, and written at once")]
#[expect(missing_docs, reason = "each variant is named like the struct that documents it")]
#[non_exhaustive]
pub enum ServerMessage {
    Hello(Hello),
    Connected(Connected),
    AuthError(AuthError),
    Pong,
    Ack(Ack),
    Error(ErrorMessage),
    SessionList(SessionList),
    RecentSessions(RecentSessions),
    SessionCreated(SessionCreated),
    SessionReady(SessionReady),
    SessionHistory(SessionHistory),
    SessionKilled(SessionKilled),
    TurnComplete(TurnComplete),
    WorkChanged(WorkChanged),
    AvailableCommands(AvailableCommands),
    AvailableRecipes(AvailableRecipes),
    RecipeStarted(RecipeStarted),
    RecipeStepStarted(RecipeStepStarted),
    RecipeStepTransition(RecipeStepTransition),
    OrchestrationRetry(OrchestrationRetry),
    RecipeExited(RecipeExited),
    RunView(RunViewChanged),
    RunOutput(RunOutput),
    WorktreeEnded(WorktreeEnded),
    DirectoryTrust(DirectoryTrust),
    RecipeError(RecipeError),
    OrchestrationSet(OrchestrationSet),
    RunsPruned(RunsPruned),
    SessionsPruned(SessionsPruned),
    CompactionError(CompactionError),
    InferNameError(InferNameError),
    CommandError(CommandError),
    CommandHistory(CommandHistory),
    ResourcesList(ResourcesList),
    GitBranch(GitBranch),
    WorktreeSessionError(WorktreeSessionError),
}

impl ServerMessage {
    /// The `type` of every message.
    pub const TYPES: &'static [&'static str] = <Self as strum::VariantNames>::VARIANTS;

    /// Its `type` on the wire.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.into()
    }

    /// The text of its frame.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Serialization fails only for maps with keys that are not strings and for a `Serialize`
        // that returns an error; a message has neither.
        serde_json::to_string(self).unwrap_or_default()
    }
}
