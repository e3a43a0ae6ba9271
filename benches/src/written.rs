//! What this process has written to files, as Linux counts it. That does not depend on how busy the
//! machine is.

/// Calls that write, and the bytes they were given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// How many calls.
    pub calls: u64,
    /// How many bytes.
    pub bytes: u64,
}

impl Written {
    /// The totals so far; 0 on a system that does not report them.
    #[must_use]
    pub fn so_far() -> Self {
        let counters = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
        let number = |name: &str| {
            let value = counters.lines().find_map(|line| line.strip_prefix(name))?;
            value.trim().parse().ok()
        };
        Self { calls: number("syscw:").unwrap_or(0), bytes: number("wchar:").unwrap_or(0) }
    }

    /// Adds what was written since `before`.
    pub fn add_since(&mut self, before: Self) {
        let now = Self::so_far();
        self.calls += now.calls - before.calls;
        self.bytes += now.bytes - before.bytes;
    }

    /// Calls and kilobytes per commit, as two columns of a table.
    #[must_use]
    pub fn a_commit(self, commits: usize) -> String {
        let each = |number: u64| number as f64 / commits as f64;
        format!("{:.1} | {:.1}", each(self.calls), each(self.bytes) / 1024.0)
    }
}
