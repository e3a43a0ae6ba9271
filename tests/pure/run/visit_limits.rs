//! How a run handles the limits of a visit: its time, its retries and its budget.

use std::time::Duration;

use surefire::run::{
    Action, CheckVerdict, Event, Exceeded, Input, Limits, PendingPrompts, Purpose, Resume,
    ResumedBy, Run, TurnFacts,
};
use surefire::{AnyRecipe, BrokenRule, Exit, ExitReason, Violation, VisitLimit};

use super::one_run::OneRun;

surefire::recipe! {
    /// Every limit leads somewhere.
    pub(super) recipe Migration {
        initial: Migrate,
        guardrails: { max_total_steps: 4 },

        step Migrate {
            prompt: "Migrate it.",
            time: 30m => Escalate,
            retries: 1 => Rest,
            budget_usd: 1.50 => exit ClarificationNeeded,
            verify: ["make check"],
            outcomes: [Complete, Again],
            Complete => Rest if commit,
            Again => Migrate,
        }
        step Rest { run: "make rest", time: 5m => Escalate, Passed => exit TaskCommitted, Failed => Migrate }
        step Escalate {
            prompt: "Write down what is known.",
            max_visits: 1 => exit MaxTicks,
            outcomes: [Written, Retry],
            Written => exit ImplementationBlocked,
            Retry => Migrate,
        }
    }
}

surefire::recipe! {
    /// No limit leads anywhere.
    recipe Plain {
        initial: Work,
        step Work {
            prompt: "Work.", time: 10m, retries: 0, budget_usd: 1,
            outcomes: [Done], Done => exit TaskCommitted,
        }
    }
}

fn start(recipe: &'static dyn AnyRecipe) -> OneRun {
    OneRun::start(recipe, Limits::default())
}

fn minutes(count: u64) -> Duration {
    Duration::from_secs(count * 60)
}

/// The agent replies after so long, for so much.
fn reply(run: &mut OneRun, text: &str, took: Duration, cost_usd: f64) {
    let facts = TurnFacts { took, cost_usd: Some(cost_usd), ..TurnFacts::default() };
    let (attempt, text) = (run.ask().attempt, text.to_owned());
    run.handle(Input::Replied { attempt, text, facts });
}

/// The limits that were reached, and where the run went.
fn left(run: &OneRun) -> Vec<(String, VisitLimit, Exceeded, String)> {
    let events = run.events.iter().zip(run.events.iter().skip(1));
    let left = events.filter_map(|(event, next)| match (event, next) {
        (Event::LimitReached { step, limit, exceeded, .. }, Event::Moved { outcome, to, .. }) => {
            assert_eq!(outcome, limit.words());
            Some((step.clone(), *limit, **exceeded, to.clone()))
        }
        (Event::LimitReached { step, limit, exceeded, .. }, Event::Ended { ending, .. }) => {
            Some((step.clone(), *limit, **exceeded, ending.reason.clone()))
        }
        _ => None,
    });
    left.collect()
}

/// Rebuilds the run from its events, and compares.
fn replayed(run: &OneRun, recipe: &'static dyn AnyRecipe) {
    let again = Run::replay(recipe, &run.events).unwrap();
    assert_eq!(format!("{again:?}"), format!("{:?}", run.run));
    for event in &run.events {
        let stored = serde_json::to_string(event).unwrap();
        assert_eq!(serde_json::from_str::<Event>(&stored).unwrap(), *event);
    }
}

#[test]
fn the_turn_is_cut_short_when_the_visit_s_time_is_up() {
    let mut run = start(&Migration);
    assert_eq!(run.ask().time_left, Some(minutes(30)));
    assert!(matches!(run.handle(Input::Elapsed { took: minutes(29) }), Action::Wait));
    let first = run.ask().attempt;
    let Action::Ask(ask) = run.handle(Input::Elapsed { took: minutes(30) }) else { panic!() };
    assert_eq!((ask.step, ask.time_left), ("escalate", None), "each step has its own");
    assert!(ask.prompt.starts_with("Write down what is known."), "{}", ask.prompt);
    let exceeded = Exceeded::Time { limit: minutes(30), observed: minutes(30) };
    assert_eq!(left(&run), [("migrate".into(), VisitLimit::Time, exceeded, "escalate".to_owned())]);
    assert_eq!(run.run.spent().time, minutes(30), "the turn that was cut short counts");
    // Its reply comes too late.
    let facts = TurnFacts::default();
    let late = Input::Replied { attempt: first, text: "{\"outcome\": \"complete\"}".into(), facts };
    assert!(matches!(run.handle(late), Action::Wait));
    assert_eq!(run.ask().step, "escalate");
    replayed(&run, &Migration);
}

