//! The built-in agent, through all bundled recipes: each script shows what it says it shows.
#![cfg(all(feature = "engine", feature = "recipes"))]

use std::time::Duration;

use serde_json::Value;
use strum::VariantNames;
use surefire::agent::{
    Agent, Failure, Fate, RefusedTool, Rehearsal, Reply, RepositorySettings, Script, Sign, Turn, TurnLimits,
};
use surefire::recipes::BUNDLED;
use surefire::{AnyRecipe, Exit, Next, OutcomeOutline, StepOutline};
use surefire_testkit::link;
use tempfile::TempDir;
use uuid::Uuid;

fn turn(folder: &TempDir, session: Uuid, prompt: &str) -> Turn {
    Turn {
        attempt: Uuid::new_v4(),
        session,
        opened: false,
        prompt: prompt.to_owned(),
        model: None,
        system_prompt: None,
        tools: None,
        allowed: Vec::new(),
        repository: RepositorySettings::Used,
        directory: folder.path().to_owned(),
        scratch: folder.path().join("scratch"),
        limits: TurnLimits::default(),
    }
}

async fn ask(rehearsal: &Rehearsal, folder: &TempDir, session: Uuid, prompt: &str) -> Result<Reply, Failure> {
    rehearsal.turn(turn(folder, session, prompt), link(4).0).await
}

