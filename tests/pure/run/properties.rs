//! Whatever happens to a run, in any order: it can be rebuilt from its events, ends once, never
//! takes more steps than its recipe allows, and neither loses nor repeats a prompt.

use std::collections::BTreeSet;
use std::time::Duration;

use super::one_run::{OneRun, replied};
use super::visit_limits::Migration;
use proptest::collection::vec;
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use proptest::test_runner::RngSeed;
use surefire::recipes::BUNDLED;
use surefire::run::{
    Action, Check, CheckKind, CheckResult, CheckVerdict, Event, Input, Limits, PendingPrompts,
    Purpose, Resume, ResumedBy, Run, TurnFacts,
};
use surefire::{Exit, ExitReason};

/// One thing that happens.
#[derive(Debug, Clone)]
enum Happens {
    Outcome(u8),
    BadReply(u8),
    LateReply,
    Fails(u8),
    Prompt,
    Cancel,
    Time(u64),
    Resume { by_user: bool, allow_visits: u32, allow_steps: u32, lift: bool },
}

fn happens() -> impl Strategy<Value = Happens> {
    prop_oneof![
        8 => any::<u8>().prop_map(Happens::Outcome),
        2 => any::<u8>().prop_map(Happens::BadReply),
        1 => Just(Happens::LateReply),
        1 => any::<u8>().prop_map(Happens::Fails),
        2 => Just(Happens::Prompt),
        1 => Just(Happens::Cancel),
        1 => (0u64..100).prop_map(Happens::Time),
        3 => (any::<bool>(), 0u32..3, 0u32..3, any::<bool>()).prop_map(
            |(by_user, allow_visits, allow_steps, lift)| Happens::Resume { by_user, allow_visits, allow_steps, lift }
        ),
    ]
}

fn limits() -> impl Strategy<Value = Limits> {
    let maybe = |range: std::ops::Range<u32>| proptest::option::weighted(0.3, range);
    (maybe(1..400), maybe(1..30), maybe(1..40), 0u32..4, 0u32..4).prop_map(
        |(time, max_ticks, budget, max_retries, auto_resumes)| {
            Limits::default()
                .time(time.map(|seconds| Duration::from_secs(seconds.into())))
                .max_ticks(max_ticks)
                .budget_usd(budget.map(|quarters| f64::from(quarters) * 0.25))
                .max_retries(max_retries)
                .auto_resumes(auto_resumes)
        },
    )
}

const FAILURES: [ExitReason; 5] = [
    ExitReason::Interrupted,
    ExitReason::RateLimited,
    ExitReason::WorkerFailed,
    ExitReason::Stalled,
    ExitReason::AuthRequired,
];

