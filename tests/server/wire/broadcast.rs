//! The messages about a run that clients get, and their order.

use surefire::recipes::{ImplementAndReview, ImplementAndReviewAll};
use surefire::run::{Resume, ResumedBy};
use surefire::wire::{ServerMessage, Stamp};
use surefire::{Exit, ExitReason};

use super::one_run::{BEGAN, OneRun, at, run_id, session};

/// A message on one line.
fn in_short(message: &ServerMessage) -> String {
    let kind = message.kind();
    match message {
        ServerMessage::RecipeStarted(started) => {
            assert_eq!(started.step, started.current_step);
            format!("{kind} {} {}", started.current_step, started.step_count)
        }
        ServerMessage::RecipeStepStarted(step) => {
            format!("{kind} {} {}", step.step, step.step_count)
        }
        ServerMessage::RecipeStepTransition(moved) => {
            format!("{kind} {} {} {}", moved.from_step, moved.outcome, moved.to_step)
        }
        ServerMessage::OrchestrationRetry(retry) => {
            format!("{kind} {} {} of {}", retry.step, retry.attempt, retry.max_attempts)
        }
        ServerMessage::RecipeExited(exited) => {
            let step = exited.step.as_deref().expect("it ran");
            format!("{kind} {} {step} {}", exited.reason, exited.step_count)
        }
        ServerMessage::TurnComplete(turn) if turn.aborted => format!("{kind} aborted"),
        _ => kind.to_owned(),
    }
}

/// Checks the messages about a run, and that each has the run's ids, a sequence number and a time.
fn assert_published(run: &OneRun, expected: &[&str]) {
    let published: Vec<_> = run.published.iter().map(in_short).collect();
    assert_eq!(published, expected);
    let mut latest = 0;
    for message in &run.published {
        let json: serde_json::Value = serde_json::from_str(&message.to_json()).expect("it is JSON");
        assert_eq!(json["session_id"], run.run.spec().session.to_string(), "{json}");
        if matches!(message, ServerMessage::TurnComplete(_)) {
            continue;
        }
        assert_eq!(json["run_id"], run.run.spec().run.to_string(), "{json}");
        let seq = json["seq"].as_u64().expect("it has a number");
        assert!(seq >= 1 && seq >= latest && seq <= run.events.len() as u64, "{json}");
        assert_eq!(json["at"], Stamp(at(seq)).to_string(), "{json}");
        latest = seq;
    }
}

#[test]
fn a_run_that_reaches_its_goal() {
    let run = OneRun::start(&ImplementAndReview).reports(["complete", "no-issues", "committed"]);
    let expected = [
        "recipe_started implement 1",
        "recipe_step_started implement 1",
        "turn_complete",
        "recipe_step_transition implement complete code-review",
        "recipe_started code-review 2",
        "recipe_step_started code-review 2",
        "turn_complete",
        "recipe_step_transition code-review no-issues commit",
        "recipe_started commit 3",
        "recipe_step_started commit 3",
        "turn_complete",
        "recipe_exited task-committed commit 3",
        "turn_complete",
    ];
    assert_published(&run, &expected);
}

#[test]
fn a_reply_that_cannot_be_read_is_published_as_a_retry() {
    let mut run = OneRun::start(&ImplementAndReview);
    run.reply("I think it went well.");
    run.report("finished");
    run.report("no-tasks");
    let expected = [
        "recipe_started implement 1",
        "recipe_step_started implement 1",
        "turn_complete",
        "orchestration_retry implement 1 of 3",
        "turn_complete",
        "orchestration_retry implement 2 of 3",
        "turn_complete",
        "recipe_exited no-tasks-available implement 1",
        "turn_complete",
    ];
    assert_published(&run, &expected);
}

#[test]
fn a_failed_run_is_also_published_as_a_short_error() {
    let mut run = OneRun::start(&ImplementAndReview);
    (0..4).for_each(|_| run.reply("I think it went well."));
    let published: Vec<_> = run.published.iter().map(in_short).collect();
    assert_eq!(
        published[published.len() - 4..],
        [
            "turn_complete",
            "recipe_error",
            "recipe_exited orchestration-error implement 1",
            "turn_complete"
        ]
    );
    let ServerMessage::RecipeError(error) = run.latest("recipe_error") else { panic!("it is one") };
    assert_eq!(error.error, "Max retries exceeded");
    let ServerMessage::RecipeExited(exited) = run.latest("recipe_exited") else {
        panic!("it is one")
    };
    assert!(exited.error.is_some_and(|error| error.contains("no JSON object")));
}

#[test]
fn an_agent_that_fails_ends_its_turn_and_its_run() {
    let mut run = OneRun::start(&ImplementAndReview);
    run.fail(Exit::because(ExitReason::Error), None);
    let expected = [
        "recipe_started implement 1",
        "recipe_step_started implement 1",
        "recipe_error",
        "recipe_exited error implement 1",
        "turn_complete aborted",
    ];
    assert_published(&run, &expected);
    let ServerMessage::RecipeExited(exited) = run.latest("recipe_exited") else {
        panic!("it is one")
    };
    assert_eq!(exited.error, Some(exited.message), "a failure always has an error");
}

