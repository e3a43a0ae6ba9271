//! Driving: one task per active session.
//!
//! A task owns its session: it feeds inputs to [`session`](crate::session), persists the decision,
//! and gives the agent its prompts. It decides nothing itself and does not know clients: they
//! subscribe to its [`EventStream`]. Start with [`Backend`] for the commands, then read
//! `session/driver.rs` for the loop.

mod backend;
mod blocking;
mod commit;
mod crash;
mod diff;
mod error;
mod file_lock;
mod handoff;
mod local;
mod options;
mod prompts;
mod provider;
mod prune;
mod recover;
mod roots;
mod send_prompt;
mod session;
mod shared;
mod spans;
mod start;
mod tree_lock;
mod trust;
mod turn;
mod worktree;

pub use backend::{Backend, Pending};
pub use commit::event_stream::{EventStream, Update};
pub use diff::{MAX_DIFF_BYTES, NoDiff, RunDiff};
pub use error::{EngineError, ResumeError};
pub use handoff::{OnEnd, STOP_JSON, STOP_MD, handoff_directory};
pub use local::Engine;
pub use options::{Clock, Options, Recovery, Shutdown};
pub use prompts::{
    CannotEject, Ejected, MAX_PROMPT_BYTES, PromptDefect, PromptFileError, PromptFiles,
    PromptSource, RecipePrompts, StepPrompt,
};
pub use provider::UnknownProvider;
pub use prune::{prune_runs, prune_sessions};
pub use roots::Roots;
pub use send_prompt::{NewSessionSpec, PromptSent, SendPrompt, SendPromptError};
pub use start::{Start, StartError, Started, Untrusted};
pub use tree_lock::Collision;
pub use trust::{TrustError, TrustRecords, TrustState, TrustSubject};
pub use turn::directory::DirectoryError;
pub use worktree::{WorktreeChoice, WorktreeError, worktree_state, worktrees_directory};
