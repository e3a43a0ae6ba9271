//! Persisting commits, and publishing what they contain.

pub(super) mod committer;
pub(super) mod event_stream;
pub(super) mod journal;
pub(super) mod publish;
