//! Review loops: what counts as a round, when a run ends because its rounds make no progress, and
//! what the prompts say about open findings.

use std::sync::LazyLock;

use super::one_run::OneRun;
use surefire::__private::Sealed;
use surefire::run::{
    CheckVerdict, Event, Input, Limits, PendingPrompts, ReplyReading, Resume, ResumedBy, Run,
    TurnFacts,
};
use surefire::{
    AnyPosition, AnyRecipe, Exit, ExitReason, Guardrails, Next, OutcomeOutline, Outline, Recipe,
    Snapshot, SnapshotError, StepOutline, UnknownName,
};

surefire::recipe! {
    /// A review and what follows from it.
    recipe Plain {
        initial: Build,
        guardrails: { max_step_visits: 20 },
        step Build { prompt: "Build it.", outcomes: [Complete], Complete => Review }
        step Review {
            prompt: "Review it.",
            outcomes: [NoIssues, IssuesFound, Nitpicks],
            NoIssues => Polish,
            IssuesFound => Fix,
            Nitpicks => Fix if changed,
        }
        step Fix { prompt: "Fix it.", outcomes: [Complete], Complete => Review }
        step Polish {
            prompt: "Polish it.",
            outcomes: [Complete, Again],
            Complete => exit TaskCommitted,
            Again => Review,
        }
    }
}

/// The same, but two outcomes of the review carry findings.
struct Reviewed {
    outline: &'static LazyLock<&'static Outline>,
}

fn carrying(max_review_rounds: Option<u32>) -> &'static Outline {
    let outcome = |mut outcome: OutcomeOutline| {
        outcome.findings = ["issues-found", "nitpicks"].contains(&outcome.name);
        outcome
    };
    let step = |mut step: StepOutline| {
        step.outcomes = step.outcomes.iter().copied().map(outcome).collect::<Vec<_>>().leak();
        step
    };
    let mut outline = *Plain::OUTLINE;
    outline.steps = outline.steps.iter().copied().map(step).collect::<Vec<_>>().leak();
    outline.guardrails.max_review_rounds = max_review_rounds;
    Box::leak(Box::new(outline))
}

static DEFAULT: LazyLock<&'static Outline> = LazyLock::new(|| carrying(None));
static FIVE_ROUNDS: LazyLock<&'static Outline> = LazyLock::new(|| carrying(Some(5)));
static REVIEWED: Reviewed = Reviewed { outline: &DEFAULT };
static REVIEWED_FIVE_ROUNDS: Reviewed = Reviewed { outline: &FIVE_ROUNDS };

#[derive(Debug)]
struct Position(Box<dyn AnyPosition>, &'static Outline);

impl Sealed for Reviewed {}

impl AnyRecipe for Reviewed {
    fn outline(&self) -> &'static Outline {
        self.outline
    }
    fn begin(&self, restarts: u32) -> Box<dyn AnyPosition> {
        Box::new(Position(Plain::ANY.begin(restarts), self.outline))
    }
    fn resume_within(
        &self,
        snapshot: &Snapshot,
        limits: &Guardrails,
    ) -> Result<Box<dyn AnyPosition>, SnapshotError> {
        Ok(Box::new(Position(Plain::ANY.resume_within(snapshot, limits)?, self.outline)))
    }
}

impl Sealed for Position {}

impl AnyPosition for Position {
    fn recipe(&self) -> &'static Outline {
        self.1
    }
    fn outline(&self) -> &'static StepOutline {
        self.1.step(self.0.outline().name).expect("both outlines have the same steps")
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
    fn report(&mut self, outcome: &str) -> Result<Next, UnknownName> {
        self.0.report(outcome)
    }
    fn report_within(&mut self, outcome: &str, limits: &Guardrails) -> Result<Next, UnknownName> {
        self.0.report_within(outcome, limits)
    }
    fn duplicate(&self) -> Box<dyn AnyPosition> {
        Box::new(Self(self.0.duplicate(), self.1))
    }
    fn snapshot(&self) -> Snapshot {
        self.0.snapshot()
    }
}

