//! `exit_recipe`: ends the run of a session.

use serde::{Deserialize, Serialize};

use crate::ExitReason;
use crate::run::SessionId;

/// Ends the run of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExitRecipe {
    /// The session.
    pub session_id: SessionId,
    /// Why: the user asked for it, or pressed Ctrl-C.
    #[serde(default = "on_request", with = "by_a_person", skip_serializing_if = "is_on_request")]
    pub reason: ExitReason,
}

const fn on_request() -> ExitReason {
    ExitReason::UserRequested
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands the field over like this")]
fn is_on_request(reason: &ExitReason) -> bool {
    *reason == on_request()
}

/// The reasons that a user can give. Only the server determines the others.
mod by_a_person {
    use serde::de::{Deserialize, Deserializer, Error, Unexpected};
    use serde::ser::Serializer;

    use super::on_request;
    use crate::{ExitReason, Registry};

    const REASONS: [ExitReason; 2] = [ExitReason::UserRequested, ExitReason::UserStopped];

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands the field over like this")]
    pub(super) fn serialize<S: Serializer>(
        reason: &ExitReason,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(reason.definition().code)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(field: D) -> Result<ExitReason, D::Error> {
        let wrong = || {
            D::Error::invalid_value(
                Unexpected::Other("reason"),
                &"`user-requested` or `user_stopped`",
            )
        };
        let Some(code) = Option::<String>::deserialize(field).map_err(|_| wrong())? else {
            return Ok(on_request());
        };
        let reason = ExitReason::from_code(&code).filter(|reason| REASONS.contains(reason));
        reason.ok_or_else(wrong)
    }
}
