//! `restart`: a chain of runs with one count, held against the limit of the recipe that restarts.
#![deny(warnings)]

use surefire::{Next, Position};

surefire::recipe! {
    recipe Ping {
        initial: Work,
        guardrails: { max_restarts: 3 },
        step Work {
            prompt: "Work.",
            outcomes: [Complete, Stop],
            Complete => restart Pong,
            Stop => exit TaskCommitted,
        }
    }
}

mod elsewhere {
    surefire::recipe! {
        pub(super) recipe Pong {
            initial: Work,
            guardrails: { max_restarts: 2 },
            step Work {
                prompt: "Work.",
                outcomes: [Complete, Again],
                Complete => restart super::Ping,
                Again => restart Pong,
            }
        }
    }
}
use elsewhere::Pong;

static CHAIN: surefire::Catalog = surefire::catalog![Ping, elsewhere::Pong];

fn main() -> Result<(), surefire::Exit> {
    let pong = Ping::begin().complete()?.begin();
    let ping = pong.complete()?.begin();
    assert_eq!(ping.position().restarts(), 2);
    let pong = ping.complete()?.begin();
    let exit = surefire::Exit::from(pong.again().unwrap_err());
    assert_eq!(exit.code(), "max-restarts");
    assert_eq!(exit.message(), "Recipe stopped: restarted too many times (limit 2)");

    let mut position = Position::<Ping>::begin();
    let Next::Restart(restart) = position.report("complete").unwrap() else { panic!("it restarts") };
    assert_eq!((restart.recipe.outline().id, restart.restarts), ("pong", 1));
    assert_eq!(restart.exit().code(), "restart-new-session");
    assert_eq!(CHAIN.get("pong").unwrap().begin(restart.restarts).restarts(), 1);
    assert_eq!(Pong::OUTLINE.id, "pong");
    Ok(())
}
