//! How a run is shown.

use serde::{Deserialize, Serialize};

use crate::run::RunId;
use crate::view::RunView;

/// How a run is shown: what is new since the view that the client has, or all of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunViewChanged {
    /// The run.
    pub run_id: RunId,
    /// The last event that is in it.
    pub seq: u64,
    /// The rows that are new or changed, and everything that is not a row. [`RunView::merge`] takes it in.
    pub changed: RunView,
}

impl RunViewChanged {
    /// What has changed in how a run is shown.
    #[must_use]
    pub const fn new(run_id: RunId, changed: RunView) -> Self {
        Self { run_id, seq: changed.seq, changed }
    }
}
