//! The spans of the log: what the lines about one run have in common, from its first to its last.
//!
//! They have no parents but these: a run is not part of what another session was doing when it began, and a turn that
//! follows another one is not part of it.

use tracing::Span;

use crate::run::{RunId, SessionId};
use crate::session::TurnRequest;

/// The span of a run.
pub(super) fn of_run(run: RunId, session: SessionId) -> Span {
    tracing::info_span!(parent: None, "run", %run, %session)
}

/// The span of what concerns a session without a run.
pub(super) fn of_session(session: SessionId) -> Span {
    tracing::info_span!(parent: None, "session", %session)
}

/// The span of a turn: in its run, or a chat.
pub(super) fn of_turn(session: SessionId, request: &TurnRequest) -> Span {
    let attempt = request.attempt;
    match (request.run, request.step) {
        (Some(run), Some(step)) => {
            tracing::info_span!(parent: &of_run(run, session), "step", step, %attempt)
        }
        (Some(_) | None, _) => tracing::info_span!(parent: None, "chat", %session, %attempt),
    }
}
