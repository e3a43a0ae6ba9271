//! Persisting commits, and publishing what they contain.

pub(super) mod committer;
pub(super) mod feed;
pub(super) mod journal;
pub(super) mod publish;