/// A run that is about to review for the first time.
fn run_of(recipe: &'static dyn AnyRecipe) -> OneRun {
    let mut run = OneRun::start(recipe, Limits::default());
    run.report("complete");
    run
}

fn run() -> OneRun {
    run_of(&REVIEWED)
}

/// The review reports an outcome with this list of findings, as JSON.
fn reports(run: &mut OneRun, outcome: &str, findings: &str) {
    assert_eq!(run.ask().step, "review");
    run.reply(&format!(r#"Reviewed. {{"outcome": "{outcome}", "findings": {findings}}}"#));
}

/// The review finds this; unless that ends the run, the agent fixes it.
fn round(run: &mut OneRun, findings: &str) {
    reports(run, "issues-found", findings);
    if run.reason().is_empty() {
        run.report("complete");
    }
}

fn description(run: &OneRun) -> &str {
    run.run.ending().and_then(|ending| ending.description.as_deref()).unwrap_or_default()
}

/// Asserts that the run is the same when rebuilt from its events.
fn assert_replays(recipe: &'static dyn AnyRecipe, run: &OneRun) {
    let again = Run::replay(recipe, &run.events).unwrap();
    assert_eq!(format!("{again:?}"), format!("{:?}", run.run));
}

fn resumes(run: &mut OneRun, by: ResumedBy) {
    let fresh = run.fresh();
    let decision = run.run.resume(Resume::by(by), PendingPrompts::default(), fresh).unwrap();
    run.events.extend(decision.events);
}

#[test]
fn the_same_findings_end_the_run_however_they_are_written() {
    let first =
        r#"[{"text": "Totals are rounded twice.", "file": "src/cart.rs", "line": 12}, "No tests"]"#;
    let again = [
        first,
        r#"["No tests", {"text": "Totals are rounded twice.", "file": "src/cart.rs", "line": 12}]"#,
        r#"["No tests", {"text": "Totals are rounded twice.", "file": "src/cart.rs", "line": 99}]"#,
        r#"["no  TESTS!", {"message": "totals are rounded\ntwice", "path": "SRC/cart.rs"}, "No tests"]"#,
    ];
    for again in again {
        let mut run = run();
        round(&mut run, first);
        assert_eq!(run.reason(), "");
        round(&mut run, again);
        assert_eq!(run.reason(), "review_loop_detected", "{again}");
        assert!(
            description(&run).starts_with("the same findings came back in round 2: "),
            "{again}"
        );
        assert!(description(&run).contains("No tests") || description(&run).contains("no  TESTS!"));
        assert_replays(&REVIEWED, &run);
    }
}

#[test]
fn different_findings_do_not_end_the_run() {
    for again in [
        r#"["Totals are rounded twice"]"#,
        r#"[{"text": "Totals are rounded twice", "file": "src/cart.rs"}]"#,
        r#"["No tests", "Totals differ"]"#,
        "[]",
        "null",
    ] {
        let mut run = run();
        round(
            &mut run,
            r#"["No tests", {"text": "Totals are rounded twice", "file": "src/tax.rs"}]"#,
        );
        round(&mut run, again);
        assert_eq!((run.reason(), run.ask().step), ("", "review"), "{again}");
    }
}

#[test]
fn findings_are_compared_with_all_earlier_rounds() {
    let mut run = run_of(&REVIEWED_FIVE_ROUNDS);
    for findings in [r#"["a", "b", "c"]"#, r#"["a", "b"]"#, r#"["d"]"#] {
        round(&mut run, findings);
    }
    assert_eq!(run.reason(), "");
    round(&mut run, r#"["b", "a"]"#);
    assert_eq!(description(&run), "the same findings came back in round 4: b; a");
    let ending = run.run.ending().unwrap();
    assert_eq!((ending.exit_code, ending.outcome.as_deref()), (20, Some("issues-found")));
    assert_eq!(ending.message, "Recipe stopped: the same review came back again");
    assert_eq!(
        (ending.step.as_str(), run.run.position().visits("fix")),
        ("review", 3),
        "the run takes no further step"
    );
}

#[test]
fn findings_that_do_not_get_fewer_end_the_run() {
    let numbers = |numbers: &[usize], recipe: &'static dyn AnyRecipe| {
        let mut run = run_of(recipe);
        for (index, number) in numbers.iter().enumerate() {
            assert_eq!(run.reason(), "", "{numbers:?} before round {}", index + 1);
            let findings: Vec<_> =
                (0..*number).map(|it| format!("\"finding {index} {it}\"")).collect();
            round(&mut run, &format!("[{}]", findings.join(", ")));
        }
        assert_replays(recipe, &run);
        run
    };
    let table: [(&[usize], &'static dyn AnyRecipe, &str); 8] = [
        (
            &[5, 6, 5],
            &REVIEWED,
            "the findings did not get fewer over 3 rounds (5, 6, 5): finding 2 0; ",
        ),
        (
            &[1, 1, 1],
            &REVIEWED,
            "the findings did not get fewer over 3 rounds (1, 1, 1): finding 2 0",
        ),
        (
            &[9, 3, 2, 3],
            &REVIEWED,
            "the findings did not get fewer over 3 rounds (3, 2, 3): finding 3 0; ",
        ),
        (&[5, 6, 4], &REVIEWED, ""),
        (&[5, 4, 3, 2, 1], &REVIEWED, ""),
        (&[2, 9], &REVIEWED, ""),
        (&[3, 3, 3, 3], &REVIEWED_FIVE_ROUNDS, ""),
        (
            &[3, 3, 3, 3, 3],
            &REVIEWED_FIVE_ROUNDS,
            "the findings did not get fewer over 5 rounds (3, 3, 3, 3, 3): ",
        ),
    ];
    for (found, recipe, words) in table {
        let run = numbers(found, recipe);
        assert!(description(&run).starts_with(words), "{found:?}: {}", description(&run));
        assert_eq!(run.reason().is_empty(), words.is_empty(), "{found:?}");
    }
    let many = numbers(&[8, 8, 8], &REVIEWED);
    assert!(description(&many).ends_with("finding 2 4; and 3 more"), "{}", description(&many));
}

#[test]
fn an_outcome_that_carries_no_findings_closes_the_review() {
    let mut run = run();
    round(&mut run, r#"["a"]"#);
    reports(&mut run, "no-issues", r#"["not asked for"]"#);
    let not_kept = run.events.iter().all(|event| match event {
        Event::Replied { read: ReplyReading::Outcome { outcome, findings, .. }, .. } => {
            outcome == "issues-found" || findings.is_empty()
        }
        _ => true,
    });
    assert!(not_kept, "findings of an outcome that does not carry findings are not kept");
    assert!(!run.ask().prompt.contains("findings"), "{}", run.ask().prompt);
    run.report("again");
    assert!(run.ask().prompt.starts_with("Review it."), "{}", run.ask().prompt);
    round(&mut run, r#"["a"]"#);
    assert_eq!(run.reason(), "", "the rounds are counted from one again");
    assert_replays(&REVIEWED, &run);
}

#[test]
fn a_report_without_findings_is_not_a_round_and_does_not_close_the_review() {
    let mut run = run();
    for _ in 0..5 {
        round(&mut run, "[]");
    }
    assert_eq!(run.reason(), "");
    round(&mut run, r#"["a"]"#);
    round(&mut run, "[]");
    assert!(run.ask().prompt.starts_with("This is review round 2."), "{}", run.ask().prompt);
    round(&mut run, r#"["a"]"#);
    assert_eq!(run.reason(), "review_loop_detected");
}

#[test]
fn a_report_without_its_evidence_is_not_a_round() {
    let mut run = run();
    for _ in 0..3 {
        reports(&mut run, "nitpicks", r#"["a"]"#);
        run.checked(CheckVerdict::Failed { status: None }, "nothing was changed");
        assert_eq!(run.reason(), "", "the agent is asked again in the same visit");
    }
    reports(&mut run, "nitpicks", r#"["a"]"#);
    run.checked(CheckVerdict::Passed, "");
    run.report("complete");
    reports(&mut run, "nitpicks", r#"["A."]"#);
    assert_eq!(
        run.reason(),
        "review_loop_detected",
        "the loop is detected before the evidence is checked"
    );
    assert_replays(&REVIEWED, &run);
}

#[test]
fn rounds_before_a_resume_by_a_person_no_longer_count() {
    let mut run = run();
    round(&mut run, r#"["a"]"#);
    round(&mut run, r#"["a"]"#);
    assert_eq!(run.reason(), "review_loop_detected");
    resumes(&mut run, ResumedBy::User);
    assert!(
        run.ask().prompt.contains("This is review round 3. Round 2 found:\n- a\n"),
        "{}",
        run.ask().prompt
    );
    round(&mut run, r#"["a"]"#);
    assert_eq!(run.reason(), "", "earlier rounds do not count");
    round(&mut run, r#"["a"]"#);
    assert_eq!(description(&run), "the same findings came back in round 4: a");
    assert_replays(&REVIEWED, &run);
}

#[test]
fn rounds_before_an_automatic_resume_still_count() {
    let mut run = run();
    round(&mut run, r#"["a"]"#);
    let (attempt, exit) = (run.ask().attempt, Exit::because(ExitReason::RateLimited));
    run.handle(Input::Failed { attempt, exit, resume_at: Some(1), facts: TurnFacts::default() });
    resumes(&mut run, ResumedBy::Auto);
    round(&mut run, r#"["a"]"#);
    assert_eq!(run.reason(), "review_loop_detected");
    assert_replays(&REVIEWED, &run);
}

#[test]
fn the_prompt_lists_the_open_findings() {
    let mut run = run();
    assert!(run.ask().prompt.starts_with("Review it."), "{}", run.ask().prompt);
    reports(
        &mut run,
        "issues-found",
        r#"[{"text": "Rounded twice", "file": "src/cart.rs", "line": 12}, "No tests"]"#,
    );
    let fix = "Open findings of the last review (round 1 of `review`):\n\
               - src/cart.rs:12: Rounded twice\n\
               - No tests\n\n\
               Fix it.\n\n";
    assert!(run.ask().prompt.starts_with(fix), "{}", run.ask().prompt);
    assert_replays(&REVIEWED, &run);
    run.report("complete");
    let review = "This is review round 2. Round 1 found:\n\
                  - src/cart.rs:12: Rounded twice\n\
                  - No tests\n\
                  Report only what is still open or new; do not repeat what is resolved.\n\n\
                  Review it.\n\n";
    assert!(run.ask().prompt.starts_with(review), "{}", run.ask().prompt);
    round(&mut run, r#"["No tests"]"#);
    assert!(
        run.ask()
            .prompt
            .starts_with("This is review round 3. Round 2 found:\n- No tests\nReport only")
    );
    reports(&mut run, "no-issues", "[]");
    assert!(run.ask().prompt.starts_with("Polish it."), "{}", run.ask().prompt);
}

#[test]
fn a_recipe_without_findings_is_bounded_by_visits_alone() {
    let mut run = OneRun::start(&Plain, Limits::default());
    run.report("complete");
    for _ in 0..10 {
        round(&mut run, r#"["a"]"#);
    }
    assert_eq!((run.reason(), run.ask().step), ("", "review"));
    assert!(run.ask().prompt.starts_with("Review it."), "{}", run.ask().prompt);
}