/// A step's prompt as an agent gets to see it.
fn prompt(step: &StepOutline) -> String {
    let line = |outcome: &OutcomeOutline| {
        let findings = if outcome.findings { r#", "findings": [{"text": "It is slow"}]"# } else { "" };
        format!("{{\"outcome\": \"{}\"{findings}}}\n", outcome.name)
    };
    let lines: String = step.outcomes.iter().map(line).collect();
    let names: Vec<_> = step.outcomes.iter().map(|outcome| outcome.name).collect();
    format!("{}\n\n{lines}\nYour possible outcomes for this step: {}", step.prompt, names.join(", "))
}

/// The findings in the last line of a reply.
fn findings(reply: &str) -> Vec<String> {
    let object: Value = serde_json::from_str(reply.lines().last().unwrap()).unwrap();
    let findings = object["findings"].as_array().into_iter().flatten();
    findings.map(|finding| finding.as_str().expect("each is a sentence").to_owned()).collect()
}

/// The outcome in the last line of a reply.
fn outcome(reply: &str) -> Option<String> {
    let object: Value = serde_json::from_str(reply.lines().last()?).ok()?;
    object["outcome"].as_str().map(ToOwned::to_owned)
}

/// A run as the engine would do it, with a new rehearsal for each turn if the server is to be started again and again.
async fn run(recipe: &dyn AnyRecipe, script: Script, restless: bool) -> (Exit, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let mut rehearsal = Rehearsal::new(script);
    let (mut position, mut session, mut steps) = (recipe.begin(0), Uuid::new_v4(), Vec::new());
    loop {
        let prompt = prompt(position.outline());
        if restless {
            // The answer gets lost with the server, and the turn is taken again.
            ask(&rehearsal, &folder, session, &prompt).await.unwrap();
            rehearsal = Rehearsal::new(script);
        }
        let reply = ask(&rehearsal, &folder, session, &prompt).await.expect("this script answers");
        assert!(reply.text.starts_with("Rehearsal: nothing was changed."), "{}", reply.text);
        let outcome = outcome(&reply.text).expect("it reports an outcome");
        steps.push(format!("{} {outcome}", position.outline().name));
        match position.report(&outcome).expect("it is one of the step's") {
            Next::Step(_) => {}
            Next::Exit(exit) => return (exit, steps),
            Next::Restart(restart) => {
                (position, session) = (restart.recipe.begin(restart.restarts), Uuid::new_v4());
            }
        }
    }
}

#[tokio::test]
async fn happy_ends_well_everywhere() {
    for recipe in BUNDLED.iter() {
        let (exit, steps) = run(recipe, Script::Happy, false).await;
        assert!(exit.definition().goal_met, "{}: {exit} after {steps:?}", recipe.outline().id);
        assert!(!steps.iter().any(|step| step.contains("issues-found")), "{steps:?}");
    }
}

#[tokio::test]
async fn tasks_run_out_where_one_follows_the_other() {
    let (exit, steps) = run(BUNDLED.get("implement-and-review-all").unwrap(), Script::Happy, false).await;
    assert_eq!(exit.code(), "no-tasks-available");
    assert_eq!(steps.iter().filter(|step| *step == "commit committed").count(), 2);
}

#[tokio::test]
async fn one_fix_fixes_once_wherever_there_is_a_review() {
    for recipe in BUNDLED.iter() {
        let (exit, steps) = run(recipe, Script::OneFix, false).await;
        assert!(exit.definition().goal_met, "{}: {exit}", recipe.outline().id);
        let reviews = recipe.outline().steps.iter().any(|step| step.name.contains("review"));
        let sessions = steps.iter().filter(|step| step.as_str() == "commit committed").count().max(1);
        let found = steps.iter().filter(|step| step.ends_with("issues-found")).count();
        assert_eq!(found, if reviews { sessions } else { 0 }, "{}: {steps:?}", recipe.outline().id);
    }
}

#[tokio::test]
async fn a_server_that_is_started_again_changes_nothing() {
    for script in [Script::Happy, Script::OneFix, Script::NeverSatisfied] {
        for recipe in BUNDLED.iter() {
            let (exit, steps) = run(recipe, script, false).await;
            let (again, same) = run(recipe, script, true).await;
            assert_eq!((exit.code(), steps), (again.code(), same), "{script} {}", recipe.outline().id);
        }
    }
}

#[tokio::test]
async fn scripts_end_as_they_say() {
    for (recipe, script, code) in [
        ("implement-and-review", Script::NeverSatisfied, "max-step-visits-exceeded:code-review"),
        ("implement-and-review", Script::ReviewLoop, "max-step-visits-exceeded:code-review"),
        ("implement-and-review", Script::NoTasks, "no-tasks-available"),
        ("implement-and-review", Script::Blocked, "implementation-blocked"),
        ("implement-and-review", Script::Other, "user-provided-other"),
        ("rebase", Script::Blocked, "conflicts-require-human-intervention"),
        ("rebase", Script::Questions, "clarification-needed"),
        ("document-design", Script::Questions, "clarification-needed"),
        ("break-down-tasks", Script::NotFound, "no-design-document-found"),
        ("refine-design", Script::NotFound, "no-design-document-found"),
        ("review-and-commit", Script::NothingToCommit, "no-changes-to-commit"),
    ] {
        let (exit, steps) = run(BUNDLED.get(recipe).unwrap(), script, false).await;
        assert_eq!(exit.code(), code, "{recipe} {script}: {steps:?}");
    }
}

/// The findings of three reviews in one session, with another step after each. In a restless rehearsal every reply of a review gets
/// lost with its server, and is given again.
async fn three_reviews(script: Script, carries: bool, restless: bool) -> Vec<Vec<String>> {
    let outline = BUNDLED.get("implement-and-review").unwrap().outline();
    let review = outline.step("code-review").unwrap();
    let outcomes = review.outcomes.iter().map(|outcome| {
        let findings = carries && outcome.name == "issues-found";
        OutcomeOutline { findings, ..*outcome }
    });
    let review = StepOutline { outcomes: outcomes.collect::<Vec<_>>().leak(), ..*review };
    let folder = tempfile::tempdir().unwrap();
    let mut rehearsal = Rehearsal::new(script);
    let (session, mut found) = (Uuid::new_v4(), Vec::new());
    for round in 1..=3 {
        let prompt = format!("This is review round {round}.\n\n{}", prompt(&review));
        if restless {
            ask(&rehearsal, &folder, session, &prompt).await.unwrap();
            rehearsal = Rehearsal::new(script);
        }
        let reply = ask(&rehearsal, &folder, session, &prompt).await.unwrap();
        found.push(findings(&reply.text));
        ask(&rehearsal, &folder, session, &self::prompt(outline.step("fix").unwrap())).await.unwrap();
    }
    found
}

#[tokio::test]
async fn a_review_reports_findings_where_its_outcome_carries_them() {
    for (script, counts) in [
        (Script::Happy, [0, 0, 0]),
        (Script::OneFix, [2, 0, 0]),
        // A number that does not shrink would end the run before its visits do.
        (Script::NeverSatisfied, [5, 4, 3]),
        (Script::ReviewLoop, [2, 2, 2]),
    ] {
        let found = three_reviews(script, true, false).await;
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), counts, "{script}: {found:?}");
        assert_eq!(
            three_reviews(script, true, true).await,
            found,
            "{script}: a server that is started again"
        );
        assert_eq!(three_reviews(script, false, false).await.concat(), [""; 0], "{script}");
        let mut all = found.concat();
        all.sort();
        all.dedup();
        let different = if script == Script::ReviewLoop { 2 } else { counts.iter().sum() };
        assert_eq!(all.len(), different, "{script}: {found:?}");
    }
}

