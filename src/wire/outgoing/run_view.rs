//! The view of a run.

use serde::{Deserialize, Serialize};

use crate::run::RunId;
use crate::view::RunView;

/// The view of a run: what has changed since the view that the client has, or all of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunViewChanged {
    /// The run.
    pub run_id: RunId,
    /// The last event that it covers.
    pub seq: u64,
    /// The rows that are new or changed, and everything that is not a row: an argument for
    /// [`RunView::merge`].
    pub changed: RunView,
}

impl RunViewChanged {
    /// What has changed in the view of a run.
    #[must_use]
    pub const fn new(run_id: RunId, changed: RunView) -> Self {
        Self { run_id, seq: changed.seq, changed }
    }
}
