//! `prune_runs`: the wish to forget runs that are long over.

use std::time::Duration;

use crate::wire::fields::{Fields, Refusal};

/// The wish to forget runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PruneRuns {
    /// Those that ended longer ago than this.
    pub older_than: Duration,
}

impl PruneRuns {
    pub(super) fn read(fields: &mut Fields) -> Result<Self, Refusal> {
        let older_than = fields.seconds("older_than_s")?.ok_or_else(|| fields.missing("older_than_s"))?;
        Ok(Self { older_than })
    }
}
