//! The machine in `statig`: a handler per step, with the counters and the exit in its shared
//! storage.

use statig::prelude::*;

use super::workload::{Checksum, Counters, Exit, Feed, Step};

struct ImplementAndReview {
    counters: Counters,
    exit: Option<Exit>,
}

#[derive(Debug, Clone, Copy)]
enum Event {
    Complete,
    NoTasks,
    Blocked,
    NoIssues,
    IssuesFound,
    Committed,
    NothingToCommit,
}

#[state_machine(initial = "State::implement()", state(derive(Debug, Clone, Copy)))]
impl ImplementAndReview {
    #[state]
    fn implement(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::Complete => self.enter(Step::CodeReview, State::code_review()),
            Event::NoTasks => self.leave(Exit::NoTasksAvailable),
            Event::Blocked => self.leave(Exit::ImplementationBlocked),
            _ => Super,
        }
    }

    #[state]
    fn code_review(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::NoIssues => self.enter(Step::Commit, State::commit()),
            Event::IssuesFound => self.enter(Step::Fix, State::fix()),
            _ => Super,
        }
    }

    #[state]
    fn fix(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::Complete => self.enter(Step::CodeReview, State::code_review()),
            _ => Super,
        }
    }

    #[state]
    fn commit(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::Committed => self.leave(Exit::TaskCommitted),
            Event::NothingToCommit => self.leave(Exit::NoChangesToCommit),
            _ => Super,
        }
    }
}

impl ImplementAndReview {
    #[inline]
    fn enter(&mut self, step: Step, state: State) -> Outcome<State> {
        match self.counters.enter(step) {
            Ok(()) => Transition(state),
            Err(exit) => self.leave(exit),
        }
    }

    /// The run is over and its machine is dropped, so there is no state to go to.
    #[inline]
    fn leave(&mut self, exit: Exit) -> Outcome<State> {
        self.exit = Some(exit);
        Handled
    }

    /// Initialised at once: the lazy form would ask at each event whether it already is.
    #[inline]
    fn start() -> InitializedStateMachine<Self> {
        Self { counters: Counters::started(), exit: None }.uninitialized_state_machine().init()
    }
}

#[inline]
fn pick(state: &State, feed: &mut Feed) -> Event {
    match state {
        State::Implement {} => feed.pick(&[Event::Complete, Event::NoTasks, Event::Blocked]),
        State::CodeReview {} => feed.pick(&[Event::NoIssues, Event::IssuesFound]),
        State::Fix {} => feed.pick(&[Event::Complete]),
        State::Commit {} => feed.pick(&[Event::Committed, Event::NothingToCommit]),
    }
}

pub fn run(n: u64) -> Checksum {
    let mut feed = Feed::new();
    let mut checksum = Checksum::default();
    let mut run = ImplementAndReview::start();
    for _ in 0..n {
        run.handle(&pick(run.state(), &mut feed));
        if let Some(exit) = run.inner().exit {
            checksum.count(exit);
            run = ImplementAndReview::start();
        }
    }
    checksum
}
