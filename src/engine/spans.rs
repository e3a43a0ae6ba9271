//! The spans of the log: the fields that all lines about one run share.
//!
//! A span's only parent is its run's span: a run is not part of the session that started it, nor a
//! turn part of the turn before it.

use tracing::Span;

use super::turn::job::Job;
use crate::run::{RunId, SessionId};

/// The span of a run.
pub(super) fn of_run(run: RunId, session: SessionId) -> Span {
    tracing::info_span!(parent: None, "run", %run, %session)
}

/// The span of a session without a run.
pub(super) fn of_session(session: SessionId) -> Span {
    tracing::info_span!(parent: None, "session", %session)
}

/// The span of a turn or a check: inside the run's span, or the span of a chat.
pub(super) fn of_job(session: SessionId, job: &Job) -> Span {
    let attempt = job.attempt();
    match (job.run(), job.step()) {
        (Some(run), Some(step)) => {
            tracing::info_span!(parent: &of_run(run, session), "step", step, %attempt)
        }
        (Some(_) | None, _) => tracing::info_span!(parent: None, "chat", %session, %attempt),
    }
}
