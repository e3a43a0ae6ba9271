//! `begin`, one method per outcome, `on`, `AnyStep`, and the description of an `Other`.
#![deny(warnings)]

use surefire::{Exit, ExitReason};

surefire::recipe! {
    recipe Example {
        initial: Work,
        guardrails: { max_step_visits: 2 },

        step Work {
            prompt: "Work.",
            outcomes: [Complete, Blocked],
            Complete => Review,
            Blocked => exit ImplementationBlocked,
        }

        step Review {
            prompt: "Review.",
            outcomes: [NoIssues, IssuesFound],
            NoIssues => exit TaskCommitted,
            IssuesFound => Work,
        }
    }
}

use example::{AnyStep, At, End, Review, ReviewNext, ReviewOutcome, Work, WorkNext, WorkOutcome};

fn main() -> Result<(), Exit> {
    const START: At<Work> = Example::begin();
    let review: At<Review> = START.complete()?;
    assert_eq!(review.no_issues().reason(), Some(ExitReason::TaskCommitted));
    assert_eq!(Example::begin().blocked().code(), "implementation-blocked");

    let other = Example::begin().other("the disk is full");
    assert_eq!(other.reason(), Some(ExitReason::UserProvidedOther));
    assert_eq!(other.description(), Some("the disk is full"));

    let mut run = AnyStep::Work(Example::begin());
    let end = loop {
        run = match run {
            AnyStep::Work(at) => match at.on(WorkOutcome::Complete) {
                WorkNext::Review(at) => AnyStep::Review(at),
                WorkNext::End(end) => break end,
            },
            AnyStep::Review(at) => match at.on(ReviewOutcome::IssuesFound) {
                ReviewNext::Work(at) => AnyStep::Work(at),
                ReviewNext::End(end) => break end,
            },
        };
    };
    let End::MaxStepVisits(tripped) = &end else { panic!("{end:?}") };
    assert_eq!((tripped.step(), tripped.limit), ("work", 2));
    let exit = end.exit();
    assert_eq!(exit.code(), "max-step-visits-exceeded:work");
    assert_eq!(exit.message(), "Recipe stopped: step 'work' visited too many times (limit 2)");
    Ok(())
}
