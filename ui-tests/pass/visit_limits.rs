//! A visit of a step has limits, and a run that has used one up goes somewhere.

use std::time::Duration;

use surefire::{AfterLimit, Next, Position, VisitLimit};

surefire::recipe! {
    /// Migrates, and lets a person look at what takes too long, fails or costs too much.
    pub recipe Migration {
        initial: Migrate,
        guardrails: { max_total_steps: 9 },
        proves: { Commit needs Check.Good since Migrate },

        step Migrate {
            prompt: "Migrate it.",
            time: 30m => Escalate,
            retries: 2 => exit VerificationFailed,
            budget_usd: 1.50 => Escalate,
            outcomes: [Complete],
            Complete => Check,
        }
        step Check {
            prompt: "Check it.",
            time: 2h,
            budget_usd: 3 => exit CostBudget,
            outcomes: [Good, Bad],
            Good => Commit,
            Bad => Migrate,
        }
        step Commit { run: "git commit -am Migrate", time: 5m => Escalate, Passed => exit TaskCommitted, Failed => Migrate }
        step Escalate {
            prompt: "Write down what is known.",
            max_visits: 1 => exit ClarificationNeeded,
            outcomes: [Written],
            Written => Migrate,
        }
    }
}

surefire::recipe! {
    /// Without `=>`, and zero retries.
    recipe Plain {
        initial: Work,
        step Work {
            prompt: "Work.",
            time: 90s, retries: 0, budget_usd: 0.01,
            outcomes: [Done], Done => exit TaskCommitted,
        }
    }
}

surefire::steps! {
    pub(crate) steps working(otherwise) {
        step Work {
            prompt: "Work.",
            time: 1h => otherwise,
            retries: 1 => Rest,
            outcomes: [Done],
            Done => Rest,
        }
        step Rest { prompt: "Rest.", outcomes: [Rested], Rested => exit TaskCommitted }
    }
}

surefire::recipe! {
    recipe Twice {
        initial: EarlyWork,
        include working(otherwise => Work) as Early;
        include working(otherwise => exit ClarificationNeeded);
    }
}

fn main() -> Result<(), surefire::Exit> {
    use migration::EscalateEntry;

    // The driver of a typed run decides that a limit is used up.
    let EscalateEntry::Escalate(escalate) = Migration::begin().out_of_time()? else {
        panic!("one visit is left")
    };
    assert_eq!(Migration::begin().out_of_retries().code(), "verification_failed");
    let EscalateEntry::Exit(exit) = escalate.written()?.out_of_budget()? else {
        panic!("no visit is left")
    };
    assert_eq!(exit.code(), "clarification-needed");
    assert_eq!(Migration::begin().complete()?.out_of_budget().code(), "cost_budget");

    // The erased form goes the same way.
    let mut position = Position::<Migration>::begin();
    assert!(matches!(position.exceed(VisitLimit::Time), Some(Next::Step(step)) if step.name == "escalate"));
    assert!(position.exceed(VisitLimit::Retries).is_none(), "`Escalate` has no such limit");
    let _ = position.report("written").unwrap();
    assert!(matches!(position.exceed(VisitLimit::Budget), Some(Next::Exit(exit)) if exit.code() == "clarification-needed"));
    assert!(matches!(position.exceed(VisitLimit::Retries), Some(Next::Exit(exit)) if exit.code() == "verification_failed"));
    // A snapshot of a run that a limit led on is legal.
    let migration::AnyStep::Migrate(_) = Migration::resume(&position.snapshot()).unwrap() else {
        panic!("it is there again")
    };

    let limits = Plain::OUTLINE.steps[0].limits;
    assert_eq!(limits.time, Some(Duration::from_secs(90)));
    assert_eq!((limits.retries, limits.budget_usd), (Some(0), Some(0.01)));
    assert!(VisitLimit::Time.words() == "time limit" && limits.after(VisitLimit::Time).is_none());
    let limits = Migration::OUTLINE.step("commit").unwrap().limits;
    assert!(matches!((limits.time, limits.after_time), (None, Some(AfterLimit::Step(3)))));

    // What a limit leads to is a part of the graph.
    let graph = Migration::OUTLINE.graph();
    assert_eq!(graph.steps["migrate"]["time limit"].to_string(), "escalate");
    assert_eq!(graph.steps["migrate"]["retry limit"].to_string(), "exit verification_failed");
    let picture = Migration::OUTLINE.to_mermaid();
    assert!(picture.contains("s0 -. \"after 30m\" .-> s3"), "{picture}");
    assert!(picture.contains("s0 -. \"after 2 retries\" .-> e"), "{picture}");
    assert!(Migration::OUTLINE.to_dot().contains("\"commit\" -> \"escalate\" [style=dashed, label=\"after 5m\"]"));
    let json = serde_json::to_value(Migration::OUTLINE).unwrap();
    assert_eq!(json["steps"][0]["limits"]["time_s"], 1_800);
    assert_eq!(json["steps"][0]["limits"]["after_time"]["step"], "escalate");
    assert_eq!(json["steps"][0]["limits"]["budget_usd"], 1.5);

    // Work, then its time is up, work again, rest.
    assert_eq!((Twice::MAX_STEPS, Twice::MAX_STEPS_IS_EXACT), (3, true));
    let work: surefire::Exit = Twice::begin().out_of_time()?.out_of_time();
    assert_eq!(work.code(), "clarification-needed");
    Ok(())
}
