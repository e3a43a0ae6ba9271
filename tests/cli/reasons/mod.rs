//! Every exit reason has a real producer: the command, an agent's CLI that does what a plan says, a real git repository, real
//! commands and real signals. No rehearsal, and for what the engine can look at, no agent that merely says the word.
//!
//! `table.rs` names the producer of each reason; `check.rs` is what has to hold for all of them.

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

use strum::IntoEnumIterator;
use surefire::ExitReason;

/// How many situations are played at once: each is a process that mostly waits for another one.
const MAX_PARALLEL: usize = 4;

#[test]
fn every_reason_is_produced_by_what_really_happens() {
    let (left, failed) = (Mutex::new(ExitReason::iter()), Mutex::new(Vec::new()));
    let next = || left.lock().expect("no iterator panics").next();
    std::thread::scope(|scope| {
        for _ in 0..MAX_PARALLEL {
            scope.spawn(|| {
                while let Some(reason) = next() {
                    // All of them are tried, so that one run of the table tells everything that is wrong.
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
