//! The recipe as `recipe!` generates it, driven in each of the ways it offers.

use std::hint::black_box;
use std::ops::ControlFlow;

use surefire::{Guardrail, Next, Position, Registry, Tripped, WireEnum};

use self::implement_and_review::{AnyStep, End};
use super::workload::{Checksum, Exit, Feed, LAP, NAMES};

/// The exits of this recipe alone, so that they can be matched without a wildcard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Registry)]
pub enum Exits {
    #[reason(category = completed, code = "no-tasks", message = "No tasks")]
    NoTasksAvailable,
    #[reason(category = completed, code = "blocked", message = "Blocked", goal_met = false, exit_code = 40)]
    ImplementationBlocked,
    #[reason(category = completed, code = "committed", message = "Committed")]
    TaskCommitted,
    #[reason(category = completed, code = "nothing", message = "Nothing to commit")]
    NoChangesToCommit,
}

surefire::recipe! {
    /// The bundled recipe without `other`, which no contender has.
    pub recipe ImplementAndReview {
        initial: Implement,
        exits: Exits,
        guardrails: { max_step_visits: 3, max_total_steps: 100, exit_on_other: false },

        step Implement {
            prompt: "Implement.",
            outcomes: [Complete, NoTasks, Blocked],
            Complete => CodeReview,
            NoTasks => exit NoTasksAvailable,
            Blocked => exit ImplementationBlocked,
        }
        step CodeReview {
            prompt: "Review.",
            outcomes: [NoIssues, IssuesFound],
            NoIssues => Commit,
            IssuesFound => Fix,
        }
        step Fix {
            prompt: "Fix.",
            outcomes: [Complete],
            Complete => CodeReview,
        }
        step Commit {
            prompt: "Commit.",
            outcomes: [Committed, NothingToCommit],
            Committed => exit TaskCommitted,
            NothingToCommit => exit NoChangesToCommit,
        }
    }
}

/// Which of the counted exits it was. The total is proven never to trip.
#[inline]
fn ended(end: &End) -> Exit {
    match end {
        End::NoTasksAvailable => Exit::NoTasksAvailable,
        End::ImplementationBlocked => Exit::ImplementationBlocked,
        End::TaskCommitted => Exit::TaskCommitted,
        End::NoChangesToCommit => Exit::NoChangesToCommit,
        End::MaxStepVisits(_) => Exit::MaxStepVisits,
    }
}

/// The same of an exit whose recipe is not known.
#[inline]
fn kind(exit: &surefire::Exit) -> Exit {
    match exit.reason() {
        Some(Exits::NoTasksAvailable) => Exit::NoTasksAvailable,
        Some(Exits::ImplementationBlocked) => Exit::ImplementationBlocked,
        Some(Exits::TaskCommitted) => Exit::TaskCommitted,
        Some(Exits::NoChangesToCommit) => Exit::NoChangesToCommit,
        None => match exit.tripped().map(|tripped| tripped.guardrail) {
            Some(Guardrail::MaxStepVisits) => Exit::MaxStepVisits,
            Some(Guardrail::MaxTotalSteps | Guardrail::MaxRestarts) | None => Exit::MaxTotalSteps,
        },
    }
}

/// The erased form, fed with the index of the outcome.
pub fn by_index(n: u64) -> Checksum {
    let mut feed = Feed::new();
    let mut checksum = Checksum::default();
    let mut position = Position::<ImplementAndReview>::begin();
    for _ in 0..n {
        let outcome = feed.index(position.outline().outcomes.len());
        match position.take(outcome) {
            Some(Next::Step(_)) => {}
            Some(Next::Exit(exit)) => {
                checksum.count(kind(&exit));
                position = Position::begin();
            }
            Some(Next::Restart(_)) | None => {
                unreachable!("only outcomes of the current step are picked")
            }
        }
    }
    checksum
}

/// The erased form, fed with the name of the outcome.
pub fn by_name(n: u64) -> Checksum {
    let mut feed = Feed::new();
    let mut checksum = Checksum::default();
    let mut position = Position::<ImplementAndReview>::begin();
    for _ in 0..n {
        let name = feed.pick(NAMES[position.step().index()]);
        match position.report(name) {
            Ok(Next::Step(_)) => {}
            Ok(Next::Exit(exit)) => {
                checksum.count(kind(&exit));
                position = Position::begin();
            }
            Ok(Next::Restart(_)) | Err(_) => {
                unreachable!("only outcomes of the current step are picked")
            }
        }
    }
    checksum
}

/// The typed form, with outcomes that are known at run time only.
pub fn typed_on(n: u64) -> Checksum {
    typed(n, Outcomes(Feed::new()))
}

/// The typed form, fed with the name of the outcome.
pub fn typed_by_name(n: u64) -> Checksum {
    typed(n, OutcomeNames(Feed::new()))
}

/// Where the typed form gets its next outcome from.
trait Source {
    fn outcome<O: WireEnum>(&mut self, step: usize) -> O;
}

struct Outcomes(Feed);

impl Source for Outcomes {
    #[inline]
    fn outcome<O: WireEnum>(&mut self, _: usize) -> O {
        self.0.pick(O::ALL)
    }
}

struct OutcomeNames(Feed);

impl Source for OutcomeNames {
    #[inline]
    fn outcome<O: WireEnum>(&mut self, step: usize) -> O {
        O::from_name(self.0.pick(NAMES[step]))
            .expect("only outcomes of the current step are picked")
    }
}

#[inline]
fn typed(n: u64, mut source: impl Source) -> Checksum {
    let mut checksum = Checksum::default();
    let mut run = AnyStep::Implement(ImplementAndReview::begin());
    for _ in 0..n {
        run = match step(run, &mut source) {
            ControlFlow::Continue(run) => run,
            ControlFlow::Break(end) => {
                checksum.count(ended(&end));
                AnyStep::Implement(ImplementAndReview::begin())
            }
        };
    }
    checksum
}

#[inline]
fn step(run: AnyStep, source: &mut impl Source) -> ControlFlow<End, AnyStep> {
    match run {
        AnyStep::Implement(at) => at.on(source.outcome(0)).into(),
        AnyStep::CodeReview(at) => at.on(source.outcome(1)).into(),
        AnyStep::Fix(at) => at.on(source.outcome(2)).into(),
        AnyStep::Commit(at) => at.on(source.outcome(3)).into(),
    }
}

/// The typed methods along a path that is known when the program is written; the start is hidden
/// from the optimiser once a lap, as it is for the others.
pub fn static_path(n: u64) -> Checksum {
    let mut checksum = Checksum::default();
    for _ in 0..n / LAP {
        let exit = lap().unwrap_or_else(surefire::Exit::from);
        checksum.count(kind(&exit));
    }
    checksum
}

#[inline]
fn lap() -> Result<surefire::Exit, Tripped> {
    let commit = black_box(ImplementAndReview::begin())
        .complete()?
        .issues_found()?
        .complete()?
        .no_issues()?;
    Ok(commit.committed())
}
