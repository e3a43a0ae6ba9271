//! Deciding: one run as a state machine that is told what happened and says what to do next.
//!
//! It does no I/O, never waits and reads no clock: time, replies and fresh ids come in as arguments, and what it
//! decides comes out as [`Event`]s and one [`Todo`]. Start with [`Run`], then [`Event`].

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
mod known;
mod limits;
mod order;
mod permissions;
mod project;
mod prompt;
mod refused;
mod replay;
mod resume;
mod resumed;
mod review;
mod rules;
mod tree;
mod tree_claim;
mod worktree;

pub use crate::outcome::Finding;
pub use check::{Check, CheckKind, CheckResult, CheckSubject, CheckVerdict};
pub use decide::Run;
pub use decision::{Ask, Decision, Successor, Todo};
pub use end_worktree::CannotEndWorktree;
pub use ending::Ending;
pub use event::{Event, Purpose, Read, RetryCause};
pub use exceeded::Exceeded;
pub use ids::{AttemptId, Fresh, NotAnId, PromptId, RunId, SessionId};
pub use input::{Input, TurnFacts};
#[cfg(feature = "engine")]
pub(crate) use limits::in_words;
pub use limits::{Limits, Spent};
pub use order::Order;
pub use project::{Permits, Project, Trust};
pub use prompt::first_prompt;
#[cfg(feature = "session")]
pub(crate) use prompt::heard_before;
pub use refused::ToolRefusal;
pub use replay::{ReplayError, abandon};
pub use resume::{CannotResume, Meanwhile, Resume};
pub use resumed::ResumedBy;
pub use tree::{Baseline, ChangedFile, Changes, CommitSeen, FileChange, HeadWindow, Moment, TreeState};
pub use tree_claim::TreeClaim;
pub use worktree::{Worktree, WorktreeEnd};
