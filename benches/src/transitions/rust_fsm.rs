//! The machine in `rust-fsm`: exits are its outputs; it carries no data, so the counters are kept
//! separately.

use rust_fsm::state_machine;

use super::workload::{Checksum, Counters, Exit, Feed, Step};

state_machine! {
    #[derive(Debug, Clone, Copy)]
    implement_and_review(Implement)

    Implement => {
        Complete => CodeReview,
        NoTasks => Exited [NoTasksAvailable],
        Blocked => Exited [ImplementationBlocked],
    },
    CodeReview => {
        NoIssues => Commit,
        IssuesFound => Fix,
    },
    Fix(Complete) => CodeReview,
    Commit => {
        Committed => Exited [TaskCommitted],
        NothingToCommit => Exited [NoChangesToCommit],
    },
}

use implement_and_review::{Input, Output, State, StateMachine};

struct Run {
    machine: StateMachine,
    counters: Counters,
}

impl Run {
    #[inline]
    fn start() -> Self {
        Self { machine: StateMachine::new(), counters: Counters::started() }
    }

    #[inline]
    fn on(&mut self, outcome: Input) -> Option<Exit> {
        let output =
            self.machine.consume(&outcome).expect("only outcomes of the current step are picked");
        match output {
            None => self.counters.enter(self.step()).err(),
            Some(Output::NoTasksAvailable) => Some(Exit::NoTasksAvailable),
            Some(Output::ImplementationBlocked) => Some(Exit::ImplementationBlocked),
            Some(Output::TaskCommitted) => Some(Exit::TaskCommitted),
            Some(Output::NoChangesToCommit) => Some(Exit::NoChangesToCommit),
        }
    }

    #[inline]
    fn step(&self) -> Step {
        match self.machine.state() {
            State::Implement => Step::Implement,
            State::CodeReview => Step::CodeReview,
            State::Fix => Step::Fix,
            State::Commit => Step::Commit,
            State::Exited => unreachable!("an exit starts the run over"),
        }
    }
}

#[inline]
fn pick(step: Step, feed: &mut Feed) -> Input {
    match step {
        Step::Implement => feed.pick(&[Input::Complete, Input::NoTasks, Input::Blocked]),
        Step::CodeReview => feed.pick(&[Input::NoIssues, Input::IssuesFound]),
        Step::Fix => feed.pick(&[Input::Complete]),
        Step::Commit => feed.pick(&[Input::Committed, Input::NothingToCommit]),
    }
}

pub fn run(n: u64) -> Checksum {
    let mut feed = Feed::new();
    let mut checksum = Checksum::default();
    let mut run = Run::start();
    for _ in 0..n {
        if let Some(exit) = run.on(pick(run.step(), &mut feed)) {
            checksum.count(exit);
            run = Run::start();
        }
    }
    checksum
}
