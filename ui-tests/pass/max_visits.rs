//! A step has a limit of its own, and a run that has used it up goes somewhere.

use surefire::{Guardrail, Next, Position, AfterLimit};

surefire::recipe! {
    /// Fixes until a review finds nothing, and escalates if that does not help.
    pub recipe Careful {
        initial: Implement,
        guardrails: { max_step_visits: 5 },

        step Implement {
            prompt: "Implement it.",
            outcomes: [Complete],
            Complete => Review,
        }
        step Review {
            prompt: "Review it.",
            max_visits: 2 => Escalate,
            outcomes: [Fine, Issues],
            Fine => exit TaskCommitted,
            Issues => Fix,
        }
        step Fix {
            prompt: "Fix it.",
            outcomes: [Fixed, Stuck],
            Fixed => Review,
            Stuck => Escalate,
        }
        step Escalate {
            prompt: "Look at it from another side.",
            max_visits: 1 => exit ClarificationNeeded,
            outcomes: [Idea],
            Idea => Fix,
        }
    }
}

surefire::recipe! {
    /// A limit without `=>` ends the run, and bounds the cycle by itself.
    recipe Poll {
        initial: Wait,
        step Wait { run: "test -e done", max_visits: 10, Passed => exit TaskCommitted, Failed => Wait }
    }
}

surefire::recipe! {
    /// One step of the cycle has a limit, and that is enough.
    recipe Unlimited {
        initial: Guess,
        step Guess { prompt: "Guess.", outcomes: [Guessed], Guessed => Ask }
        step Ask { prompt: "Ask.", max_visits: 3, outcomes: [Right, Wrong], Right => exit TaskCommitted, Wrong => Guess }
    }
}

surefire::steps! {
    pub(crate) steps checking(otherwise) {
        step Check {
            prompt: "Check it.",
            max_visits: 2 => otherwise,
            outcomes: [Good, Bad],
            Good => exit TaskCommitted,
            Bad => Check,
        }
    }
}

surefire::recipe! {
    recipe Checked {
        initial: Check,
        include checking(otherwise => Ask);
        step Ask { prompt: "Ask.", outcomes: [Asked], Asked => exit ClarificationNeeded }
    }
}

fn main() -> Result<(), surefire::Exit> {
    use careful::{FixNext, ReviewEntry, ReviewOutcome};

    // What cannot find the step full enters it as it always did.
    let fix = Careful::begin().complete()?.issues()?;
    let ReviewEntry::Review(review) = fix.fixed()? else { panic!("one visit is left") };
    let fix = review.issues()?;
    let ReviewEntry::Escalate(escalate) = fix.fixed()? else { panic!("it was visited twice") };
    assert_eq!(escalate.position().visits(careful::Step::Review), 2);

    // The step that it leads to has a limit too, and that one exits.
    let FixNext::End(end) = escalate.idea()?.on(careful::FixOutcome::Fixed) else { panic!() };
    assert_eq!(end, careful::End::ClarificationNeeded);
    assert_eq!((end.exit().code().as_ref(), end.exit().tripped()), ("clarification-needed", None));

    // The erased form goes the same way.
    let mut position = Position::<Careful>::begin();
    let mut at = |outcome: &str| match position.report(outcome).unwrap() {
        Next::Step(step) => step.name.to_owned(),
        Next::Exit(exit) => exit.code().into_owned(),
        Next::Restart(_) => unreachable!(),
    };
    let outcomes = ["complete", "issues", "fixed", "issues", "fixed", "idea", "fixed"];
    let way = outcomes.map(&mut at);
    assert_eq!(way, ["review", "fix", "review", "fix", "escalate", "fix", "clarification-needed"]);

    // More visits for a resumed run are more visits of such a step.
    let raised = Careful::OUTLINE.guardrails.raised_by(1, 0);
    let mut position = Position::<Careful>::begin();
    for outcome in &outcomes[..4] {
        let _ = position.report(outcome).unwrap();
    }
    let next = position.report_within("fixed", &raised).unwrap();
    assert!(matches!(next, Next::Step(step) if step.name == "review"));

    // Without `=>` it is a guardrail like the recipe's.
    let mut wait = Poll::begin();
    let tripped = loop {
        match wait.failed() {
            Ok(again) => wait = again,
            Err(tripped) => break tripped,
        }
    };
    assert_eq!((tripped.guardrail, tripped.limit), (Guardrail::MaxStepVisits, 10));
    assert_eq!((Poll::MAX_STEPS, Poll::MAX_STEPS_IS_EXACT), (10, true));
    // Implement, two reviews, a fix after each, an escalation, and the fix after that.
    assert_eq!((Careful::MAX_STEPS, Careful::MAX_STEPS_IS_EXACT), (7, true));
    // Only the limit of `Ask` ends it: it answers three times, and `Guess` has none.
    assert_eq!((Unlimited::MAX_STEPS, Unlimited::MAX_STEPS_IS_EXACT), (7, true));

    let checked::CheckEntry::Check(check) = Checked::begin().bad()? else { panic!() };
    let checked::CheckEntry::Ask(_) = check.bad()? else { panic!() };

    let limits = Careful::OUTLINE.step("review").unwrap().limits;
    assert!(matches!(limits.when_full, Some(AfterLimit::Step(3))));
    assert!(matches!(
        Careful::begin().complete()?.on(ReviewOutcome::Issues),
        careful::ReviewNext::Fix(_)
    ));
    let picture = Careful::OUTLINE.to_mermaid();
    assert!(picture.contains("s1 -. \"visited twice\" .-> s3"), "{picture}");
    assert!(picture.contains("s3 -. \"visited once\" .-> e"), "{picture}");
    assert!(Careful::OUTLINE.to_dot().contains("\"review\" -> \"escalate\" [style=dashed"));
    Ok(())
}