#[test]
fn a_guardrail_names_the_refused_step_and_does_not_count_it() {
    let loops = [
        "complete",
        "issues-found",
        "complete",
        "issues-found",
        "complete",
        "issues-found",
        "complete",
    ];
    let mut run = OneRun::start(&ImplementAndReview).reports(loops);
    let published: Vec<_> = run.published.iter().map(in_short).collect();
    let end = [
        "turn_complete",
        "recipe_exited max-step-visits-exceeded:code-review fix 7",
        "turn_complete",
    ];
    assert_eq!(published[published.len() - 3..], end);
    let before = run.published.len();
    run.resume(Resume::by(ResumedBy::User).allow_visits(1));
    let published: Vec<_> = run.published[before..].iter().map(in_short).collect();
    let expected = [
        "recipe_started fix 7",
        "recipe_step_transition fix complete code-review",
        "recipe_started code-review 8",
        "recipe_step_started code-review 8",
    ];
    assert_eq!(published, expected, "the step that was refused is entered now");
}

#[test]
fn a_run_that_is_exited_in_the_middle_of_a_turn() {
    let mut run = OneRun::start(&ImplementAndReview).reports(["complete"]);
    run.cancel(Exit::because(ExitReason::UserRequested));
    let expected = [
        "recipe_started implement 1",
        "recipe_step_started implement 1",
        "turn_complete",
        "recipe_step_transition implement complete code-review",
        "recipe_started code-review 2",
        "recipe_step_started code-review 2",
        "recipe_exited user-requested code-review 2",
        "turn_complete aborted",
    ];
    assert_published(&run, &expected);
    run.cancel(Exit::because(ExitReason::UserRequested));
    assert_eq!(run.published.len(), expected.len(), "a run that has ended does not end again");
}

#[test]
fn a_resumed_run_is_published_as_a_start_at_its_step() {
    let mut run = OneRun::start(&ImplementAndReview).reports(["complete"]);
    run.cancel(Exit::because(ExitReason::UserStopped));
    let before = run.published.len();
    run.resume(Resume::by(ResumedBy::User));
    run.report("no-issues");
    let published: Vec<_> = run.published[before..].iter().map(in_short).collect();
    let expected = [
        "recipe_started code-review 2",
        "recipe_step_started code-review 2",
        "turn_complete",
        "recipe_step_transition code-review no-issues commit",
        "recipe_started commit 3",
        "recipe_step_started commit 3",
    ];
    assert_eq!(published, expected);
}

#[test]
fn a_waiting_run_names_its_resume_time_and_can_be_exited() {
    let mut run = OneRun::start(&ImplementAndReview);
    run.fail(Exit::because(ExitReason::RateLimited), Some(BEGAN + 3_600_000));
    let ServerMessage::RecipeExited(paused) = run.latest("recipe_exited") else {
        panic!("it is one")
    };
    assert_eq!(paused.resume_at, Some(Stamp(BEGAN + 3_600_000)));
    let before = run.published.len();
    run.cancel(Exit::because(ExitReason::UserRequested));
    let published: Vec<_> = run.published[before..].iter().map(in_short).collect();
    assert_eq!(
        published,
        ["recipe_exited user-requested implement 1", "turn_complete"],
        "no turn was cut short"
    );
    let ServerMessage::RecipeExited(exited) = run.latest("recipe_exited") else {
        panic!("it is one")
    };
    assert_eq!(exited.resume_at, None);
}

#[test]
fn a_user_prompt_is_a_turn_of_its_own_between_the_steps() {
    let mut run = OneRun::start(&ImplementAndReview);
    run.prompted("Please keep the old name of the table.");
    run.report("complete");
    run.reply("I will keep it.");
    let expected = [
        "recipe_started implement 1",
        "recipe_step_started implement 1",
        "turn_complete",
        "recipe_step_transition implement complete code-review",
        "recipe_started code-review 2",
        "turn_complete",
        "recipe_step_started code-review 2",
    ];
    assert_published(&run, &expected);
}

#[test]
fn a_chain_ends_in_one_session_and_begins_in_the_next() {
    let first =
        OneRun::start(&ImplementAndReviewAll).reports(["complete", "no-issues", "committed"]);
    let published: Vec<_> = first.published.iter().map(in_short).collect();
    let end = ["turn_complete", "recipe_exited restart-new-session commit 3", "turn_complete"];
    assert_eq!(published[published.len() - 3..], end);
    let ServerMessage::RecipeExited(exited) = first.latest("recipe_exited") else {
        panic!("it is one")
    };
    assert!(exited.goal_met && exited.error.is_none());

    let second = first.successor().reports(["no-tasks"]);
    assert_eq!(exited.continued_by, Some(second.run.spec().run));
    assert_ne!((second.run.spec().run, second.run.spec().session), (run_id(), session()));
    let expected = [
        "recipe_started implement 1",
        "recipe_step_started implement 1",
        "turn_complete",
        "recipe_exited no-tasks-available implement 1",
        "turn_complete",
    ];
    assert_published(&second, &expected);
}

#[test]
fn clients_that_connect_later_get_the_same_messages() {
    let run = OneRun::start(&ImplementAndReview).reports(["complete"]);
    let ServerMessage::RecipeStarted(started) = run.latest("recipe_started") else {
        panic!("it is one")
    };
    assert_eq!(run.broadcast.state(started.of), started);

    let run = run.reports(["no-issues", "committed"]);
    let ServerMessage::RecipeExited(exited) = run.latest("recipe_exited") else {
        panic!("it is one")
    };
    let (of, ending) = (exited.of.expect("it ran"), run.run.ending().expect("it has ended"));
    assert_eq!(run.broadcast.exited(of, ending), exited);
}
