//! What a run decides: one test per rule.

use std::time::Duration;

use super::one_run::{OneRun, replied};
use surefire::__private::Sealed;
use surefire::recipes::{ImplementAndReview, ImplementAndReviewAll};
use surefire::run::{
    Action, CannotResume, Event, Input, Limits, PendingPrompts, Purpose, Resume, ResumedBy, Run,
    ToolRefusal, TurnFacts,
};
use surefire::{
    AnyPosition, AnyRecipe, Exit, ExitReason, Outline, Recipe, Snapshot, SnapshotError, StepOutline,
};
use uuid::Uuid;

fn run() -> OneRun {
    OneRun::start(&ImplementAndReview, Limits::default())
}

fn names(run: &OneRun) -> Vec<&'static str> {
    run.events.iter().map(Event::name).collect()
}

#[test]
fn a_run_follows_its_recipe_and_its_ending_has_the_reason() {
    let mut run = run();
    for outcome in ["complete", "issues-found", "complete", "no-issues", "committed"] {
        run.report(outcome);
    }
    let ending = run.run.ending().unwrap();
    assert_eq!(
        (ending.reason.as_str(), ending.step.as_str(), ending.steps),
        ("task-committed", "commit", 5)
    );
    assert_eq!(ending.outcome.as_deref(), Some("committed"));
    assert!(ending.goal_met && ending.exit_code == 0 && !ending.rehearsal);
    assert_eq!(run.run.spent().ticks, 5);
    // Five turns of ten seconds each, and five seconds to check for the commit.
    assert_eq!(run.run.spent().time, Duration::from_secs(55));
    assert!((run.run.spent().cost_usd - 1.25).abs() < 1e-9);
    let moves = names(&run).iter().filter(|name| **name == "moved").count();
    assert_eq!(moves, 4);
}

#[test]
fn the_step_and_its_intent_are_decided_together() {
    let mut run = run();
    run.events.clear();
    run.report("complete");
    assert_eq!(names(&run), ["replied", "moved", "turn_began"], "one transaction can hold them");
}

#[test]
fn the_agent_is_asked_again_three_times_after_a_bad_reply_and_then_the_run_ends() {
    let mut run = run();
    for number in 1..=3 {
        run.reply("I think it went well.");
        let ask = run.ask();
        assert!(matches!(ask.purpose, Purpose::Remind { number: n, .. } if n == number), "{ask:?}");
        assert!(
            ask.prompt.contains("Please respond again with JSON per the instructions"),
            "{}",
            ask.prompt
        );
        assert!(
            ask.prompt.contains(
                "Your possible outcomes for this step: complete, no-tasks, blocked, other"
            )
        );
    }
    run.reply("Really well.");
    assert_eq!(run.reason(), "orchestration-error");
    assert_eq!(run.run.position().steps(), 1, "retries are not visits");
    assert_eq!(run.run.spent().ticks, 4, "but retries are turns");
}

#[test]
fn a_good_reply_after_a_bad_one_moves_on_and_resets_the_count() {
    let mut run = run();
    run.reply("Hm.");
    run.reply("Hm.");
    run.report("complete");
    for _ in 0..3 {
        run.reply("Hm.");
    }
    assert_eq!(run.reason(), "", "a new step has three retries of its own");
    run.report("no-issues");
    assert_eq!(run.run.position().outline().name, "commit");
}

#[test]
fn an_unknown_outcome_becomes_other_when_the_retries_are_used_up() {
    let mut run = run();
    for _ in 0..4 {
        run.report("finished");
    }
    let ending = run.run.ending().unwrap();
    assert_eq!(ending.reason, "user-provided-other");
    assert!(ending.description.as_ref().unwrap().contains("`finished`"), "{ending:?}");
}

#[test]
fn only_the_last_reply_decides_whether_it_was_an_unknown_outcome() {
    let mut run = run();
    for _ in 0..3 {
        run.report("finished");
    }
    run.reply("no JSON at all");
    assert_eq!(run.reason(), "orchestration-error");
}

