//! What an earlier engine left: unfinished sessions are adopted, orphaned processes stopped.

pub(super) mod adopt;
pub(super) mod orphans;
