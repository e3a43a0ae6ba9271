//! `exit_recipe`: the wish to end the run of a session.

use crate::run::SessionId;
use crate::wire::fields::{Fields, Refusal};
use crate::{ExitReason, Registry};

/// The wish to end the run of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExitRecipe {
    /// The session.
    pub session_id: SessionId,
    /// Why: because somebody asked for it, or pressed Ctrl-C.
    pub reason: ExitReason,
}

impl ExitRecipe {
    pub(super) fn read(fields: &mut Fields) -> Result<Self, Refusal> {
        let session_id = fields.required_session()?;
        let wrong = fields.wrong("reason", "`user-requested` or `user_stopped`");
        let reason = match fields.text("reason") {
            Ok(None) => ExitReason::UserRequested,
            Ok(Some(code)) => by_a_person(&code).ok_or(wrong)?,
            Err(_) => return Err(wrong),
        };
        Ok(Self { session_id, reason })
    }
}

/// The reason with this code, if a person can give it. The others are for the server to find.
fn by_a_person(code: &str) -> Option<ExitReason> {
    let reasons = [ExitReason::UserRequested, ExitReason::UserStopped];
    ExitReason::from_code(code).filter(|reason| reasons.contains(reason))
}
