//! Limits that a run really reaches.

use serde_json::json;

use super::scene::{End, Scene, always, at_the_step_that_offers};

/// An agent that prints nothing.
fn silent() -> Scene {
    Scene::new(always(&json!({ "act": "silence" })))
}

/// The only step leads back to itself until it reaches the limit.
pub(super) fn steps() -> End {
    let scene = Scene::example("own_command", always(&json!({ "pick": "mended" })));
    scene.run(&["check-release"]).with_limit("3")
}

/// The review is never satisfied, and names no findings that could be compared.
pub(super) fn visits() -> End {
    let unsatisfied = at_the_step_that_offers("no-issues", &json!({ "pick": "issues-found" }));
    Scene::new(unsatisfied).run(&["implement-and-review"]).with_limit("3")
}

/// Each run leads to the next one.
pub(super) fn chain() -> End {
    let scene = Scene::example("own_command", always(&json!({ "pick": "checked" })));
    scene.run(&["check-all-releases"]).with_limit("1")
}

/// The first turn costs more than all of them may.
pub(super) fn budget() -> End {
    let scene = Scene::new(always(&json!({ "cost_usd": 2.0 })));
    scene.run(&["implement-and-review", "--budget-usd", "1.50"]).with_limit("$1.50, spent $2.00")
}

/// The agent works for longer than the run may take.
pub(super) fn time() -> End {
    silent().run(&["implement-and-review", "--time", "200ms"]).with_limit("200 ms, took …")
}

/// The agent would need a second turn.
pub(super) fn ticks() -> End {
    Scene::new(json!({})).run(&["implement-and-review", "--max-ticks", "1"]).with_limit("1, used 1")
}

/// The agent prints nothing for too long.
pub(super) fn silence() -> End {
    silent().run(&["implement-and-review", "--silence", "200ms"]).with_limit("200 ms")
}

/// The agent takes too long for one turn.
pub(super) fn turn_time() -> End {
    silent().run(&["implement-and-review", "--turn-time", "200ms"]).with_limit("200 ms")
}

/// The agent prints one line that is longer than a line may be.
pub(super) fn output() -> End {
    let scene = Scene::new(always(&json!({ "act": "huge-line", "megabytes": 9 })));
    scene.run(&["implement-and-review"]).with_limit("8 MiB in one line")
}
