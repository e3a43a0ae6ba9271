//! Former names of steps and outcomes are data of the recipe, and no part of its graph.

use surefire::Recipe;

mod former {
    surefire::recipe! {
        pub(crate) recipe Example {
            initial: Work,
            step Work { prompt: "Work.", outcomes: [Done], Done => Review }
            step Review { prompt: "Review.", outcomes: [Done], Done => exit TaskCommitted }
        }
    }
}

surefire::recipe! {
    recipe Example {
        initial: Work,
        step Work { prompt: "Work.", was: [Build, Complete => Done], outcomes: [Done], Done => Review }
        step Review { prompt: "Review.", was: [HTTPReview, Audit], outcomes: [Done], Done => exit TaskCommitted }
    }
}

fn main() {
    let outline = Example::OUTLINE;
    assert_eq!(outline.steps[0].was, ["build"]);
    assert_eq!(outline.steps[0].outcomes[0].was, ["complete"]);
    assert_eq!(outline.steps[1].was, ["http-review", "audit"]);
    assert_eq!(outline.fingerprint, <former::Example as Recipe>::OUTLINE.fingerprint);
}
