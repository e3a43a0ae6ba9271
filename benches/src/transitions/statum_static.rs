//! `statum`'s typestate along a path that is known when the program is written.

use std::hint::black_box;

use super::statum::ImplementAndReview;
use super::workload::{Checksum, Exit, LAP};

/// The start state is hidden from the optimiser, once a lap: it then can't know the counters, so
/// both limits have to be checked at each step. Everything after it is left in the open.
#[inline]
fn lap() -> Result<Exit, Exit> {
    let commit = black_box(ImplementAndReview::start())
        .complete()?
        .issues_found()?
        .complete()?
        .no_issues()?;
    Ok(commit.committed())
}

pub fn run(n: u64) -> Checksum {
    let mut checksum = Checksum::default();
    for _ in 0..n / LAP {
        let (Ok(exit) | Err(exit)) = lap();
        checksum.count(exit);
    }
    checksum
}
