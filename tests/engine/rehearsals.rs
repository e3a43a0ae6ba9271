//! Rehearsals along a path: a run ends in the engine as the path does on paper.

use std::sync::Arc;

use surefire::agent::Rehearsal;
use surefire::engine::{Options, Start};
use surefire::paths::{PathError, RunPath};
use surefire::recipes::BUNDLED;
use surefire::run::{Ending, Event};
use surefire::store::Memory;
use surefire::{AnyRecipe, Catalog, Next};
use surefire_testkit::{FakeAgent, Harness};

surefire::recipe! {
    /// Every kind of step, evidence and review, and restarts.
    recipe Everything {
        initial: Work,
        guardrails: { max_step_visits: 7, max_restarts: 2 },
        step Work { prompt: "Work.", verify: ["test -e verified"], outcomes: [Complete], Complete => Test }
        step Test { run: "test -e fixed", time: 1m, Passed => Review, Failed => Work }
        step Review {
            prompt: "Review it.",
            max_visits: 6 => Commit,
            outcomes: [NoIssues, IssuesFound],
            NoIssues => Commit,
            IssuesFound(findings) => Review,
        }
        step Commit {
            prompt: "Commit it.",
            outcomes: [Committed, NextOne],
            Committed => exit TaskCommitted if commit && clean,
            NextOne => restart Everything if exists "next",
        }
    }
}

static CATALOG: Catalog = surefire::catalog![Everything];

/// Runs the recipe along this path, and returns the moves and the end of the whole chain.
async fn rehearsed(path: &RunPath) -> (Vec<String>, Ending, Option<String>) {
    let rehearsal = Rehearsal::along(path).unwrap();
    let id = path.recipe().outline().id;
    let rehearse = |options: &mut Options| {
        options.catalog = if id == "everything" { CATALOG } else { BUNDLED };
        options.agents = vec![Arc::new(rehearsal)];
    };
    let harness = Harness::with(FakeAgent::default(), Arc::new(Memory::default()), rehearse).await;
    let request = Start::new(id, harness.directory());
    let mut run = harness.engine.start(request).await.unwrap().run;
    let mut moves = Vec::new();
    loop {
        let ending = harness.engine.wait_until_ended(run).await.unwrap();
        moves.extend(harness.moves(run));
        assert!(ending.rehearsal);
        if let Some(next) = ending.continued_by {
            run = next;
            continue;
        }
        let script = harness.events(run).into_iter().find_map(|recorded| match recorded.event {
            Event::Started { spec, .. } => spec.script,
            _ => None,
        });
        return (moves, ending, script);
    }
}

#[tokio::test]
async fn every_path_through_a_recipe_ends_in_the_engine_as_on_paper() {
    let mut rehearsals = 0;
    let own: &'static dyn AnyRecipe = &Everything;
    for recipe in BUNDLED.iter().chain([own]) {
        for path in recipe.paths() {
            let Next::Exit(exit) = path.end() else {
                let error = Rehearsal::along(&path).unwrap_err();
                assert!(matches!(error, PathError::Unfinished { .. }), "{path}: {error}");
                continue;
            };
            let (_, ending, script) = rehearsed(&path).await;
            assert_eq!(ending.reason, exit.code(), "{path}");
            let script = script.expect("it is stored");
            let again = RunPath::parse(recipe, &script).unwrap();
            assert_eq!(again.to_string(), path.to_string(), "the stored script is the path");
            rehearsals += 1;
        }
    }
    assert!(rehearsals > 30, "{rehearsals}");
}

#[tokio::test]
async fn commands_findings_and_restarts_follow_the_path() {
    let outcomes = "complete, failed, complete, passed, issues-found, issues-found, issues-found, \
                    issues-found, issues-found, no-issues, next-one, complete, passed, no-issues, \
                    committed";
    let path = RunPath::parse(&Everything, outcomes).unwrap();
    let (moves, ending, script) = rehearsed(&path).await;
    assert_eq!(ending.reason, "task-committed");
    // The step that a restart enters is not moved to.
    assert_eq!(moves.len(), path.moves().len() - 2, "{moves:?}");
    assert_eq!(script.as_deref(), Some(outcomes));
}
