//! `prune_sessions`: to delete sessions in which nothing has happened for long.

use std::time::Duration;

use crate::wire::fields::{Fields, Refusal};

/// To delete old sessions, with all that is in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PruneSessions {
    /// Those in which nothing has happened for longer than this.
    pub older_than: Duration,
}

impl PruneSessions {
    pub(super) fn read(fields: &mut Fields) -> Result<Self, Refusal> {
        let older_than = fields.seconds("older_than_s")?.ok_or_else(|| fields.missing("older_than_s"))?;
        Ok(Self { older_than })
    }
}