surefire::recipe! {
    /// A recipe whose steps have no `other`.
    recipe Strict {
        initial: Only,
        guardrails: { max_step_visits: 2, exit_on_other: false },
        step Only { prompt: "Do it.", outcomes: [Done, Again], Done => exit TaskCommitted, Again => Only }
    }
}

#[test]
fn an_unknown_outcome_is_an_error_if_the_step_has_no_other() {
    let mut run = OneRun::start(&Strict, Limits::default().max_retries(0));
    run.report("finished");
    assert_eq!(run.reason(), "orchestration-error");
}

#[test]
fn other_carries_its_description() {
    let mut run = run();
    run.reply(r#"{"outcome": "other", "otherDescription": "waiting for a key"}"#);
    let ending = run.run.ending().unwrap();
    assert_eq!((ending.reason.as_str(), ending.exit_code), ("user-provided-other", 131));
    assert_eq!(ending.description.as_deref(), Some("waiting for a key"));
}

#[test]
fn a_reply_without_an_outcome_after_refused_tools_ends_the_run_and_names_them() {
    let mut run = run();
    let denied = |attempt, text: &str| match replied(attempt, text) {
        Input::Replied { attempt, text, facts } => {
            let tool =
                |tool: &str| ToolRefusal { tool: tool.to_owned(), input: None, allow: Vec::new() };
            let facts = TurnFacts { refused: vec![tool("Bash"), tool("Write")], ..facts };
            Input::Replied { attempt, text, facts }
        }
        other => other,
    };
    let input = denied(run.ask().attempt, "Done.\n{\"outcome\": \"complete\"}");
    run.handle(input);
    assert_eq!(run.reason(), "", "a readable outcome counts even if tools were refused");
    let input = denied(run.ask().attempt, "I was not allowed to.");
    run.handle(input);
    let ending = run.run.ending().unwrap();
    assert_eq!(ending.reason, "permission_denied");
    assert!(ending.description.as_ref().unwrap().contains("Bash, Write"), "{ending:?}");
}

#[test]
fn queued_prompts_are_delivered_in_order_before_the_next_step() {
    let mut run = run();
    let first = run.prompted("Mind the tests.");
    let second = run.prompted("And the docs.");
    assert!(
        matches!(run.ask().purpose, Purpose::Step),
        "a prompt is not delivered in the middle of a step"
    );
    run.report("complete");
    assert_eq!(run.ask().purpose, Purpose::Deliver { prompt: first });
    assert_eq!(run.ask().prompt, "Mind the tests.", "verbatim, without instructions");
    run.report("blocked");
    assert_eq!(run.reason(), "", "its reply is never read as an outcome");
    assert_eq!(run.ask().purpose, Purpose::Deliver { prompt: second });
    run.reply("Yes.");
    assert_eq!((run.ask().purpose, run.ask().step), (Purpose::Step, "code-review"));
    assert_eq!(run.run.queued().count(), 0);
}

#[test]
fn a_queued_prompt_is_not_delivered_between_a_bad_reply_and_its_retry() {
    let mut run = run();
    run.prompted("Hello?");
    run.reply("no JSON");
    assert!(matches!(run.ask().purpose, Purpose::Remind { .. }));
}

#[test]
fn a_prompt_whose_turn_was_cut_short_is_queued_again() {
    let mut run = run();
    let prompt = run.prompted("Mind the tests.");
    run.report("complete");
    let attempt = run.ask().attempt;
    let exit = Exit::because(ExitReason::Interrupted);
    run.handle(Input::Failed { attempt, exit, resume_at: Some(5), facts: TurnFacts::default() });
    assert_eq!(run.run.queued().collect::<Vec<_>>(), [(prompt, "Mind the tests.")]);
    let fresh = run.fresh();
    let decision =
        run.run.resume(Resume::by(ResumedBy::Auto), PendingPrompts::default(), fresh).unwrap();
    assert!(matches!(decision.action, Action::Ask(_)));
    assert_eq!(run.ask().purpose, Purpose::Deliver { prompt });
}

#[test]
fn the_cost_of_a_failed_turn_counts() {
    let limits = Limits::default().budget_usd(Some(5.0));
    let fail = |reason, cost_usd| {
        let mut run = OneRun::start(&ImplementAndReview, limits);
        let (attempt, exit) = (run.ask().attempt, Exit::because(reason));
        let facts = TurnFacts { cost_usd, ..TurnFacts::default() };
        run.handle(Input::Failed { attempt, exit, resume_at: None, facts });
        run
    };
    assert!((fail(ExitReason::WorkerFailed, Some(1.5)).run.spent().cost_usd - 1.5).abs() < 1e-9);
    let mut run = fail(ExitReason::CostBudget, None);
    let fresh = run.fresh();
    let refused =
        run.run.resume(Resume::by(ResumedBy::User), PendingPrompts::default(), fresh).unwrap_err();
    assert!(refused.to_string().contains("spent its budget (limit $5.00)"), "{refused}");
}

#[test]
fn guardrails_carry_their_limit() {
    let mut run = run();
    run.report("complete");
    loop {
        match run.run.position().outline().name {
            _ if run.run.ending().is_some() => break,
            "code-review" => run.report("issues-found"),
            _ => run.report("complete"),
        };
    }
    let ending = run.run.ending().unwrap();
    assert_eq!(ending.reason, "max-step-visits-exceeded:code-review");
    assert_eq!(
        ending.message,
        "Recipe stopped: step 'code-review' visited too many times (limit 3)"
    );
    assert_eq!(ending.step, "fix", "a refused entry leaves the run where it was");
}

#[test]
fn a_run_stopped_by_visits_resumes_when_more_are_allowed() {
    let mut run = OneRun::start(&Strict, Limits::default());
    run.report("again");
    run.report("again");
    assert_eq!(run.reason(), "max-step-visits-exceeded:only");
    let fresh = run.fresh();
    let refused =
        run.run.resume(Resume::by(ResumedBy::User), PendingPrompts::default(), fresh).unwrap_err();
    assert!(matches!(refused, CannotResume::WouldStopAgain { .. }), "{refused}");
    let more = Resume::by(ResumedBy::User).allow_visits(1);
    let decision = run.run.resume(more, PendingPrompts::default(), fresh).unwrap();
    let names: Vec<_> = decision.events.iter().map(Event::name).collect();
    assert_eq!(
        names,
        ["resumed", "moved", "turn_began"],
        "the outcome is not asked for a second time"
    );
    assert_eq!(run.run.position().visits("only"), 3);
    run.events.extend(decision.events);
    run.report("again");
    assert_eq!(
        run.run.ending().unwrap().message,
        "Recipe stopped: step 'only' visited too many times (limit 3)"
    );
}

#[test]
fn each_limit_of_a_run_ends_it_and_raising_it_lets_it_resume() {
    let limits = Limits::default();
    let table = [
        (limits.time(Some(Duration::from_secs(10))), "timeout"),
        (limits.max_ticks(Some(1)), "max_ticks"),
        (limits.budget_usd(Some(0.25)), "cost_budget"),
    ];
    for (limits, reason) in table {
        let mut run = OneRun::start(&ImplementAndReview, limits);
        run.report("complete");
        assert_eq!(run.reason(), reason);
        assert_eq!(
            run.run.position().outline().name,
            "code-review",
            "the outcome is followed anyway"
        );
        let fresh = run.fresh();
        assert!(
            run.run.resume(Resume::by(ResumedBy::User), PendingPrompts::default(), fresh).is_err(),
            "{reason}: the run would stop again"
        );
        let raised = Resume::by(ResumedBy::User).limits(Some(Limits::default()));
        let decision = run.run.resume(raised, PendingPrompts::default(), fresh).unwrap();
        assert!(matches!(decision.action, Action::Ask(_)));
        run.report("no-issues");
        run.report("committed");
        assert_eq!(run.reason(), "task-committed");
    }
}

#[test]
fn an_exit_is_never_blocked_by_a_limit() {
    let mut run = OneRun::start(&ImplementAndReview, Limits::default().max_ticks(Some(1)));
    run.report("no-tasks");
    assert_eq!(run.reason(), "no-tasks-available");
}

#[test]
fn time_can_run_out_in_the_middle_of_a_turn() {
    let mut run =
        OneRun::start(&ImplementAndReview, Limits::default().time(Some(Duration::from_secs(25))));
    assert_eq!(run.ask().time_left, Some(Duration::from_secs(25)));
    run.report("complete");
    assert_eq!(run.ask().time_left, Some(Duration::from_secs(15)));
    assert!(matches!(run.handle(Input::Elapsed { took: Duration::from_secs(14) }), Action::Wait));
    assert!(matches!(run.handle(Input::Elapsed { took: Duration::from_secs(15) }), Action::End));
    assert_eq!(
        run.run.ending().unwrap().message,
        "Recipe stopped: used up its time (limit 25 s, took 25 s)"
    );
}

#[test]
fn the_first_cause_wins() {
    let mut run = run();
    let attempt = run.ask().attempt;
    run.handle(Input::Cancelled {
        exit: Exit::because(ExitReason::UserRequested),
        took: Duration::ZERO,
    });
    let so_far = run.events.len();
    run.handle(replied(attempt, r#"{"outcome": "no-tasks"}"#));
    run.handle(Input::Cancelled {
        exit: Exit::because(ExitReason::UserStopped),
        took: Duration::ZERO,
    });
    assert_eq!((run.reason(), run.events.len()), ("user-requested", so_far));
}

#[test]
fn a_late_reply_is_ignored() {
    let mut run = run();
    let late = run.ask().attempt;
    run.report("complete");
    let so_far = run.events.len();
    run.handle(replied(late, r#"{"outcome": "blocked"}"#));
    assert_eq!((run.reason(), run.events.len()), ("", so_far));
}

#[test]
fn a_restart_continues_in_a_fresh_session_with_the_chains_ledger() {
    let mut run =
        OneRun::spec(&ImplementAndReviewAll, |spec| spec.task = Some("the parser".into()));
    run.report("complete");
    run.report("no-issues");
    run.report("committed");
    assert_eq!(run.reason(), "restart-new-session");
    let Action::Restart(next) = &run.action else { panic!("{:?}", run.action) };
    assert_ne!(next.spec.session, run.run.spec().session);
    assert_eq!(next.spec.continues, Some(run.run.spec().run));
    assert_eq!(run.run.ending().unwrap().continued_by, Some(next.spec.run));
    assert_eq!(next.spec.restarts, 1);
    assert_eq!(next.spec.spent, run.run.spent(), "one ledger for the whole chain");
    assert_eq!(next.spec.task.as_deref(), Some("the parser"));
    let recipe = next.recipe.outline().id;
    assert_eq!(recipe, "implement-and-review-all");
}

#[test]
fn a_chain_that_restarts_too_often_stops() {
    let mut run = OneRun::spec(&ImplementAndReviewAll, |spec| spec.restarts = 50);
    for outcome in ["complete", "no-issues", "committed"] {
        run.report(outcome);
    }
    assert_eq!(
        run.run.ending().unwrap().message,
        "Recipe stopped: restarted too many times (limit 50)"
    );
}

#[test]
fn the_task_is_only_in_the_first_steps_prompt() {
    let mut run =
        OneRun::spec(&ImplementAndReview, |spec| spec.task = Some("  the parser\n".into()));
    assert!(
        run.ask().prompt.starts_with("What this run is about:\nthe parser\n\n"),
        "{}",
        run.ask().prompt
    );
    run.report("complete");
    assert!(!run.ask().prompt.contains("the parser"));
}

#[test]
fn the_model_of_the_run_spec_wins_over_the_recipes() {
    assert_eq!(run().ask().model, None);
    let run = OneRun::spec(&ImplementAndReview, |spec| spec.model = Some("opus".into()));
    assert_eq!(run.ask().model.as_deref(), Some("opus"));
}

/// Ends the current turn for this reason, with a known time to resume.
fn fail(run: &mut OneRun, reason: ExitReason) {
    let (attempt, exit) = (run.ask().attempt, Exit::because(reason));
    run.handle(Input::Failed { attempt, exit, resume_at: Some(7), facts: TurnFacts::default() });
}

fn resume_by_itself(run: &mut OneRun) {
    assert_eq!(run.run.ending().unwrap().resume_at, Some(7));
    let fresh = run.fresh();
    let decision =
        run.run.resume(Resume::by(ResumedBy::Auto), PendingPrompts::default(), fresh).unwrap();
    run.events.extend(decision.events);
}

#[test]
fn the_same_reason_twice_without_progress_is_left_to_a_person() {
    let mut run = run();
    fail(&mut run, ExitReason::Interrupted);
    resume_by_itself(&mut run);
    assert_eq!(run.ask().purpose, Purpose::Continue);
    assert!(run.ask().prompt.contains("is now resumed"), "{}", run.ask().prompt);
    fail(&mut run, ExitReason::Interrupted);
    assert_eq!(run.run.ending().unwrap().resume_at, None);
}

#[test]
fn a_resumed_run_delivers_queued_prompts_first_and_repeats_no_delivered_one() {
    let mut run = run();
    let (delivered, kept) = (run.prompted("Mind the tests."), run.prompted("And the docs."));
    fail(&mut run, ExitReason::RateLimited);
    let (fresh, queued, text) =
        (run.fresh(), Uuid::from_u128(7).into(), "And the changelog.".to_owned());
    let pending = PendingPrompts { delivered: vec![delivered], queued: vec![(queued, text)] };
    let decision = run.run.resume(Resume::by(ResumedBy::Auto), pending, fresh).unwrap();
    run.events.extend(decision.events);
    for prompt in [kept, queued] {
        assert_eq!(run.ask().purpose, Purpose::Deliver { prompt });
        run.reply("I will.");
    }
    assert_eq!(run.ask().purpose, Purpose::Continue);
}

#[test]
fn progress_or_another_reason_allows_another_automatic_resume_up_to_the_limit() {
    let mut run = OneRun::start(&ImplementAndReview, Limits::default().auto_resumes(3));
    fail(&mut run, ExitReason::RateLimited);
    resume_by_itself(&mut run);
    run.report("complete");
    fail(&mut run, ExitReason::RateLimited);
    resume_by_itself(&mut run);
    fail(&mut run, ExitReason::ApiOverloaded);
    resume_by_itself(&mut run);
    run.report("no-issues");
    fail(&mut run, ExitReason::Stalled);
    assert_eq!(run.run.ending().unwrap().resume_at, None, "three automatic resumes are allowed");
    let fresh = run.fresh();
    let decision =
        run.run.resume(Resume::by(ResumedBy::User), PendingPrompts::default(), fresh).unwrap();
    run.events.extend(decision.events);
    fail(&mut run, ExitReason::Stalled);
    resume_by_itself(&mut run);
}

#[test]
fn a_run_does_not_resume_by_itself_after_a_reason_that_needs_a_person() {
    let mut run = run();
    fail(&mut run, ExitReason::AuthRequired);
    assert_eq!(run.run.ending().unwrap().resume_at, None);
}

#[test]
fn a_paused_run_can_be_ended() {
    let mut run = run();
    fail(&mut run, ExitReason::RateLimited);
    run.handle(Input::Cancelled {
        exit: Exit::because(ExitReason::UserRequested),
        took: Duration::ZERO,
    });
    assert_eq!((run.reason(), run.run.ending().unwrap().resume_at), ("user-requested", None));
}

#[test]
fn a_run_that_reached_its_goal_or_is_running_cannot_be_resumed() {
    let mut run = run();
    let fresh = run.fresh();
    assert_eq!(
        run.run.resume(Resume::by(ResumedBy::User), PendingPrompts::default(), fresh).unwrap_err(),
        CannotResume::StillRunning
    );
    run.report("no-tasks");
    let error =
        run.run.resume(Resume::by(ResumedBy::User), PendingPrompts::default(), fresh).unwrap_err();
    assert!(error.to_string().contains("no-tasks-available"), "{error}");
}

static NO_PROMPT: std::sync::LazyLock<&'static Outline> = std::sync::LazyLock::new(|| {
    let (mut outline, mut step) = (*Strict::OUTLINE, Strict::OUTLINE.steps[0]);
    step.prompt = " \n";
    outline.steps = vec![step].leak();
    Box::leak(Box::new(outline))
});

#[derive(Debug)]
struct NoPromptPosition(Box<dyn AnyPosition>);

impl Sealed for NoPromptPosition {}

impl AnyPosition for NoPromptPosition {
    fn recipe(&self) -> &'static Outline {
        *NO_PROMPT
    }
    fn outline(&self) -> &'static StepOutline {
        &NO_PROMPT.steps[0]
    }
    fn visits(&self, step: &str) -> u32 {
        self.0.visits(step)
    }
    fn steps(&self) -> u32 {
        self.0.steps()
    }
    fn restarts(&self) -> u32 {
        self.0.restarts()
    }
    fn report(&mut self, outcome: &str) -> Result<surefire::Next, surefire::UnknownName> {
        self.0.report(outcome)
    }
    fn report_within(
        &mut self,
        outcome: &str,
        limits: &surefire::Guardrails,
    ) -> Result<surefire::Next, surefire::UnknownName> {
        self.0.report_within(outcome, limits)
    }
    fn duplicate(&self) -> Box<dyn AnyPosition> {
        Box::new(Self(self.0.duplicate()))
    }
    fn snapshot(&self) -> Snapshot {
        self.0.snapshot()
    }
}

/// A hand-written recipe whose step has a blank prompt, which the macro would refuse.
struct NoPromptRecipe;

impl Sealed for NoPromptRecipe {}

impl AnyRecipe for NoPromptRecipe {
    fn outline(&self) -> &'static Outline {
        *NO_PROMPT
    }
    fn begin(&self, restarts: u32) -> Box<dyn AnyPosition> {
        Box::new(NoPromptPosition(Strict::ANY.begin(restarts)))
    }
    fn resume_within(
        &self,
        snapshot: &Snapshot,
        limits: &surefire::Guardrails,
    ) -> Result<Box<dyn AnyPosition>, SnapshotError> {
        Ok(Box::new(NoPromptPosition(Strict::ANY.resume_within(snapshot, limits)?)))
    }
}

#[test]
fn a_step_without_a_prompt_ends_the_run() {
    let run = OneRun::start(&NoPromptRecipe, Limits::default());
    assert_eq!(run.reason(), "no-prompt");
}

#[test]
fn a_changed_recipe_is_not_replayed() {
    let mut run = run();
    run.report("complete");
    if let Event::Started { fingerprint, graph, .. } = &mut run.events[0] {
        (*fingerprint, *graph) = ("0000000000000000".to_owned(), None);
    }
    let error = Run::replay(&ImplementAndReview, &run.events).unwrap_err();
    assert!(error.to_string().contains("has changed since"), "{error}");
    assert!(Run::replay(&ImplementAndReview, []).is_err());
}
