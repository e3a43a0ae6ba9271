//! How a run handles evidence, commands, and refused tools.

use std::time::Duration;

use surefire::run::{
    Action, Changes, CheckKind, CheckSubject, CheckVerdict, Event, Input, Limits, Moment,
    PendingPrompts, Purpose, Resume, ResumedBy, RetryCause, Run, ToolRefusal, TreeState, TurnFacts,
};
use surefire::{Exit, ExitReason, Tool};

use super::one_run::{OneRun, replied};

surefire::recipe! {
    /// Evidence, verify commands, a command step and tools.
    recipe Proving {
        initial: Build,
        guardrails: { max_step_visits: 5, max_verify_time_per_milestone: 10m },

        step Build {
            prompt: "Build it.",
            outcomes: [Complete, Blocked],
            verify: ["make check", ["make", "lint"]],
            Complete => Test,
            Blocked => exit ImplementationBlocked,
        }
        step Test { run: "make test", time: 5m, Passed => Commit, Failed => Build }
        step Commit {
            prompt: "Commit it.",
            outcomes: [Committed, NothingToCommit],
            tools: ["git add *", "git commit *"],
            Committed => exit TaskCommitted if commit,
            NothingToCommit => exit NoChangesToCommit if no_commit && clean,
        }
    }
}

const FAILED: CheckVerdict = CheckVerdict::Failed { status: Some(2) };

fn run() -> OneRun {
    OneRun::start(&Proving, Limits::default())
}

/// A run that is at `commit`, after its build and test steps.
fn at_commit() -> OneRun {
    let mut run = run();
    run.report("complete");
    run.checked(CheckVerdict::Passed, "all tests passed");
    assert_eq!(run.ask().step, "commit");
    run
}

fn retries(run: &OneRun) -> Vec<(u32, RetryCause)> {
    let retried = run.events.iter().filter_map(|event| match event {
        Event::Retried { number, cause, .. } => Some((*number, *cause)),
        _ => None,
    });
    retried.collect()
}

