//! One job, a turn or a check: its preconditions, its execution, and the meaning of its failure.

mod checks;
mod commands;
pub(super) mod directory;
pub(super) mod failure;
pub(super) mod in_flight;
pub(super) mod inspect;
pub(super) mod job;
pub(super) mod result;
pub(super) mod scratch;
pub(super) mod session_lock;
pub(super) mod streamed;
pub(super) mod turn_permit;
mod work;
pub(super) mod work_tree;