const BAD_REPLIES: [&str; 4] =
    ["", "no JSON", r#"{"outcome": "no-such-thing"}"#, r#"{"outcome": "other"}"#];

/// Ends the check with the verdict that the choice selects.
fn end_check(run: &mut OneRun, check: &Check, choice: u8) {
    let verdict = match choice % 8 {
        0 => CheckVerdict::Impossible,
        1 => CheckVerdict::TimedOut { limit: Duration::from_secs(1) },
        2..5 => CheckVerdict::Failed { status: Some(1) },
        _ => CheckVerdict::Passed,
    };
    let kind = if check.evidence.is_empty() { check.purpose } else { CheckKind::Evidence };
    let (name, found, took) = ("commit".to_owned(), "as it is".to_owned(), Duration::from_secs(1));
    let results = vec![CheckResult { kind, name, verdict, found, took, rehearsed: false }];
    run.handle(Input::Checked { check: check.check, results, violations: Vec::new(), took });
}

fn happen(run: &mut OneRun, what: &Happens) {
    let asked = match run.run.action() {
        Action::Ask(ask) => Some(ask.attempt),
        Action::Check(asked) => {
            if let Happens::Outcome(choice) | Happens::BadReply(choice) = what {
                return end_check(run, &asked, *choice);
            }
            None
        }
        Action::Wait | Action::End | Action::Restart(_) => None,
    };
    let took = Duration::from_secs(3);
    let facts = TurnFacts { took, ..TurnFacts::default() };
    match (what, asked) {
        (Happens::Outcome(choice), Some(_)) => {
            let outcomes = run.run.position().outline().outcomes;
            let name = outcomes[usize::from(*choice) % outcomes.len()].name;
            run.reply(&format!(r#"{{"outcome": "{name}", "otherDescription": "so"}}"#));
        }
        (Happens::BadReply(choice), Some(_)) => {
            run.reply(BAD_REPLIES[usize::from(*choice) % BAD_REPLIES.len()]);
        }
        (Happens::Fails(choice), Some(attempt)) => {
            let exit = Exit::because(FAILURES[usize::from(*choice) % FAILURES.len()]);
            run.handle(Input::Failed { attempt, exit, resume_at: Some(1), facts });
        }
        (Happens::LateReply, _) => {
            let late = run.fresh().attempt;
            let (before, ended) = (run.events.len(), run.run.ending().is_some());
            run.handle(replied(late, r#"{"outcome": "complete"}"#));
            assert_eq!((run.events.len(), run.run.ending().is_some()), (before, ended));
        }
        (Happens::Prompt, _) => {
            run.prompted("Listen.");
        }
        (Happens::Cancel, _) => {
            run.handle(Input::Cancelled { exit: Exit::because(ExitReason::UserRequested), took });
        }
        (Happens::Time(seconds), _) => {
            run.handle(Input::Elapsed { took: Duration::from_secs(*seconds) });
        }
        (Happens::Resume { by_user, allow_visits, allow_steps, lift }, _) => {
            let by = if *by_user { ResumedBy::User } else { ResumedBy::Auto };
            let limits = lift.then(Limits::default);
            let resume =
                Resume::by(by).limits(limits).allow_visits(*allow_visits).allow_steps(*allow_steps);
            let fresh = run.fresh();
            if let Ok(decision) = run.run.resume(resume, PendingPrompts::default(), fresh) {
                run.events.extend(decision.events);
                run.action = decision.action;
            }
        }
        (Happens::Outcome(_) | Happens::BadReply(_) | Happens::Fails(_), None) => {}
    }
}

/// Asserts the invariants that hold after every input.
fn check(run: &OneRun) {
    let rebuilt =
        Run::replay(run.run.recipe(), &run.events).expect("a run is rebuilt from its own events");
    assert_eq!(format!("{rebuilt:?}"), format!("{:?}", run.run));
    let again = serde_json::to_string(&run.events).expect("events serialize");
    let again: Vec<Event> = serde_json::from_str(&again).expect("events deserialize");
    assert_eq!(again, run.events);

    let (mut open, mut turn_open, mut delivering) = (true, false, false);
    let mut attempts = BTreeSet::new();
    let mut moves = 0;
    let (mut queued, mut delivered) = (Vec::new(), Vec::new());
    for event in &run.events {
        match event {
            Event::Started { .. } => assert_eq!(moves, 0),
            Event::TurnBegan { attempt, purpose, .. } => {
                assert!(open && !turn_open, "one turn at a time, in a run that has not ended");
                assert!(attempts.insert(*attempt), "an attempt is begun once");
                turn_open = true;
                delivering = matches!(purpose, Purpose::Deliver { .. });
                if let Purpose::Deliver { prompt } = purpose {
                    delivered.push(*prompt);
                }
            }
            Event::Replied { .. } => {
                assert!(turn_open, "a reply answers a turn");
                turn_open = false;
            }
            Event::CheckBegan { check, .. } => {
                assert!(open && !turn_open, "one turn or check at a time");
                assert!(attempts.insert(*check), "a check is begun once");
                turn_open = true;
                delivering = false;
            }
            Event::Checked { .. } => {
                assert!(turn_open, "only a check that began can end");
                turn_open = false;
            }
            Event::TreeSeen { .. } | Event::ToolsRefused { .. } | Event::RulesBroken { .. } => {
                assert!(turn_open, "the event belongs to a turn or a check");
            }
            Event::WorktreeEnded { .. } => assert!(!open, "a worktree ends after its run"),
            Event::Retried { number, of, .. } => assert!(number <= of),
            Event::LimitReached { .. } => {
                assert!(open, "a limit is reached before the run ends");
                turn_open = false;
            }
            Event::Moved { number, .. } => {
                moves += 1;
                assert_eq!(*number, moves + 1, "no transition is lost or duplicated");
            }
            Event::PromptQueued { prompt, .. } => queued.push(*prompt),
            Event::Ended { ending, redeliver, .. } => {
                assert!(open || ending.reason == "user-requested", "a run ends once");
                // A prompt that the agent may not have received is the next one again.
                assert!(!redeliver || turn_open && delivering);
                if *redeliver {
                    delivered.pop();
                }
                (open, turn_open) = (false, false);
            }
            Event::Resumed { .. } => {
                assert!(!open);
                open = true;
            }
            other => panic!("what does {other:?} have to do with the others?"),
        }
    }
    assert_eq!(open, run.run.ending().is_none());
    delivered.extend(run.run.queued().map(|(prompt, _)| prompt));
    assert_eq!(delivered, queued, "each prompt is delivered once and in order, or is still queued");
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        rng_seed: RngSeed::Fixed(0x5eed_0003),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_run_survives_whatever_happens(
        recipe in 0usize..9,
        limits in limits(),
        restarts in 0u32..60,
        what in vec(happens(), 0..60),
    ) {
        // Beside the eight bundled ones, a recipe with limits on each visit.
        let recipe = BUNDLED.iter().nth(recipe).unwrap_or(&Migration);
        let mut run = OneRun::spec(recipe, |spec| {
            spec.limits = limits;
            spec.restarts = restarts;
        });
        check(&run);
        for happening in &what {
            happen(&mut run, happening);
            check(&run);
        }
        // Only a resume can allow more steps than the recipe does.
        if !run.events.iter().any(|event| matches!(event, Event::Resumed { .. })) {
            assert!(run.run.position().steps() <= recipe.outline().max_steps);
        }
    }
}