#[test]
fn an_outcome_is_followed_once_its_evidence_is_found() {
    let mut run = at_commit();
    run.reply(r#"{"outcome": "committed"}"#);
    assert_eq!(run.reason(), "", "the agent's report is not enough");
    let check = run.check();
    let names: Vec<_> = check.evidence.iter().map(ToString::to_string).collect();
    assert_eq!((check.step, names), ("commit", vec!["commit".to_owned()]));
    run.checked(CheckVerdict::Passed, "1a2b3c4 Round the cart");
    assert_eq!(run.reason(), "task-committed");
}

#[test]
fn missing_evidence_is_asked_for_with_what_was_found_and_then_ends_the_run() {
    let mut run = at_commit();
    for number in 1..=3 {
        run.reply(r#"{"outcome": "committed"}"#);
        run.checked(FAILED, "HEAD is still 1a2b3c4");
        let ask = run.ask();
        assert!(matches!(ask.purpose, Purpose::Evidence { number: it, .. } if it == number));
        assert!(
            ask.prompt.contains("`commit` was not found: HEAD is still 1a2b3c4"),
            "{}",
            ask.prompt
        );
        assert!(
            ask.prompt.contains("nothing-to-commit"),
            "the agent may report another outcome: {}",
            ask.prompt
        );
    }
    assert_eq!(retries(&run), [1, 2, 3].map(|number| (number, RetryCause::Evidence)));
    run.reply(r#"{"outcome": "committed"}"#);
    run.checked(FAILED, "HEAD is still 1a2b3c4");
    let ending = run.run.ending().unwrap();
    assert_eq!((ending.reason.as_str(), ending.exit_code), ("verification_failed", 10));
    assert!(ending.description.as_ref().unwrap().contains("HEAD is still 1a2b3c4"), "{ending:?}");
}

#[test]
fn the_agent_may_report_another_outcome_after_missing_evidence() {
    let mut run = at_commit();
    run.reply(r#"{"outcome": "committed"}"#);
    run.checked(FAILED, "HEAD is still 1a2b3c4");
    run.reply(r#"{"outcome": "nothing-to-commit"}"#);
    let names: Vec<_> = run.check().evidence.iter().map(ToString::to_string).collect();
    assert_eq!(names, ["no_commit", "clean"]);
    run.checked(CheckVerdict::Passed, "HEAD is 1a2b3c4");
    assert_eq!(run.reason(), "no-changes-to-commit");
}

#[test]
fn bad_replies_and_missing_evidence_share_the_retries_of_a_visit_and_the_last_cause_decides() {
    let bad = |run: &mut OneRun| _ = run.reply("no JSON");
    let missing = |run: &mut OneRun| {
        run.reply(r#"{"outcome": "committed"}"#);
        run.checked(FAILED, "no commit");
    };
    for (last, reason) in
        [(&bad as &dyn Fn(&mut OneRun), "orchestration-error"), (&missing, "verification_failed")]
    {
        let mut run = at_commit();
        for step in [&bad as &dyn Fn(&mut OneRun), &missing, &bad] {
            step(&mut run);
        }
        assert_eq!(run.reason(), "");
        last(&mut run);
        assert_eq!(run.reason(), reason);
    }
}

#[test]
fn an_end_for_missing_evidence_after_a_refusal_names_the_tools_and_the_option() {
    let mut run = at_commit();
    for _ in 0..4 {
        let refused = ToolRefusal {
            tool: "Bash".to_owned(),
            input: Some("git push".to_owned()),
            allow: vec!["git push *".to_owned()],
        };
        let facts = TurnFacts { refused: vec![refused], ..TurnFacts::default() };
        let (attempt, text) = (run.ask().attempt, r#"{"outcome": "committed"}"#.to_owned());
        run.handle(Input::Replied { attempt, text, facts });
        run.checked(FAILED, "no commit");
    }
    let ending = run.run.ending().unwrap();
    assert_eq!(ending.reason, "permission_denied");
    let words = ending.description.as_ref().unwrap();
    assert!(
        words.contains("Bash (`git push`)") && words.contains("--allow-tool 'git push *'"),
        "{words}"
    );
    assert_eq!(words.matches("git push`").count(), 1, "each refused tool is named once: {words}");
}

#[test]
fn commands_after_a_step_have_retries_of_their_own() {
    let mut run = run();
    run.reply("no JSON");
    for number in 1..=3 {
        run.reply(r#"{"outcome": "complete"}"#);
        let commands: Vec<_> = run.check().commands.iter().map(ToString::to_string).collect();
        assert_eq!(
            (run.check().purpose, commands),
            (CheckKind::Verify, vec!["make check".into(), "make lint".into()])
        );
        run.checked(FAILED, "error: unused variable");
        let ask = run.ask();
        assert!(matches!(ask.purpose, Purpose::Verify { number: it, .. } if it == number));
        assert!(
            ask.prompt.contains("`make check` failed with exit status 2: error: unused variable")
        );
        assert!(
            !ask.prompt.contains("could not be used"),
            "the prompt is not the reminder about JSON: {}",
            ask.prompt
        );
    }
    run.reply(r#"{"outcome": "complete"}"#);
    run.checked(FAILED, "error: unused variable");
    let ending = run.run.ending().unwrap();
    assert_eq!(ending.reason, "verification_failed");
    assert!(ending.description.as_ref().unwrap().contains("make check"), "{ending:?}");
}

#[test]
fn an_exit_is_not_verified() {
    let mut run = run();
    run.reply(r#"{"outcome": "blocked"}"#);
    assert_eq!(run.reason(), "implementation-blocked");
}

#[test]
fn the_time_of_a_visits_commands_is_bounded_together() {
    let mut run = run();
    run.reply(r#"{"outcome": "complete"}"#);
    assert_eq!(run.check().time, Some(Duration::from_secs(10 * 60)), "the recipe's guardrail");
    run.checked(FAILED, "");
    run.reply(r#"{"outcome": "complete"}"#);
    assert_eq!(run.check().time, Some(Duration::from_secs(595)), "five seconds are used up");
    run.checked(CheckVerdict::TimedOut { limit: Duration::from_secs(595) }, "");
    let ending = run.run.ending().unwrap();
    assert_eq!((ending.reason.as_str(), ending.exit_code), ("verification_timeout", 11));
}

#[test]
fn a_step_that_is_a_command_takes_no_turn_and_its_status_decides() {
    for (verdict, step) in [(CheckVerdict::Passed, "commit"), (FAILED, "build")] {
        let limits = Limits::default().max_ticks(Some(1));
        let mut run = OneRun::start(&Proving, limits);
        run.report("complete");
        let check = run.check();
        assert_eq!(
            (check.step, check.purpose, check.time),
            ("test", CheckKind::Run, Some(Duration::from_secs(5 * 60)))
        );
        assert_eq!(run.run.spent().ticks, 1, "a command needs no turn, even where none is left");
        run.checked(verdict, "");
        assert_eq!(run.reason(), "max_ticks", "but the next step does");
        let moved = run.events.iter().rev().find_map(|event| match event {
            Event::Moved { to, .. } => Some(to.as_str()),
            _ => None,
        });
        assert_eq!(moved, Some(step));
    }
}

#[test]
fn a_command_that_cannot_be_run_or_whose_end_is_unknown_ends_the_run() {
    let table = [
        (CheckVerdict::Impossible, "verification_failed"),
        (CheckVerdict::TimedOut { limit: Duration::from_secs(5 * 60) }, "verification_timeout"),
        (CheckVerdict::Unknown, "interrupted"),
    ];
    for (verdict, reason) in table {
        let mut run = run();
        run.report("complete");
        run.checked(verdict, "");
        let ending = run.run.ending().unwrap();
        assert_eq!(ending.reason, reason);
        assert!(
            ending.resume_at.is_none() && !ending.auto_resumable,
            "it does not run again automatically"
        );
        let fresh = run.fresh();
        let decision =
            run.run.resume(Resume::by(ResumedBy::User), PendingPrompts::default(), fresh).unwrap();
        assert!(matches!(decision.action, Action::Check(_)), "a person may have it run again");
    }
}

#[test]
fn the_first_snapshot_stays_the_baseline_and_turns_that_move_head_are_recorded() {
    let tree = |head: &str| TreeState { head: Some(head.to_owned()), ..TreeState::default() };
    let turn = |run: &mut OneRun, before: &str, after: &str, reply: &str| {
        let attempt = run.ask().attempt;
        run.handle(Input::TreeSeen { attempt, tree: tree(before) });
        let Input::Replied { attempt, text, facts } = replied(attempt, reply) else {
            unreachable!()
        };
        let seen = Some(Box::new((tree(after), Changes::default())));
        run.handle(Input::Replied { attempt, text, facts: TurnFacts { tree: seen, ..facts } });
    };
    let mut run = run();
    turn(&mut run, "a", "a", "no JSON");
    turn(&mut run, "b", "c", r#"{"outcome": "complete"}"#);
    let baseline = run.check().baseline;
    assert_eq!(baseline.tree, Some(tree("a")));
    let windows: Vec<_> =
        baseline.windows.iter().map(|it| (it.before.as_deref(), it.after.as_deref())).collect();
    assert_eq!(windows, [(Some("b"), Some("c"))], "the run did not move HEAD between its turns");
    let seen = run
        .events
        .iter()
        .filter(|event| matches!(event, Event::TreeSeen { moment: Moment::After { .. }, .. }));
    assert_eq!(seen.count(), 2);
    run.checked(CheckVerdict::Impossible, "");
    let fresh = run.fresh();
    let _ = run.run.resume(Resume::by(ResumedBy::User), PendingPrompts::default(), fresh).unwrap();
    assert_eq!(run.ask().baseline.tree, Some(tree("a")), "a resumed run keeps its baseline");
}

#[test]
fn a_check_survives_a_replay() {
    let mut run = at_commit();
    run.reply(r#"{"outcome": "committed"}"#);
    let check = run.check();
    let stored = serde_json::to_string(&run.events).unwrap();
    let events: Vec<Event> = serde_json::from_str(&stored).unwrap();
    assert!(matches!(
        events.last(),
        Some(Event::CheckBegan { subject: CheckSubject::Outcome { outcome, .. }, .. }) if outcome == "committed"
    ));
    let replayed = Run::replay(&Proving, &events).unwrap();
    let Action::Check(again) = replayed.action() else { panic!("{replayed:?}") };
    assert_eq!(*again, check);
}

#[test]
fn a_late_check_changes_nothing_and_a_stop_ends_one() {
    let mut run = at_commit();
    run.reply(r#"{"outcome": "committed"}"#);
    let (late, before) = (run.fresh().attempt, run.events.len());
    run.handle(Input::Checked {
        check: late,
        results: Vec::new(),
        violations: Vec::new(),
        took: Duration::ZERO,
    });
    assert_eq!(run.events.len(), before);
    let exit = surefire::Exit::because(surefire::ExitReason::UserRequested);
    run.handle(Input::Stopped { exit, took: Duration::from_secs(2) });
    assert_eq!(run.reason(), "user-requested");
}

#[test]
fn tools_that_a_resume_allows_stay_allowed_and_are_recorded_once() {
    let tools =
        |names: &[&str]| names.iter().map(|name| name.parse().unwrap()).collect::<Vec<Tool>>();
    let mut run = at_commit();
    assert!(!run.ask().prompt.contains("npm test *"));
    for expected in [tools(&["npm test *"]), Vec::new()] {
        let exit = Exit::because(ExitReason::UserRequested);
        run.handle(Input::Stopped { exit, took: Duration::ZERO });
        let resume = Resume::by(ResumedBy::User).allow_tools(tools(&["npm test *"]));
        let fresh = run.fresh();
        let decision = run.run.resume(resume, PendingPrompts::default(), fresh).unwrap();
        let Some(Event::Resumed { allow_tools, .. }) = decision.events.first() else {
            panic!("{decision:?}")
        };
        assert_eq!(*allow_tools, expected);
        assert_eq!(run.run.spec().allow_tools, tools(&["npm test *"]));
        assert!(run.ask().prompt.contains("npm test *"), "{}", run.ask().prompt);
    }
}
