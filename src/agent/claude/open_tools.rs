//! The tool uses that have not ended.

use std::collections::HashMap;
use std::path::PathBuf;

use super::event::Used;
use crate::agent::RefusedTool;

/// More than an agent and its subagents use at once. Further ones are not tracked.
const MAX_OPEN_TOOLS: usize = 1024;

/// The CLI's ids have 30 bytes.
const MAX_ID_BYTES: usize = 128;

/// The unfinished tool uses of the agent and its subagents.
#[derive(Debug, Default)]
pub(super) struct OpenTools(HashMap<String, Open>);

/// An unfinished use.
#[derive(Debug)]
pub(super) struct Open {
    /// Its description, in case it is refused.
    pub(super) call: RefusedTool,
    /// The file that it writes, if it is an editing tool.
    pub(super) writes: Option<PathBuf>,
}

impl OpenTools {
    /// A use begins.
    pub(super) fn open(&mut self, used: Used) {
        let Used { id, call, writes } = used;
        if let Some(id) = id.filter(|id| id.len() <= MAX_ID_BYTES && self.0.len() < MAX_OPEN_TOOLS)
        {
            self.0.insert(id, Open { call, writes });
        }
    }

    /// A use is done.
    pub(super) fn close(&mut self, id: &str) -> Option<Open> {
        self.0.remove(id)
    }

    /// An unfinished use.
    pub(super) fn get(&self, id: &str) -> Option<&Open> {
        self.0.get(id)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded() {
        let mut open = OpenTools::default();
        let used =
            |id: String| Used { id: Some(id), call: RefusedTool::new("Bash", None), writes: None };
        (0..2 * MAX_OPEN_TOOLS).for_each(|number| open.open(used(number.to_string())));
        assert_eq!(open.0.len(), MAX_OPEN_TOOLS);
        (0..2 * MAX_OPEN_TOOLS).for_each(|number| drop(open.close(&number.to_string())));
        assert!(open.is_empty());
        open.open(used("x".repeat(MAX_ID_BYTES + 1)));
        open.open(Used { id: None, call: RefusedTool::new("Bash", None), writes: None });
        assert!(open.is_empty());
    }
}
