//! How many files the process may have open, and how many of those connections without the key may take.
//!
//! A socket is an open file. An agent that cannot be started, or a store that cannot be read, because connections of strangers use up the
//! files would end the owner's runs, so all of these connections together have a part of them and no more.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::server::limits::ServerLimits;

/// What is asked of the system, in turn: some refuse more than a limit of their own, although they name none.
const WANTED: [u64; 3] = [16_384, 10_240, 4096];

/// All connections without the key together may take one in this many of the process's files.
const SHARE: usize = 4;

/// How many connections without the key there may be for each slot of a pool: there are two pools, and more wait for a slot than hold one.
/// With four times as many waiting, the last of them waits for four times the grace.
const SOCKETS_PER_SLOT: usize = 8;

/// The same where the process may have few files open: both pools have their slots, and as many connections wait.
const MIN_SOCKETS_PER_SLOT: usize = 4;

/// The largest number of them, where the process may have any number of files open.
const MAX_SOCKETS: usize = 1 << 16;

/// The least number of connections without the key, where few slots are configured.
const MIN_SOCKETS: usize = 16;

/// Raises the number of files that this process may have open as far as the system lets it, and says what it is then.
pub(in crate::server) fn raise() -> usize {
    let limit = getrlimit(Resource::Nofile);
    let highest = limit.maximum.unwrap_or(u64::MAX);
    let mut current = limit.current.unwrap_or(u64::MAX);
    for wanted in WANTED.map(|wanted| wanted.min(highest)) {
        let raised = Rlimit { current: Some(wanted), maximum: limit.maximum };
        if wanted <= current || setrlimit(Resource::Nofile, raised).is_ok() {
            current = current.max(wanted);
            break;
        }
    }
    usize::try_from(current).unwrap_or(usize::MAX)
}

/// How many connections there may be that have not shown the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) struct SocketBudget {
    /// All of them, also those that wait for a slot, and those that have lost theirs and are about to go.
    pub(in crate::server) sockets: usize,
    /// Those that hold a slot, for each pool.
    pub(in crate::server) slots: usize,
}

impl SocketBudget {
    /// What the limits allow in a process that may have so many files open.
    pub(in crate::server) fn new(limits: &ServerLimits, files: usize) -> Self {
        let most = (files / SHARE).clamp(SOCKETS_PER_SLOT, MAX_SOCKETS);
        let slots = limits.unauthenticated.clamp(1, most / MIN_SOCKETS_PER_SLOT);
        Self { sockets: (slots * SOCKETS_PER_SLOT).max(MIN_SOCKETS).min(most), slots }
    }

    /// How many connections without a slot are kept for a moment, of each kind: to be told that there is none, or until they say something.
    pub(in crate::server) const fn kept_without_slot(self) -> usize {
        self.sockets.div_ceil(4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_without_the_key_leave_most_files_to_the_rest_of_the_process() {
        for (unauthenticated, files, sockets, slots) in [
            (64, 16_384, 512, 64),
            (64, 1024, 256, 64),
            (64, 256, 64, 16),
            (1, 16_384, 16, 1),
            (0, 16_384, 16, 1),
            (usize::MAX, 1024, 256, 64),
            (usize::MAX, usize::MAX, 1 << 16, 1 << 14),
            (64, 16, 8, 2),
            (64, 0, 8, 2),
        ] {
            let limits = ServerLimits { unauthenticated, ..ServerLimits::default() };
            let budget = SocketBudget::new(&limits, files);
            assert_eq!(budget, SocketBudget { sockets, slots }, "{unauthenticated} of {files}");
        }
    }

    #[test]
    fn the_limit_is_raised_and_never_lowered() {
        let before = getrlimit(Resource::Nofile);
        let files = raise();
        let after = getrlimit(Resource::Nofile);
        assert_eq!(after.current.map_or(usize::MAX, |files| usize::try_from(files).unwrap()), files);
        assert_eq!(after.maximum, before.maximum);
        assert!(after.current >= before.current.map(|before| before.min(WANTED[2])));
        assert_eq!(raise(), files);
    }
}
