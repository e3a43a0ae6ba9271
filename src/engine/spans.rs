//! The spans of the log: what the lines about one run have in common, from its first to its last.
//!
//! They have no parents but these: a run is not part of what another session was doing when it began, and a turn that
//! follows another one is not part of it.

use tracing::Span;

use super::turn::job::Job;
use crate::run::{RunId, SessionId};

/// The span of a run.
pub(super) fn of_run(run: RunId, session: SessionId) -> Span {
    tracing::info_span!(parent: None, "run", %run, %session)
}

/// The span of what concerns a session without a run.
pub(super) fn of_session(session: SessionId) -> Span {
    tracing::info_span!(parent: None, "session", %session)
}

/// The span of a turn or a check: in its run, or a chat.
pub(super) fn of_job(session: SessionId, job: &Job) -> Span {
    let attempt = job.attempt();
    match (job.run(), job.step()) {
        (Some(run), Some(step)) => {
            tracing::info_span!(parent: &of_run(run, session), "step", step, %attempt)
        }
        (Some(_) | None, _) => tracing::info_span!(parent: None, "chat", %session, %attempt),
    }
}
