//! The machine in `smlang`: the limits are guards, the counting and the exits are actions.

use smlang::statemachine;

use super::workload::{Checksum, Counters, Exit, Feed, Step};

statemachine! {
    derive_states: [Debug, Clone, Copy],
    derive_events: [Debug, Clone, Copy],
    transitions: {
        *Implement + Complete [may_enter_code_review] / enter_code_review = CodeReview,
        Implement + Complete / trip_code_review = Exited,
        Implement + NoTasks / no_tasks_available = Exited,
        Implement + Blocked / implementation_blocked = Exited,

        CodeReview + NoIssues [may_enter_commit] / enter_commit = Commit,
        CodeReview + NoIssues / trip_commit = Exited,
        CodeReview + IssuesFound [may_enter_fix] / enter_fix = Fix,
        CodeReview + IssuesFound / trip_fix = Exited,

        Fix + Complete [may_enter_code_review] / enter_code_review = CodeReview,
        Fix + Complete / trip_code_review = Exited,

        Commit + Committed / task_committed = Exited,
        Commit + NothingToCommit / no_changes_to_commit = Exited,
    }
}

struct Ledger {
    counters: Counters,
    exit: Option<Exit>,
}

impl Ledger {
    #[inline]
    fn may_enter(&self, step: Step) -> Result<bool, ()> {
        Ok(self.counters.check(step).is_ok())
    }

    #[inline]
    fn enter(&mut self, step: Step) -> Result<(), ()> {
        self.counters.count(step);
        Ok(())
    }

    #[inline]
    fn trip(&mut self, step: Step) -> Result<(), ()> {
        self.exit = self.counters.check(step).err();
        Ok(())
    }

    #[inline]
    fn leave(&mut self, exit: Exit) -> Result<(), ()> {
        self.exit = Some(exit);
        Ok(())
    }
}

impl StateMachineContext for Ledger {
    fn may_enter_code_review(&self) -> Result<bool, ()> {
        self.may_enter(Step::CodeReview)
    }
    fn may_enter_fix(&self) -> Result<bool, ()> {
        self.may_enter(Step::Fix)
    }
    fn may_enter_commit(&self) -> Result<bool, ()> {
        self.may_enter(Step::Commit)
    }

    fn enter_code_review(&mut self) -> Result<(), ()> {
        self.enter(Step::CodeReview)
    }
    fn enter_fix(&mut self) -> Result<(), ()> {
        self.enter(Step::Fix)
    }
    fn enter_commit(&mut self) -> Result<(), ()> {
        self.enter(Step::Commit)
    }

    fn trip_code_review(&mut self) -> Result<(), ()> {
        self.trip(Step::CodeReview)
    }
    fn trip_fix(&mut self) -> Result<(), ()> {
        self.trip(Step::Fix)
    }
    fn trip_commit(&mut self) -> Result<(), ()> {
        self.trip(Step::Commit)
    }

    fn no_tasks_available(&mut self) -> Result<(), ()> {
        self.leave(Exit::NoTasksAvailable)
    }
    fn implementation_blocked(&mut self) -> Result<(), ()> {
        self.leave(Exit::ImplementationBlocked)
    }
    fn task_committed(&mut self) -> Result<(), ()> {
        self.leave(Exit::TaskCommitted)
    }
    fn no_changes_to_commit(&mut self) -> Result<(), ()> {
        self.leave(Exit::NoChangesToCommit)
    }
}

#[inline]
fn start() -> StateMachine<Ledger> {
    StateMachine::new(Ledger { counters: Counters::started(), exit: None })
}

#[inline]
fn pick(state: &States, feed: &mut Feed) -> Events {
    match state {
        States::Implement => feed.pick(&[Events::Complete, Events::NoTasks, Events::Blocked]),
        States::CodeReview => feed.pick(&[Events::NoIssues, Events::IssuesFound]),
        States::Fix => feed.pick(&[Events::Complete]),
        States::Commit => feed.pick(&[Events::Committed, Events::NothingToCommit]),
        States::Exited => unreachable!("an exit starts the run over"),
    }
}

pub fn run(n: u64) -> Checksum {
    let mut feed = Feed::new();
    let mut checksum = Checksum::default();
    let mut run = start();
    for _ in 0..n {
        let outcome = pick(run.state(), &mut feed);
        run.process_event(outcome).expect("only outcomes of the current step are picked");
        if let Some(exit) = run.context().exit {
            checksum.count(exit);
            run = start();
        }
    }
    checksum
}