#[test]
fn the_turns_and_checks_of_a_visit_share_its_time() {
    let mut run = start(&Migration);
    reply(&mut run, "no outcome", minutes(20), 0.1);
    assert_eq!(run.ask().time_left, Some(minutes(10)));
    reply(&mut run, "{\"outcome\": \"complete\"}", minutes(6), 0.1);
    assert_eq!(run.check().time_left, Some(minutes(4)), "the check of its outcome counts too");
    run.handle(Input::Elapsed { took: minutes(4) });
    assert_eq!((run.ask().step, left(&run).len()), ("escalate", 1));
    replayed(&run, &Migration);
    // The next visit begins with a new limit.
    run.report("retry");
    assert_eq!((run.ask().step, run.ask().time_left), ("migrate", Some(minutes(30))));
}

#[test]
fn a_retry_that_comes_after_the_time_is_not_begun() {
    let mut run = start(&Migration);
    // The reply arrived before the engine noticed that the time was up.
    reply(&mut run, "no outcome", minutes(31), 0.1);
    assert_eq!(run.ask().step, "escalate");
    let (_, limit, exceeded, _) = left(&run)[0].clone();
    assert_eq!(limit, VisitLimit::Time);
    assert_eq!(exceeded, Exceeded::Time { limit: minutes(30), observed: minutes(31) });
    // An outcome is followed, however long it took.
    let mut run = start(&Migration);
    reply(&mut run, "{\"outcome\": \"again\"}", minutes(31), 9.0);
    run.checked(CheckVerdict::Passed, "fine");
    assert_eq!((run.ask().step, left(&run).len()), ("migrate", 0));
}

#[test]
fn the_shorter_of_two_times_is_left_and_the_run_s_own_ends_it() {
    let limits = Limits::default().time(Some(minutes(20)));
    let mut run = OneRun::start(&Migration, limits);
    assert_eq!(run.ask().time_left, Some(minutes(20)));
    run.handle(Input::Elapsed { took: minutes(20) });
    assert_eq!((run.reason(), left(&run).len()), ("timeout", 0));
}

#[test]
fn all_retries_of_a_visit_count_together() {
    let mut run = start(&Migration);
    reply(&mut run, "no outcome", minutes(1), 0.1);
    let purpose = run.ask().purpose;
    assert!(matches!(purpose, Purpose::Remind { number: 1, .. }), "{purpose:?}");
    let retried = run.events.iter().find_map(|event| match event {
        Event::Retried { number, of, .. } => Some((*number, *of)),
        _ => None,
    });
    assert_eq!(retried, Some((1, 1)), "the step's limit, and not the operator's 3");
    reply(&mut run, "{\"outcome\": \"complete\"}", minutes(1), 0.1);
    run.checked(CheckVerdict::Failed { status: None }, "no commit");
    // The command that the run goes to asks no agent.
    assert_eq!(run.check().step, "rest");
    let exceeded = Exceeded::Count { limit: 1, observed: 1 };
    assert_eq!(left(&run), [("migrate".into(), VisitLimit::Retries, exceeded, "rest".to_owned())]);
    replayed(&run, &Migration);
}

#[test]
fn a_command_that_takes_too_long_leads_elsewhere() {
    let mut run = start(&Migration);
    run.report("complete");
    assert_eq!(run.check().time, Some(minutes(5)));
    run.checked(CheckVerdict::TimedOut { limit: minutes(5) }, "");
    assert_eq!((run.ask().step, left(&run)[0].1), ("escalate", VisitLimit::Time));
    replayed(&run, &Migration);
}

#[test]
fn the_cost_of_a_visit_is_looked_at_before_each_further_turn() {
    let mut run = start(&Migration);
    assert_eq!(run.ask().budget_left, Some(1.5));
    reply(&mut run, "no outcome", minutes(1), 1.25);
    assert_eq!(run.ask().budget_left, Some(0.25), "the agent gets what is left");
    let mut run = start(&Migration);
    reply(&mut run, "no outcome", minutes(1), 1.75);
    // A retry is left, but no money.
    assert_eq!(run.reason(), "clarification-needed");
    let exceeded = Exceeded::Cost { limit: 1.5, observed: 1.75 };
    let expected = ("migrate".into(), VisitLimit::Budget, exceeded, "clarification-needed".into());
    assert_eq!(left(&run), [expected]);
    let ending = run.run.ending().unwrap();
    let words = "a visit of step `migrate` may cost $1.50";
    assert_eq!(ending.description.as_deref(), Some(words));
    assert_eq!(ending.outcome.as_deref(), Some("budget limit"));
    replayed(&run, &Migration);
}

