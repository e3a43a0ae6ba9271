//! Speaking: the messages that clients and the server exchange, and how they are written in JSON.
//!
//! This room knows no sockets, keeps no state about clients and does no I/O: a frame's text becomes a [`ClientMessage`] or a
//! [`Refusal`], an event of a run becomes [`ServerMessage`]s. `STANDARDS.md` is the same for people, with an example of each.
//! Start with [`ClientMessage`] and [`ServerMessage`], then `telling.rs` for what a run looks like from outside.

mod fields;
mod fit;
mod history;
mod http;
mod incoming;
mod outgoing;
mod shown;
mod stamp;
mod telling;
mod version;

pub use fields::{Refusal, Refused};
pub(crate) use fit::cut;
pub use fit::fit;
pub use history::{Window, window};
pub use http::{
    FirstPrompt, Journal, JournalEvent, LastReply, RunDetails, RunLine, SetAsideEntry, StoreState, Work,
    WorkLine, WorkingChat, WorkingRun,
};
pub use incoming::{
    ClientMessage, Connect, ExitRecipe, KillSession, NotOurs, Prompt, PromptTo, PruneRuns, PruneSessions,
    RefreshSessions, ResumeRun, SetMaxMessageSize, SetOrchestration, StartIn, StartRecipe, Subscribe,
    Unsubscribe, WantedLimits,
};
pub use outgoing::{
    Ack, AuthError, AvailableCommands, AvailableRecipes, CommandError, CommandHistory, CompactionError,
    Connected, ErrorCode, ErrorMessage, GitBranch, Hello, HistoryMessage, InferNameError, Mark, OfRun,
    OfferedAgent, OfferedRecipe, OrchestrationRetry, OrchestrationSet, RecentSession, RecentSessions,
    RecipeError, RecipeExited, RecipeStarted, RecipeStepStarted, RecipeStepTransition, ResourcesList,
    RunsPruned, ServerMessage, SessionCreated, SessionEntry, SessionHistory, SessionKilled, SessionList,
    SessionReady, SessionsPruned, TurnComplete, WorkChanged, WorktreeSessionError,
};
pub use shown::shown;
pub use stamp::Stamp;
pub use telling::Telling;
pub use version::ProtocolVersion;
