//! What this process has written to files, as Linux counts it: the same on a busy machine as on an idle one.

/// Calls that write, and the bytes they were given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// How many calls.
    pub calls: u64,
    /// How many bytes.
    pub bytes: u64,
}

impl Written {
    /// So far; nothing where the system does not tell.
    #[must_use]
    pub fn so_far() -> Self {
        let told = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
        let number = |name: &str| {
            let value = told.lines().find_map(|line| line.strip_prefix(name))?;
            value.trim().parse().ok()
        };
        Self { calls: number("syscw:").unwrap_or(0), bytes: number("wchar:").unwrap_or(0) }
    }

    /// What was added by something that was done after this.
    pub fn add_since(&mut self, before: Self) {
        let now = Self::so_far();
        self.calls += now.calls - before.calls;
        self.bytes += now.bytes - before.bytes;
    }

    /// The calls and the kilobytes of one of so many commits, as two columns of a table.
    #[must_use]
    pub fn a_commit(self, commits: usize) -> String {
        let each = |number: u64| number as f64 / commits as f64;
        format!("{:.1} | {:.1}", each(self.calls), each(self.bytes) / 1024.0)
    }
}
