//! How many files the process may have open, and how many of those unauthenticated connections may
//! use.
//!
//! A socket is an open file. If unauthenticated connections used up the limit, no agent could be
//! started and the store could not be read, which would end the owner's runs. So all of these
//! connections together get only a share of it.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::server::limits::ServerLimits;

/// The limits to request, in turn: some systems refuse values above a limit that they do not
/// report.
const REQUESTED_LIMITS: [u64; 3] = [16_384, 10_240, 4096];

/// All unauthenticated connections together may use one in this many of the process's files.
const FILES_PER_SOCKET: usize = 4;

/// How many unauthenticated connections there may be per slot of a pool: there are two pools, and
/// more connections wait for a slot than hold one. With four waiting for each slot, the last of
/// them waits for four grace periods.
const SOCKETS_PER_SLOT: usize = 8;

/// The same if the process may have few files open: both pools have their slots, and as many
/// connections wait.
const MIN_SOCKETS_PER_SLOT: usize = 4;

/// The most unauthenticated connections, if the number of open files is unlimited.
const MAX_SOCKETS: usize = 1 << 16;

/// At least this many unauthenticated connections are allowed, even if few slots are configured.
const MIN_SOCKETS: usize = 16;

/// Raises this process's limit of open files to the largest of `REQUESTED_LIMITS` that the system
/// accepts, and returns the limit in force.
pub(in crate::server) fn raise() -> usize {
    let limit = getrlimit(Resource::Nofile);
    let highest = limit.maximum.unwrap_or(u64::MAX);
    let mut current = limit.current.unwrap_or(u64::MAX);
    for wanted in REQUESTED_LIMITS.map(|wanted| wanted.min(highest)) {
        let raised = Rlimit { current: Some(wanted), maximum: limit.maximum };
        if wanted <= current || setrlimit(Resource::Nofile, raised).is_ok() {
            current = current.max(wanted);
            break;
        }
    }
    usize::try_from(current).unwrap_or(usize::MAX)
}

/// How many unauthenticated connections there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) struct SocketBudget {
    /// All of them, including those that wait for a slot, and those that were displaced and are
    /// about to close.
    pub(in crate::server) sockets: usize,
    /// Those that hold a slot, for each pool.
    pub(in crate::server) slots: usize,
}

impl SocketBudget {
    /// What the limits allow in a process that may have `files` files open.
    pub(in crate::server) fn new(limits: &ServerLimits, files: usize) -> Self {
        let most = (files / FILES_PER_SOCKET).clamp(SOCKETS_PER_SLOT, MAX_SOCKETS);
        let slots = limits.max_unauthenticated.clamp(1, most / MIN_SOCKETS_PER_SLOT);
        Self { sockets: (slots * SOCKETS_PER_SLOT).max(MIN_SOCKETS).min(most), slots }
    }

    /// How many connections without a slot are briefly kept open, of each kind: those being
    /// rejected, and displaced ones that may still send something.
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
            let limits =
                ServerLimits { max_unauthenticated: unauthenticated, ..ServerLimits::default() };
            let budget = SocketBudget::new(&limits, files);
            assert_eq!(budget, SocketBudget { sockets, slots }, "{unauthenticated} of {files}");
        }
    }

    #[test]
    fn the_limit_is_raised_and_never_lowered() {
        let before = getrlimit(Resource::Nofile);
        let files = raise();
        let after = getrlimit(Resource::Nofile);
        assert_eq!(
            after.current.map_or(usize::MAX, |files| usize::try_from(files).unwrap()),
            files
        );
        assert_eq!(after.maximum, before.maximum);
        assert!(after.current >= before.current.map(|before| before.min(REQUESTED_LIMITS[2])));
        assert_eq!(raise(), files);
    }
}
