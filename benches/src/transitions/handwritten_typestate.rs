//! A hand-written typestate whose outcome is only known at run time: `on` takes it and returns what
//! follows.

use std::marker::PhantomData;

use super::workload::{Checksum, Counters, Exit, Feed, Step};

pub struct Implement;
pub struct CodeReview;
pub struct Fix;
pub struct Commit;

/// A run that is at the step `S`; each outcome consumes it.
pub struct At<S> {
    counters: Counters,
    step: PhantomData<S>,
}

impl<S> At<S> {
    #[inline]
    fn enter<T>(mut self, step: Step) -> Result<At<T>, Exit> {
        self.counters.enter(step)?;
        Ok(At { counters: self.counters, step: PhantomData })
    }
}

#[derive(Clone, Copy)]
pub enum ImplementOutcome {
    Complete,
    NoTasks,
    Blocked,
}

pub enum ImplementNext {
    CodeReview(At<CodeReview>),
    Exit(Exit),
}

impl At<Implement> {
    #[inline]
    pub const fn start() -> Self {
        Self { counters: Counters::started(), step: PhantomData }
    }

    #[inline]
    pub fn complete(self) -> Result<At<CodeReview>, Exit> {
        self.enter(Step::CodeReview)
    }

    #[inline]
    pub fn no_tasks(self) -> Exit {
        Exit::NoTasksAvailable
    }

    #[inline]
    pub fn blocked(self) -> Exit {
        Exit::ImplementationBlocked
    }

    #[inline]
    pub fn on(self, outcome: ImplementOutcome) -> ImplementNext {
        match outcome {
            ImplementOutcome::Complete => match self.complete() {
                Ok(at) => ImplementNext::CodeReview(at),
                Err(exit) => ImplementNext::Exit(exit),
            },
            ImplementOutcome::NoTasks => ImplementNext::Exit(self.no_tasks()),
            ImplementOutcome::Blocked => ImplementNext::Exit(self.blocked()),
        }
    }
}

#[derive(Clone, Copy)]
pub enum CodeReviewOutcome {
    NoIssues,
    IssuesFound,
}

pub enum CodeReviewNext {
    Commit(At<Commit>),
    Fix(At<Fix>),
    Exit(Exit),
}

impl At<CodeReview> {
    #[inline]
    pub fn no_issues(self) -> Result<At<Commit>, Exit> {
        self.enter(Step::Commit)
    }

    #[inline]
    pub fn issues_found(self) -> Result<At<Fix>, Exit> {
        self.enter(Step::Fix)
    }

    #[inline]
    pub fn on(self, outcome: CodeReviewOutcome) -> CodeReviewNext {
        match outcome {
            CodeReviewOutcome::NoIssues => match self.no_issues() {
                Ok(at) => CodeReviewNext::Commit(at),
                Err(exit) => CodeReviewNext::Exit(exit),
            },
            CodeReviewOutcome::IssuesFound => match self.issues_found() {
                Ok(at) => CodeReviewNext::Fix(at),
                Err(exit) => CodeReviewNext::Exit(exit),
            },
        }
    }
}

#[derive(Clone, Copy)]
pub enum FixOutcome {
    Complete,
}

pub enum FixNext {
    CodeReview(At<CodeReview>),
    Exit(Exit),
}

impl At<Fix> {
    #[inline]
    pub fn complete(self) -> Result<At<CodeReview>, Exit> {
        self.enter(Step::CodeReview)
    }

    #[inline]
    pub fn on(self, outcome: FixOutcome) -> FixNext {
        match outcome {
            FixOutcome::Complete => match self.complete() {
                Ok(at) => FixNext::CodeReview(at),
                Err(exit) => FixNext::Exit(exit),
            },
        }
    }
}

#[derive(Clone, Copy)]
pub enum CommitOutcome {
    Committed,
    NothingToCommit,
}

pub enum CommitNext {
    Exit(Exit),
}

impl At<Commit> {
    #[inline]
    pub fn committed(self) -> Exit {
        Exit::TaskCommitted
    }

    #[inline]
    pub fn nothing_to_commit(self) -> Exit {
        Exit::NoChangesToCommit
    }

    #[inline]
    pub fn on(self, outcome: CommitOutcome) -> CommitNext {
        match outcome {
            CommitOutcome::Committed => CommitNext::Exit(self.committed()),
            CommitOutcome::NothingToCommit => CommitNext::Exit(self.nothing_to_commit()),
        }
    }
}

/// The state of the loop between two outcomes.
enum Run {
    Implement(At<Implement>),
    CodeReview(At<CodeReview>),
    Fix(At<Fix>),
    Commit(At<Commit>),
    Exited(Exit),
}

#[inline]
fn step(run: Run, feed: &mut Feed) -> Run {
    match run {
        Run::Implement(at) => {
            use ImplementOutcome::{Blocked, Complete, NoTasks};
            match at.on(feed.pick(&[Complete, NoTasks, Blocked])) {
                ImplementNext::CodeReview(at) => Run::CodeReview(at),
                ImplementNext::Exit(exit) => Run::Exited(exit),
            }
        }
        Run::CodeReview(at) => {
            use CodeReviewOutcome::{IssuesFound, NoIssues};
            match at.on(feed.pick(&[NoIssues, IssuesFound])) {
                CodeReviewNext::Commit(at) => Run::Commit(at),
                CodeReviewNext::Fix(at) => Run::Fix(at),
                CodeReviewNext::Exit(exit) => Run::Exited(exit),
            }
        }
        Run::Fix(at) => match at.on(feed.pick(&[FixOutcome::Complete])) {
            FixNext::CodeReview(at) => Run::CodeReview(at),
            FixNext::Exit(exit) => Run::Exited(exit),
        },
        Run::Commit(at) => {
            use CommitOutcome::{Committed, NothingToCommit};
            match at.on(feed.pick(&[Committed, NothingToCommit])) {
                CommitNext::Exit(exit) => Run::Exited(exit),
            }
        }
        Run::Exited(exit) => Run::Exited(exit),
    }
}

pub fn run(n: u64) -> Checksum {
    let mut feed = Feed::new();
    let mut checksum = Checksum::default();
    let mut run = Run::Implement(At::start());
    for _ in 0..n {
        run = step(run, &mut feed);
        if let Run::Exited(exit) = run {
            checksum.count(exit);
            run = Run::Implement(At::start());
        }
    }
    checksum
}
