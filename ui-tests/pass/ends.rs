//! `End` lists how a run can end, and a typed driver is a loop of a few lines.
#![deny(warnings)]

use std::ops::ControlFlow;

use surefire::{Exit, Guardrail, Registry, Tripped};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Registry)]
enum Exits {
    #[reason(category = completed, message = "Done")]
    Done,
    #[reason(category = error, message = "Too late", code = "too-late", exit_code = 40)]
    Timeout,
}

surefire::recipe! {
    recipe Example {
        initial: Work,
        exits: Exits,
        guardrails: { max_step_visits: 2, max_total_steps: 50, max_restarts: 1 },

        step Work {
            prompt: "Work.",
            outcomes: [Complete, Blocked, Late],
            Complete => Review,
            Blocked => exit ExitReason::ImplementationBlocked,
            Late => exit Timeout,
        }
        step Review {
            prompt: "Review.",
            outcomes: [NoIssues, IssuesFound, Next, Late],
            NoIssues => exit Done,
            IssuesFound => Work,
            Next => restart Example,
            Late => exit ExitReason::Timeout,
        }
    }
}

surefire::recipe! {
    /// Nothing in it can trip, and a limit leads to an exit.
    recipe Unlimited {
        initial: Ask,
        step Ask {
            prompt: "Ask.",
            max_visits: 2 => exit ClarificationNeeded,
            outcomes: [Right, Wrong],
            Right => exit TaskCommitted,
            Wrong => Ask,
        }
    }
}

surefire::recipe! {
    /// An exit that a guardrail has too, and a restart that is called like an exit.
    recipe Namesakes {
        initial: Ask,
        guardrails: { max_total_steps: 3, max_restarts: 1, exit_on_other: false },
        step Ask {
            prompt: "Ask.",
            outcomes: [Enough, Again, Late, Anew],
            Enough => exit MaxTotalSteps,
            Again => Ask,
            Late => exit Timeout,
            Anew => restart timeouts::Timeout,
        }
    }
}

mod timeouts {
    surefire::recipe! {
        pub recipe Timeout {
            initial: Ask,
            step Ask { prompt: "Ask.", outcomes: [Done], Done => exit TaskCommitted }
        }
    }
}

use example::{AnyStep, End};

fn drive(outcome_of: impl Fn(&AnyStep) -> &'static str) -> End {
    let mut step: AnyStep = Example::begin().into();
    loop {
        let outcome = outcome_of(&step);
        match step.report(outcome).expect("the step has this outcome") {
            ControlFlow::Continue(next) => step = next,
            ControlFlow::Break(end) => break end,
        }
    }
}

/// Every way to end, and `max_total_steps` is proven to be none of them.
fn told(end: &End) -> &'static str {
    match end {
        End::Done => "done",
        End::ImplementationBlocked => "blocked",
        End::Timeout => "own timeout",
        End::StandardTimeout => "standard timeout",
        End::UserProvidedOther => "other",
        End::Example(_) => "restart",
        End::MaxStepVisits(_) => "visits",
        End::MaxRestarts(_) => "restarts",
    }
}

fn main() -> Result<(), Tripped> {
    let at = |work: &'static str, review: &'static str| {
        drive(|step| match step {
            AnyStep::Work(_) => work,
            AnyStep::Review(_) => review,
        })
    };
    for (work, review, expected, code) in [
        ("complete", "no-issues", "done", "done"),
        ("blocked", "", "blocked", "implementation-blocked"),
        ("late", "", "own timeout", "too-late"),
        ("complete", "late", "standard timeout", "timeout"),
        ("other", "", "other", "user-provided-other"),
        ("complete", "next", "restart", "restart-new-session"),
        ("complete", "issues-found", "visits", "max-step-visits-exceeded:work"),
    ] {
        let end = at(work, review);
        assert_eq!(told(&end), expected);
        assert_eq!(end.exit().code(), code);
    }
    assert_eq!(at("late", "").exit().reason(), Some(Exits::Timeout));

    // A restart begins the next run, whose restart trips the guardrail.
    let End::Example(restart) = at("complete", "next") else { panic!() };
    let review = restart.begin().complete()?;
    let end = match review.on(example::ReviewOutcome::Next) {
        example::ReviewNext::Work(_) => panic!(),
        example::ReviewNext::End(end) => end,
    };
    assert!(matches!(end, End::MaxRestarts(tripped) if tripped.guardrail == Guardrail::MaxRestarts));

    // An outcome of another step is refused, and the position leads back.
    let step = AnyStep::from(Example::begin());
    let position = step.position();
    assert_eq!(step.report("no-issues").unwrap_err().name(), "no-issues");
    assert!(matches!(position.typed(), AnyStep::Work(_)));

    // Along a known path, an exit and a tripped guardrail are different types.
    fn known() -> Result<Exit, Tripped> {
        Ok(Example::begin().complete()?.issues_found()?.complete()?.no_issues())
    }
    assert_eq!(known()?.reason(), Some(Exits::Done));
    fn endless() -> Result<Exit, Tripped> {
        let mut work = Example::begin();
        loop {
            work = work.complete()?.issues_found()?;
        }
    }
    let tripped = endless().unwrap_err();
    assert_eq!((tripped.step(), tripped.limit, tripped.observed), ("work", 2, 3));
    let either = || -> Result<Exit, Exit> { Ok(endless()?) };
    assert_eq!(either().unwrap_err().tripped(), Some(tripped));

    // Where a limit leads to an exit, that is no tripped guardrail.
    let unlimited::AskEntry::Ask(again) = Unlimited::begin().wrong()? else { panic!() };
    let unlimited::AskEntry::Exit(exit) = again.wrong()? else { panic!() };
    assert_eq!(exit.code(), "clarification-needed");
    let again = Unlimited::begin().on(unlimited::AskOutcome::Wrong);
    let ControlFlow::Continue(again) = ControlFlow::<_, unlimited::AnyStep>::from(again) else {
        panic!()
    };
    let end = match again.report("wrong") {
        Ok(ControlFlow::Break(end)) => end,
        other => panic!("{other:?}"),
    };
    match end {
        unlimited::End::ClarificationNeeded => {}
        unlimited::End::TaskCommitted | unlimited::End::UserProvidedOther => panic!(),
    }

    let end = match Namesakes::begin().on(namesakes::AskOutcome::Enough) {
        namesakes::AskNext::Ask(_) => panic!(),
        namesakes::AskNext::End(end) => end,
    };
    match end {
        namesakes::End::MaxTotalSteps => {}
        namesakes::End::Timeout
        | namesakes::End::RestartTimeout(_)
        | namesakes::End::TrippedMaxTotalSteps(_)
        | namesakes::End::MaxRestarts(_) => panic!(),
    }
    Ok(())
}
