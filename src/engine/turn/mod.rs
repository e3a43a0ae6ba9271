//! One job, a turn or a check: what it needs before it may begin, the job at work, and what its failure means.

mod checks;
mod commands;
pub(super) mod directory;
pub(super) mod failure;
pub(super) mod in_flight;
pub(super) mod job;
pub(super) mod looking;
pub(super) mod result;
pub(super) mod scratch;
pub(super) mod seat;
pub(super) mod session_lock;
pub(super) mod streamed;
mod work;
pub(super) mod work_tree;