#[test]
fn an_agent_that_stops_at_its_budget_had_the_smaller_one() {
    let spent = |cost_usd| {
        let exit = Exit::because(ExitReason::CostBudget);
        let facts = TurnFacts { took: minutes(2), cost_usd, ..TurnFacts::default() };
        move |run: &mut OneRun| {
            let attempt = run.ask().attempt;
            run.handle(Input::Failed { attempt, exit, resume_at: None, facts });
        }
    };
    let mut run = start(&Migration);
    spent(Some(1.6))(&mut run);
    assert_eq!((run.reason(), left(&run)[0].1), ("clarification-needed", VisitLimit::Budget));
    assert!((run.run.spent().cost_usd - 1.6).abs() < 1e-9);
    // One that reports no cost has spent what it had.
    let mut run = start(&Migration);
    spent(None)(&mut run);
    assert!((run.run.spent().cost_usd - 1.5).abs() < 1e-9);
    replayed(&run, &Migration);
    let limits = Limits::default().budget_usd(Some(1.0));
    let mut run = OneRun::start(&Migration, limits);
    assert_eq!(run.ask().budget_left, Some(1.0));
    spent(Some(1.1))(&mut run);
    assert_eq!((run.reason(), left(&run).len()), ("cost_budget", 0));
}

#[test]
fn a_limit_that_leads_nowhere_ends_the_run_and_says_which_one_it_was() {
    let mut run = start(&Plain);
    run.handle(Input::Elapsed { took: minutes(10) });
    let ending = run.run.ending().unwrap();
    assert_eq!((run.reason(), ending.outcome.as_deref()), ("worker_timeout", None));
    assert!(ending.message.contains("(limit 10 min, took 10 min)"), "{}", ending.message);
    replayed(&run, &Plain);

    let mut run = start(&Plain);
    reply(&mut run, "no outcome", minutes(1), 0.1);
    assert_eq!(run.reason(), "orchestration-error", "it is never asked again");

    let attempt = |run: &OneRun| run.ask().attempt;
    let mut run = start(&Plain);
    let (attempt, facts) = (attempt(&run), TurnFacts::default());
    let exit = Exit::because(ExitReason::CostBudget);
    run.handle(Input::Failed { attempt, exit, resume_at: None, facts });
    assert_eq!(run.reason(), "cost_budget");
    let exceeded = run.events.iter().find_map(|event| match event {
        Event::Ended { exceeded, .. } => exceeded.as_deref().copied(),
        _ => None,
    });
    assert_eq!(exceeded, Some(Exceeded::Cost { limit: 1.0, observed: 1.0 }));
}

#[test]
fn a_person_who_resumes_gives_the_visit_new_limits_and_a_pause_does_not() {
    let resumed = |by| {
        let mut run = start(&Migration);
        let attempt = run.ask().attempt;
        let facts = TurnFacts { took: minutes(25), ..TurnFacts::default() };
        let exit = Exit::because(ExitReason::Interrupted);
        run.handle(Input::Failed { attempt, exit, resume_at: Some(1), facts });
        let fresh = run.fresh();
        let decision = run.run.resume(Resume::by(by), PendingPrompts::default(), fresh).unwrap();
        run.events.extend(decision.events);
        replayed(&run, &Migration);
        run.ask().time_left
    };
    assert_eq!(resumed(ResumedBy::User), Some(minutes(30)));
    assert_eq!(resumed(ResumedBy::Auto), Some(minutes(5)));
}

#[test]
fn a_broken_rule_ends_the_run_even_if_the_time_is_up() {
    let mut run = start(&Migration);
    let attempt = run.ask().attempt;
    let violations = vec![Violation::new("Cargo.lock", BrokenRule::Lockfile)];
    let facts = TurnFacts { violations, ..TurnFacts::default() };
    run.handle(Input::TurnSeen { attempt, facts });
    run.handle(Input::Elapsed { took: minutes(30) });
    assert_eq!((run.reason(), left(&run).len()), ("lockfile_violation", 0));
}

#[test]
fn a_guardrail_that_refuses_the_way_on_can_be_raised() {
    let mut run = start(&Migration);
    for _ in 0..3 {
        run.report("again");
    }
    run.handle(Input::Elapsed { took: minutes(30) });
    assert_eq!(run.reason(), "max-total-steps");
    let fresh = run.fresh();
    let again = Resume::by(ResumedBy::User);
    let refused = run.run.resume(again.clone(), PendingPrompts::default(), fresh).unwrap_err();
    assert!(refused.to_string().contains("would stop again"), "{refused}");
    let more = again.allow_steps(1);
    let decision = run.run.resume(more, PendingPrompts::default(), fresh).unwrap();
    run.events.extend(decision.events);
    assert_eq!(run.ask().step, "escalate", "it goes where the limit leads");
    replayed(&run, &Migration);
}

#[test]
fn a_full_step_behind_a_limit_leads_on() {
    let mut run = start(&Migration);
    run.handle(Input::Elapsed { took: minutes(30) });
    run.report("retry");
    run.handle(Input::Elapsed { took: minutes(30) });
    assert_eq!(run.reason(), "max_ticks");
    let words = run.run.ending().unwrap().description.clone().unwrap();
    let expected = "a visit of step `migrate` may take 30 min; the run had visited step `escalate` \
                    as often as it may";
    assert_eq!(words, expected);
    replayed(&run, &Migration);
}
