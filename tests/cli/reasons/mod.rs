//! Every exit reason has a real producer: the command, an agent's CLI that follows a plan, a real
//! git repository, real commands and real signals. Nothing is rehearsed, and where the engine can
//! verify something, the agent's word is not enough.
//!
//! `table.rs` names the producer of each reason; `check.rs` has the checks for all of them.

mod agents;
mod check;
mod ends;
mod goals;
mod guards;
mod limits;
mod scene;
mod table;

use std::panic::AssertUnwindSafe;
use std::sync::Mutex;

use surefire::{ExitReason, Registry};

/// How many situations run at once: each is a process that mostly waits for another one.
const MAX_PARALLEL: usize = 4;

#[test]
fn every_reason_is_produced_by_what_really_happens() {
    let (left, failed) = (Mutex::new(ExitReason::ALL.iter().copied()), Mutex::new(Vec::new()));
    let next = || left.lock().expect("no iterator panics").next();
    std::thread::scope(|scope| {
        for _ in 0..MAX_PARALLEL {
            scope.spawn(|| {
                while let Some(reason) = next() {
                    // A failure does not stop the others, so that one test run shows all failures.
                    let play = AssertUnwindSafe(|| {
                        let (basis, end) = table::produced(reason);
                        check::holds(reason, basis, &end);
                    });
                    if std::panic::catch_unwind(play).is_err() {
                        failed.lock().expect("it is only pushed to").push(reason.to_string());
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().expect("it is only pushed to");
    assert!(failed.is_empty(), "see above: {failed:?}");
}
