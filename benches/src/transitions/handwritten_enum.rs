//! The hand-written machine: two enums, a `match`, counters changed in place.

use super::workload::{Checksum, Counters, Exit, Feed, Step};

/// An outcome of any step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Complete,
    NoTasks,
    Blocked,
    NoIssues,
    IssuesFound,
    Committed,
    NothingToCommit,
}

/// What an outcome led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    Entered,
    Exited(Exit),
    /// The step has no such outcome.
    Refused,
}

/// A run, in any step.
pub struct Run {
    step: Step,
    counters: Counters,
}

impl Run {
    #[inline]
    pub const fn start() -> Self {
        Self { step: Step::Implement, counters: Counters::started() }
    }

    #[inline]
    pub const fn step(&self) -> Step {
        self.step
    }

    #[inline]
    pub const fn on(&mut self, outcome: Outcome) -> Next {
        match (self.step, outcome) {
            (Step::Implement, Outcome::Complete) => self.enter(Step::CodeReview),
            (Step::Implement, Outcome::NoTasks) => Next::Exited(Exit::NoTasksAvailable),
            (Step::Implement, Outcome::Blocked) => Next::Exited(Exit::ImplementationBlocked),
            (Step::CodeReview, Outcome::NoIssues) => self.enter(Step::Commit),
            (Step::CodeReview, Outcome::IssuesFound) => self.enter(Step::Fix),
            (Step::Fix, Outcome::Complete) => self.enter(Step::CodeReview),
            (Step::Commit, Outcome::Committed) => Next::Exited(Exit::TaskCommitted),
            (Step::Commit, Outcome::NothingToCommit) => Next::Exited(Exit::NoChangesToCommit),
            _ => Next::Refused,
        }
    }

    #[inline]
    const fn enter(&mut self, step: Step) -> Next {
        match self.counters.enter(step) {
            Ok(()) => {
                self.step = step;
                Next::Entered
            }
            Err(exit) => Next::Exited(exit),
        }
    }
}

#[inline]
fn pick(step: Step, feed: &mut Feed) -> Outcome {
    match step {
        Step::Implement => feed.pick(&[Outcome::Complete, Outcome::NoTasks, Outcome::Blocked]),
        Step::CodeReview => feed.pick(&[Outcome::NoIssues, Outcome::IssuesFound]),
        Step::Fix => feed.pick(&[Outcome::Complete]),
        Step::Commit => feed.pick(&[Outcome::Committed, Outcome::NothingToCommit]),
    }
}

pub fn run(n: u64) -> Checksum {
    let mut feed = Feed::new();
    let mut checksum = Checksum::default();
    let mut run = Run::start();
    for _ in 0..n {
        match run.on(pick(run.step(), &mut feed)) {
            Next::Entered => {}
            Next::Exited(exit) => {
                checksum.count(exit);
                run = Run::start();
            }
            Next::Refused => unreachable!("only outcomes of the current step are picked"),
        }
    }
    checksum
}