#[tokio::test]
async fn replies_that_help_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let prompt = "Your possible outcomes for this step: complete, other";
    let reminder = "Once more.\nYour possible outcomes for this step: complete, other";
    let session = Uuid::new_v4();

    let once = Rehearsal::new(Script::GarbageOnce);
    assert_eq!(outcome(&ask(&once, &folder, session, prompt).await.unwrap().text), None);
    let second = ask(&once, &folder, session, reminder).await.unwrap();
    assert_eq!(outcome(&second.text).as_deref(), Some("complete"));

    let never = Rehearsal::new(Script::Garbage);
    for prompt in [prompt, reminder] {
        assert_eq!(outcome(&ask(&never, &folder, session, prompt).await.unwrap().text), None);
    }
    let unknown = ask(&Rehearsal::new(Script::UnknownOutcome), &folder, session, prompt).await.unwrap();
    assert_eq!(outcome(&unknown.text).as_deref(), Some("all-is-well"));
    let denied = ask(&Rehearsal::new(Script::Denied), &folder, session, prompt).await.unwrap();
    assert_eq!(
        (outcome(&denied.text), denied.refused),
        (None, vec![RefusedTool::new("Bash", Some("git commit"))])
    );
}

#[tokio::test]
async fn failures_are_typed() {
    let folder = tempfile::tempdir().unwrap();
    let failure = async |script| {
        let prompt = "Your possible outcomes for this step: complete";
        ask(&Rehearsal::new(script), &folder, Uuid::new_v4(), prompt).await.unwrap_err()
    };
    assert!(matches!(failure(Script::Crash).await, Failure::NoReply { .. }));
    assert!(matches!(failure(Script::RateLimited).await, Failure::UsageLimit { resets_at: Some(_), .. }));
    assert!(matches!(failure(Script::Overloaded).await, Failure::Overloaded { .. }));
    assert!(matches!(failure(Script::LoggedOut).await, Failure::NotLoggedIn { .. }));
    assert!(matches!(failure(Script::ContextFull).await, Failure::ContextFull { .. }));
    assert!(matches!(failure(Script::OverBudget).await, Failure::BudgetSpent { .. }));
}

#[tokio::test(start_paused = true)]
async fn a_plain_question_gets_a_plain_answer() {
    let folder = tempfile::tempdir().unwrap();
    for script in Script::VARIANTS {
        let script: Script = script.parse().unwrap();
        if let Ok(reply) = Rehearsal::new(script).turn(turn(&folder, Uuid::new_v4(), "Hi"), link(4).0).await {
            assert!(reply.text.starts_with("Rehearsal: "), "{script}");
            assert!(!reply.text.contains('{'), "{script}: {}", reply.text);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn it_keeps_its_pace_and_says_that_it_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let (link, mut signs) = link(4);
    let begun = tokio::time::Instant::now();
    let rehearsal = Rehearsal::default().pace(Duration::from_secs(3));
    rehearsal.turn(turn(&folder, Uuid::new_v4(), "Hi"), link).await.unwrap();
    assert_eq!(begun.elapsed(), Duration::from_secs(3));
    assert!(matches!(signs.recv().await, Some(Sign::Said(text)) if text.starts_with("Rehearsal")));
}

#[tokio::test(start_paused = true)]
async fn one_without_a_pace_only_replies() {
    let folder = tempfile::tempdir().unwrap();
    let (link, mut signs) = link(4);
    Rehearsal::default().turn(turn(&folder, Uuid::new_v4(), "Hi"), link).await.unwrap();
    assert!(signs.recv().await.is_none(), "there is no pause in which anybody could read more");
}

#[tokio::test(start_paused = true)]
async fn a_slow_one_is_stopped_left_or_out_of_time() {
    let folder = tempfile::tempdir().unwrap();
    let slow = Rehearsal::new(Script::Slow);
    let begun = tokio::time::Instant::now();
    for (stopped, failure) in [(true, Failure::Stopped), (false, Failure::Left)] {
        let (link, _signs) = link(4);
        let doing = tokio::spawn(slow.turn(turn(&folder, Uuid::new_v4(), "Hi"), link.clone()));
        tokio::time::sleep(Duration::from_secs(1)).await;
        if stopped {
            link.stop.cancel();
        } else {
            link.leave.cancel();
        }
        assert_eq!(doing.await.unwrap(), Err(failure));
    }
    assert_eq!(begun.elapsed(), Duration::from_secs(2));

    let mut turn = turn(&folder, Uuid::new_v4(), "Hi");
    turn.limits.duration = Duration::from_secs(5);
    let (link, _signs) = link(4);
    assert_eq!(slow.turn(turn, link).await, Err(Failure::TookTooLong { after: Duration::from_secs(5) }));
}

#[tokio::test]
async fn an_interrupted_turn_never_began() {
    let folder = tempfile::tempdir().unwrap();
    let fate = Rehearsal::default().recover(turn(&folder, Uuid::new_v4(), "Hi"), None, link(4).0).await;
    assert!(matches!(fate, Fate::NeverBegan));
}
