//! `get_run_view`: asks for the view of a run.

use serde::{Deserialize, Serialize};

use crate::run::RunId;
use crate::wire::forms::{or_default, run_id};

/// Asks for the view of a run: all of it, or what has changed since an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetRunView {
    /// The run.
    #[serde(deserialize_with = "run_id")]
    pub run_id: RunId,
    /// The last event of the view that the client has; 0 for none.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_zero")]
    pub since: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands the field over like this")]
const fn is_zero(since: &u64) -> bool {
    *since == 0
}
