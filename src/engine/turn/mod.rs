//! One turn: what it needs before the agent may begin, the agent at work, and what its failure means.

pub(super) mod directory;
pub(super) mod failure;
pub(super) mod in_flight;
pub(super) mod scratch;
pub(super) mod session_lock;
pub(super) mod streamed;
