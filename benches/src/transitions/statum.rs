//! The machine in `statum`, a typestate: the outcome that is known at run time is matched per step.
//!
//! `Result` is spelt out because the macro reads the return type as text and takes this spelling
//! only.

use statum::{machine, state, transition};

use super::workload::{Checksum, Counters, Exit, Feed, Step};

#[state]
pub enum StepState {
    Implement,
    CodeReview,
    Fix,
    Commit,
}

#[machine]
pub struct ImplementAndReview<StepState> {
    counters: Counters,
}

impl ImplementAndReview<Implement> {
    #[inline]
    pub fn start() -> Self {
        Self::builder().counters(Counters::started()).build()
    }

    #[inline]
    pub fn no_tasks(self) -> Exit {
        Exit::NoTasksAvailable
    }

    #[inline]
    pub fn blocked(self) -> Exit {
        Exit::ImplementationBlocked
    }
}

#[transition]
impl ImplementAndReview<Implement> {
    #[inline]
    pub fn complete(mut self) -> ::core::result::Result<ImplementAndReview<CodeReview>, Exit> {
        self.counters.enter(Step::CodeReview)?;
        Ok(self.transition())
    }
}

#[transition]
impl ImplementAndReview<CodeReview> {
    #[inline]
    pub fn no_issues(mut self) -> ::core::result::Result<ImplementAndReview<Commit>, Exit> {
        self.counters.enter(Step::Commit)?;
        Ok(self.transition())
    }

    #[inline]
    pub fn issues_found(mut self) -> ::core::result::Result<ImplementAndReview<Fix>, Exit> {
        self.counters.enter(Step::Fix)?;
        Ok(self.transition())
    }
}

#[transition]
impl ImplementAndReview<Fix> {
    #[inline]
    pub fn complete(mut self) -> ::core::result::Result<ImplementAndReview<CodeReview>, Exit> {
        self.counters.enter(Step::CodeReview)?;
        Ok(self.transition())
    }
}

impl ImplementAndReview<Commit> {
    #[inline]
    pub fn committed(self) -> Exit {
        Exit::TaskCommitted
    }

    #[inline]
    pub fn nothing_to_commit(self) -> Exit {
        Exit::NoChangesToCommit
    }
}

/// The state of the loop between two outcomes.
enum Run {
    Implement(ImplementAndReview<Implement>),
    CodeReview(ImplementAndReview<CodeReview>),
    Fix(ImplementAndReview<Fix>),
    Commit(ImplementAndReview<Commit>),
}

#[derive(Clone, Copy)]
enum ImplementOutcome {
    Complete,
    NoTasks,
    Blocked,
}

#[derive(Clone, Copy)]
enum CodeReviewOutcome {
    NoIssues,
    IssuesFound,
}

#[derive(Clone, Copy)]
enum FixOutcome {
    Complete,
}

#[derive(Clone, Copy)]
enum CommitOutcome {
    Committed,
    NothingToCommit,
}

#[inline]
fn step(run: Run, feed: &mut Feed) -> Result<Run, Exit> {
    match run {
        Run::Implement(at) => {
            use ImplementOutcome::{Blocked, Complete, NoTasks};
            match feed.pick(&[Complete, NoTasks, Blocked]) {
                Complete => at.complete().map(Run::CodeReview),
                NoTasks => Err(at.no_tasks()),
                Blocked => Err(at.blocked()),
            }
        }
        Run::CodeReview(at) => {
            use CodeReviewOutcome::{IssuesFound, NoIssues};
            match feed.pick(&[NoIssues, IssuesFound]) {
                NoIssues => at.no_issues().map(Run::Commit),
                IssuesFound => at.issues_found().map(Run::Fix),
            }
        }
        Run::Fix(at) => match feed.pick(&[FixOutcome::Complete]) {
            FixOutcome::Complete => at.complete().map(Run::CodeReview),
        },
        Run::Commit(at) => {
            use CommitOutcome::{Committed, NothingToCommit};
            match feed.pick(&[Committed, NothingToCommit]) {
                Committed => Err(at.committed()),
                NothingToCommit => Err(at.nothing_to_commit()),
            }
        }
    }
}

pub fn run(n: u64) -> Checksum {
    let mut feed = Feed::new();
    let mut checksum = Checksum::default();
    let mut run = Run::Implement(ImplementAndReview::start());
    for _ in 0..n {
        run = match step(run, &mut feed) {
            Ok(run) => run,
            Err(exit) => {
                checksum.count(exit);
                Run::Implement(ImplementAndReview::start())
            }
        };
    }
    checksum
}
