//! `verify`, and the time that all of it may take at one visit.
#![deny(warnings)]

use std::time::Duration;

use surefire::CommandLine;

surefire::steps! {
    steps work(done) {
        step Work {
            prompt: "Work.",
            verify: ["cargo test | tee log", ["cargo", "clippy", "--", "-D", "warnings"]],
            outcomes: [Complete, Stuck],
            Complete => done,
            Stuck => exit ImplementationBlocked,
        }
    }
}

surefire::recipe! {
    recipe Example {
        initial: Work,
        guardrails: { max_verify_time_per_milestone: 30m },
        include work(done => Commit);
        step Commit { prompt: "Commit.", outcomes: [Committed], Committed => exit TaskCommitted }
    }
}

surefire::recipe! {
    /// Before a restart, commands are run as well.
    recipe Again {
        initial: Work,
        guardrails: { max_restarts: 3 },
        include work(done => restart Again);
    }
}

fn main() {
    let [work, commit] = Example::OUTLINE.steps else { panic!("there are two") };
    let clippy = ["cargo", "clippy", "--", "-D", "warnings"].map(Into::into).to_vec();
    let expected = [CommandLine::Shell("cargo test | tee log".into()), CommandLine::Program(clippy.into())];
    assert_eq!(work.verify, expected);
    assert!(commit.verify.is_empty());
    assert_eq!(Again::OUTLINE.steps[0].verify, expected);

    let limit = Example::OUTLINE.guardrails.max_verify_time_per_milestone;
    assert_eq!(limit, Some(Duration::from_secs(30 * 60)));
    assert_eq!(Again::OUTLINE.guardrails.max_verify_time_per_milestone, None);
    let json = serde_json::to_value(Example::OUTLINE.guardrails).expect("it is plain data");
    assert_eq!(json["max_verify_time_per_milestone_s"], 1800);
}
