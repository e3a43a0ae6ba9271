//! The hand-written enum, fed with the outcome's *name*, as in an agent's reply.

use super::handwritten_enum::{Next, Outcome, Run};
use super::workload::{Checksum, Feed, NAMES};

#[inline]
fn parse(name: &str) -> Option<Outcome> {
    match name {
        "complete" => Some(Outcome::Complete),
        "no-tasks" => Some(Outcome::NoTasks),
        "blocked" => Some(Outcome::Blocked),
        "no-issues" => Some(Outcome::NoIssues),
        "issues-found" => Some(Outcome::IssuesFound),
        "committed" => Some(Outcome::Committed),
        "nothing-to-commit" => Some(Outcome::NothingToCommit),
        _ => None,
    }
}

pub fn run(n: u64) -> Checksum {
    let mut feed = Feed::new();
    let mut checksum = Checksum::default();
    let mut run = Run::start();
    for _ in 0..n {
        let name = feed.pick(NAMES[run.step() as usize]);
        match parse(name).map(|outcome| run.on(outcome)) {
            Some(Next::Entered) => {}
            Some(Next::Exited(exit)) => {
                checksum.count(exit);
                run = Run::start();
            }
            Some(Next::Refused) | None => {
                unreachable!("only names of the current step's outcomes are picked")
            }
        }
    }
    checksum
}
