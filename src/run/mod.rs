//! Deciding: one run as a pure state machine. Its input is what happened; its output is what to do
//! next.
//!
//! It does no I/O, never waits and reads no clock: time, replies and new ids come in as arguments,
//! and its decisions come out as [`Event`]s and one [`Action`]. Start with [`Run`], then [`Event`].

mod changed_prompts;
mod check;
mod decide;
mod decision;
mod end_worktree;
mod ending;
mod event;
mod exceeded;
mod files;
mod ids;
mod input;
mod judge;
mod limits;
mod permissions;
mod project;
mod prompt;
mod refused;
mod renames;
mod replay;
mod resume;
mod resumed;
mod review;
mod rules;
mod run_spec;
mod run_state;
mod tree;
mod tree_claim;
mod visit_limits;
mod worktree;

pub use crate::outcome::Finding;
pub use changed_prompts::ChangedPrompts;
pub use check::{Check, CheckKind, CheckResult, CheckSubject, CheckVerdict};
pub use decide::Run;
pub use decision::{Action, Decision, Successor, TurnRequest};
pub use end_worktree::CannotEndWorktree;
pub use ending::Ending;
pub use event::{Event, Purpose, ReplyReading, RetryCause};
pub use exceeded::Exceeded;
pub use ids::{AttemptId, NewIds, NotAnId, PromptId, RunId, SessionId};
pub use input::{Input, TurnFacts};
#[cfg(feature = "engine")]
pub(crate) use limits::in_words;
pub use limits::{Limits, Usage};
pub use project::{Permits, Project, Trust};
pub use prompt::first_prompt;
#[cfg(feature = "session")]
pub(crate) use prompt::repeated;
pub use refused::ToolRefusal;
pub use replay::{ReplayError, abandon};
pub use resume::{CannotResume, PendingPrompts, Resume};
pub use resumed::ResumedBy;
pub use run_spec::RunSpec;
pub use tree::{
    Baseline, ChangedFile, Changes, CommitSeen, FileChange, HeadWindow, Moment, TreeState,
};
pub use tree_claim::TreeClaim;
pub use worktree::{Worktree, WorktreeEnd};
