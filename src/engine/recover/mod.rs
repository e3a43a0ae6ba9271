//! What an earlier engine left: adopted, or stopped where nothing waits for it any more.

pub(super) mod adopt;
pub(super) mod leftovers;
