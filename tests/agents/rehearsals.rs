//! The built-in agent in all bundled recipes: each script does what its name says.
#![cfg(all(feature = "engine", feature = "recipes"))]

use std::time::Duration;

use serde_json::Value;
use surefire::agent::{
    Agent, AgentEvent, Failure, Fate, RefusedTool, Rehearsal, Reply, Script, Turn,
};
use surefire::paths::RunPath;
use surefire::recipes::{BUNDLED, ImplementAndReview};
use surefire::{AnyRecipe, Exit, Next, OutcomeOutline, StepOutline};
use surefire_testkit::link;
use tempfile::TempDir;
use uuid::Uuid;

fn turn(folder: &TempDir, session: Uuid, prompt: &str) -> Turn {
    Turn::new(Uuid::new_v4(), session, prompt, folder.path(), folder.path().join("scratch"))
        .run(Some(session))
}

async fn ask(
    rehearsal: &Rehearsal,
    folder: &TempDir,
    session: Uuid,
    prompt: &str,
) -> Result<Reply, Failure> {
    rehearsal.turn(turn(folder, session, prompt), link(4).0).await
}

/// A step's prompt as an agent gets to see it.
fn prompt(step: &StepOutline) -> String {
    let line = |outcome: &OutcomeOutline| {
        let findings =
            if outcome.findings { r#", "findings": [{"text": "It is slow"}]"# } else { "" };
        format!("{{\"outcome\": \"{}\"{findings}}}\n", outcome.name)
    };
    let lines: String = step.outcomes.iter().map(line).collect();
    let names: Vec<_> = step.outcomes.iter().map(|outcome| outcome.name).collect();
    format!(
        "{}\n\n{lines}\nYour possible outcomes for this step: {}",
        step.prompt,
        names.join(", ")
    )
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

/// A run as the engine drives it. If the server restarts, each turn loses its first reply and is
/// taken again by a new rehearsal.
async fn run(recipe: &dyn AnyRecipe, script: Script, restarts_server: bool) -> (Exit, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let mut rehearsal = Rehearsal::new(script);
    let (mut position, mut session, mut steps) = (recipe.begin(0), Uuid::new_v4(), Vec::new());
    let mut restarts = 0;
    loop {
        let turn = || turn(&folder, session, &prompt(position.outline())).restarts(restarts);
        if restarts_server {
            // The answer gets lost with the server, and the turn is taken again.
            rehearsal.turn(turn(), link(4).0).await.unwrap();
            rehearsal = Rehearsal::new(script);
        }
        let reply = rehearsal.turn(turn(), link(4).0).await.expect("this script answers");
        assert!(reply.text.starts_with("Rehearsal: nothing was changed."), "{}", reply.text);
        let outcome = outcome(&reply.text).expect("it reports an outcome");
        steps.push(format!("{} {outcome}", position.outline().name));
        match position.report(&outcome).expect("it is one of the step's") {
            Next::Step(_) => {}
            Next::Exit(exit) => return (exit, steps),
            Next::Restart(restart) => {
                restarts = restart.restarts;
                (position, session) = (restart.recipe.begin(restarts), Uuid::new_v4());
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

/// A rehearsal of one task never meets an empty list of tasks, however often it is repeated.
#[tokio::test]
async fn happy_ends_well_each_time_in_one_directory() {
    let (folder, rehearsal) = (tempfile::tempdir().unwrap(), Rehearsal::new(Script::Happy));
    let recipe = BUNDLED.get("implement-and-review").unwrap().begin(0);
    let (prompt, session) = (prompt(recipe.outline()), Uuid::new_v4());
    for _ in 0..5 {
        for session in [session, Uuid::new_v4()] {
            let turn = turn(&folder, session, &prompt).run(Some(Uuid::new_v4()));
            let reply = rehearsal.turn(turn, link(4).0).await.unwrap();
            assert_eq!(outcome(&reply.text).as_deref(), Some("complete"));
        }
    }
}

/// A recipe may take task after task in a single run.
#[tokio::test]
async fn tasks_run_out_within_a_run() {
    let (folder, rehearsal) = (tempfile::tempdir().unwrap(), Rehearsal::new(Script::Happy));
    let (session, mut outcomes) = (Uuid::new_v4(), Vec::new());
    for task in 0..3 {
        let prompt = format!("Task {task}\nYour possible outcomes for this step: done, no-tasks");
        let reply = ask(&rehearsal, &folder, session, &prompt).await.unwrap();
        outcomes.extend(outcome(&reply.text));
    }
    assert_eq!(outcomes, ["done", "done", "no-tasks"]);
}

#[tokio::test]
async fn tasks_run_out_in_a_chain_of_runs() {
    let (exit, steps) =
        run(BUNDLED.get("implement-and-review-all").unwrap(), Script::Happy, false).await;
    assert_eq!(exit.code(), "no-tasks-available");
    assert_eq!(steps.iter().filter(|step| *step == "commit committed").count(), 2);
}

#[tokio::test]
async fn one_fix_fixes_once_wherever_there_is_a_review() {
    for recipe in BUNDLED.iter() {
        let (exit, steps) = run(recipe, Script::OneFix, false).await;
        assert!(exit.definition().goal_met, "{}: {exit}", recipe.outline().id);
        let reviews = recipe.outline().steps.iter().any(|step| step.name.contains("review"));
        let sessions =
            steps.iter().filter(|step| step.as_str() == "commit committed").count().max(1);
        let found = steps.iter().filter(|step| step.ends_with("issues-found")).count();
        assert_eq!(found, if reviews { sessions } else { 0 }, "{}: {steps:?}", recipe.outline().id);
    }
}

#[tokio::test]
async fn a_restart_of_the_server_changes_nothing() {
    for script in [Script::Happy, Script::OneFix, Script::NeverSatisfied] {
        for recipe in BUNDLED.iter() {
            let (exit, steps) = run(recipe, script, false).await;
            let (again, same) = run(recipe, script, true).await;
            assert_eq!(
                (exit.code(), steps),
                (again.code(), same),
                "{script} {}",
                recipe.outline().id
            );
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

/// The findings of three reviews in one session, with another step after each. If the server
/// restarts, the first reply of each review is lost with it.
async fn three_reviews(script: Script, carries: bool, restarts_server: bool) -> Vec<Vec<String>> {
    let outline = BUNDLED.get("implement-and-review").unwrap().outline();
    let mut review = *outline.step("code-review").unwrap();
    let mut outcomes = review.outcomes.to_vec();
    for outcome in &mut outcomes {
        outcome.findings = carries && outcome.name == "issues-found";
    }
    review.outcomes = outcomes.leak();
    let folder = tempfile::tempdir().unwrap();
    let mut rehearsal = Rehearsal::new(script);
    let (session, mut found) = (Uuid::new_v4(), Vec::new());
    for round in 1..=3 {
        let prompt = format!("This is review round {round}.\n\n{}", prompt(&review));
        if restarts_server {
            ask(&rehearsal, &folder, session, &prompt).await.unwrap();
            rehearsal = Rehearsal::new(script);
        }
        let reply = ask(&rehearsal, &folder, session, &prompt).await.unwrap();
        found.push(findings(&reply.text));
        ask(&rehearsal, &folder, session, &self::prompt(outline.step("fix").unwrap()))
            .await
            .unwrap();
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
            "{script}: with a restart of the server"
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
async fn replies_without_a_usable_outcome() {
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
    let unknown =
        ask(&Rehearsal::new(Script::UnknownOutcome), &folder, session, prompt).await.unwrap();
    assert_eq!(outcome(&unknown.text).as_deref(), Some("all-is-well"));
    let denied = ask(&Rehearsal::new(Script::Denied), &folder, session, prompt).await.unwrap();
    assert_eq!(
        (outcome(&denied.text), denied.refused),
        (None, vec![RefusedTool::new("Bash", Some("git commit"))])
    );
}

/// The place in the chain decides, so a repeated turn gets the same reply.
#[tokio::test]
async fn a_listed_outcome_is_reported_at_its_place() {
    let listed = "complete, issues-found, complete, issues-found, complete, no-issues, committed";
    let path = RunPath::parse(&ImplementAndReview, listed).unwrap();
    let (folder, session) = (tempfile::tempdir().unwrap(), Uuid::new_v4());
    let rehearsal = Rehearsal::along(&path).unwrap();
    assert_eq!(rehearsal.script().as_deref(), Some(listed));
    let review = prompt(ImplementAndReview::OUTLINE.step("code-review").unwrap());
    let reply = async |step, restarts| {
        let turn = turn(&folder, session, &review).step(step).restarts(restarts);
        let reply = rehearsal.turn(turn, link(4).0).await.unwrap().text;
        assert!(reply.starts_with("Rehearsal: nothing was changed."), "{reply}");
        outcome(&reply)
    };
    for step in [2, 4, 2, 6] {
        let expected = listed.split(", ").nth(step as usize - 1).map(ToOwned::to_owned);
        assert_eq!(reply(Some(step), 0).await, expected, "step {step}");
    }
    for (step, restarts) in [(Some(8), 0), (Some(0), 0), (Some(1), 1), (None, 0)] {
        assert_eq!(reply(step, restarts).await, None, "nothing is listed for {step:?}");
    }
    let chat = turn(&folder, session, "How is it going?").step(Some(1));
    assert_eq!(outcome(&rehearsal.turn(chat, link(4).0).await.unwrap().text), None);
}

#[tokio::test]
async fn failures_are_typed() {
    let folder = tempfile::tempdir().unwrap();
    let failure = async |script| {
        let prompt = "Your possible outcomes for this step: complete";
        ask(&Rehearsal::new(script), &folder, Uuid::new_v4(), prompt).await.unwrap_err()
    };
    assert!(matches!(failure(Script::Crash).await, Failure::NoReply { .. }));
    assert!(matches!(
        failure(Script::RateLimited).await,
        Failure::UsageLimit { resets_at: Some(_), .. }
    ));
    assert!(matches!(failure(Script::Overloaded).await, Failure::Overloaded { .. }));
    assert!(matches!(failure(Script::LoggedOut).await, Failure::NotLoggedIn { .. }));
    assert!(matches!(failure(Script::ContextFull).await, Failure::ContextFull { .. }));
    assert!(matches!(failure(Script::OverBudget).await, Failure::BudgetSpent { .. }));
}

#[tokio::test(start_paused = true)]
async fn a_plain_question_gets_a_plain_answer() {
    let folder = tempfile::tempdir().unwrap();
    for script in Script::NAMES {
        let script: Script = script.parse().unwrap();
        if let Ok(reply) =
            Rehearsal::new(script).turn(turn(&folder, Uuid::new_v4(), "Hi"), link(4).0).await
        {
            assert!(reply.text.starts_with("Rehearsal: "), "{script}");
            assert!(!reply.text.contains('{'), "{script}: {}", reply.text);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_rehearsal_keeps_its_pace_and_shows_signs_of_life() {
    let folder = tempfile::tempdir().unwrap();
    let (link, mut events) = link(4);
    let begun = tokio::time::Instant::now();
    let rehearsal = Rehearsal::default().pace(Duration::from_secs(3));
    rehearsal.turn(turn(&folder, Uuid::new_v4(), "Hi"), link).await.unwrap();
    assert_eq!(begun.elapsed(), Duration::from_secs(3));
    assert!(matches!(
        events.recv().await,
        Some(AgentEvent::Passage(text)) if text.starts_with("Rehearsal")
    ));
}

#[tokio::test(start_paused = true)]
async fn a_rehearsal_without_a_pace_only_replies() {
    let folder = tempfile::tempdir().unwrap();
    let (link, mut events) = link(4);
    Rehearsal::default().turn(turn(&folder, Uuid::new_v4(), "Hi"), link).await.unwrap();
    assert!(
        events.recv().await.is_none(),
        "without a pace there is nothing to report before the reply"
    );
}

#[tokio::test(start_paused = true)]
async fn a_slow_rehearsal_is_stopped_detached_or_out_of_time() {
    let folder = tempfile::tempdir().unwrap();
    let slow = Rehearsal::new(Script::Slow);
    let begun = tokio::time::Instant::now();
    for (stopped, failure) in [(true, Failure::Stopped), (false, Failure::Detached)] {
        let (link, _events) = link(4);
        let doing = tokio::spawn(slow.turn(turn(&folder, Uuid::new_v4(), "Hi"), link.clone()));
        tokio::time::sleep(Duration::from_secs(1)).await;
        if stopped {
            link.stop.cancel();
        } else {
            link.detach.cancel();
        }
        assert_eq!(doing.await.unwrap(), Err(failure));
    }
    assert_eq!(begun.elapsed(), Duration::from_secs(2));

    let mut turn = turn(&folder, Uuid::new_v4(), "Hi");
    turn.limits.duration = Duration::from_secs(5);
    let (link, _events) = link(4);
    assert_eq!(
        slow.turn(turn, link).await,
        Err(Failure::TookTooLong { after: Duration::from_secs(5) })
    );
}

#[tokio::test]
async fn an_interrupted_turn_never_began() {
    let folder = tempfile::tempdir().unwrap();
    let fate =
        Rehearsal::default().recover(turn(&folder, Uuid::new_v4(), "Hi"), None, link(4).0).await;
    assert!(matches!(fate, Fate::NeverBegan));
}
