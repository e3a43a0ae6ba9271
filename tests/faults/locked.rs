//! A session is locked while its agent works, and free right afterwards.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use surefire::engine::{Engine, Start};
use surefire::run::Permits;

use crate::agents::engine_options;
use crate::server::Place;

/// How many agents work at once. No more runs are open, so that none waits between two steps, and
/// each locks its session again immediately.
const PARALLEL: usize = 8;

const RUNS: usize = 150;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_run_is_locked_out_by_the_spawn_of_another_ones_agent() {
    // A child process inherits open files, such as a lock, until it executes its program.
    let place = Place::new(&json!({ "log": "/dev/null" }));
    let mut options = engine_options(&place, fake_claude::program());
    options.parallel = PARALLEL;
    let engine = Engine::open(options).await.expect("the engine opens");
    let left = AtomicUsize::new(RUNS);
    let one_after_the_other = async || {
        let mut endings = Vec::new();
        while left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1))
            .is_ok()
        {
            // All of them work in one work tree.
            let permits = Permits { force_parallel: true, ..Permits::default() };
            let start =
                Start::new("implement-and-review", place.folder("project")).permits(permits);
            let started = engine.start(start).await.expect("the run starts");
            endings.push(engine.wait_until_ended(started.run).await.expect("the run ends").reason);
        }
        endings
    };
    let endings =
        futures_util::future::join_all((0..PARALLEL).map(|_| one_after_the_other())).await.concat();
    let others: Vec<_> = endings.iter().filter(|reason| *reason != "task-committed").collect();
    assert!(others.is_empty() && endings.len() == RUNS, "{others:?}");
}
