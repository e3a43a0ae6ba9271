//! Ends that a step's outcome leads to: with evidence, or on the agent's word where nothing can
//! prove it.

use serde_json::{Value, json};
use surefire_testkit::{commit, git};

use super::scene::{End, Scene, always, at_the_step_that_offers, reporting};

/// The agent commits a file in the work tree.
pub(super) fn commits(recipe: &str) -> End {
    let scene = Scene::new(json!({}));
    scene.write("design.md", "what is to be built\n");
    let end = scene.run(&[recipe]);
    let project = end.scene.place.project();
    assert_eq!(git(&project, &["log", "-1", "--format=%s", "--name-only"]), "Done\n\ndesign.md");
    end
}

/// The agent changes nothing, and reports that there is nothing to commit.
pub(super) fn changes_nothing() -> End {
    let outcomes = ["complete", "no-issues", "nothing-to-commit"];
    Scene::new(reporting(&outcomes)).run(&["implement-and-review"])
}

/// Main has new commits, and the agent rebases the branch onto it.
pub(super) fn rebases() -> End {
    let rebase = json!({ "tries": [{ "bash": "git rebase main" }] });
    let scene = Scene::new(at_the_step_that_offers("complete", &rebase));
    let project = scene.place.project();
    git(&project, &["switch", "--quiet", "--create", "work"]);
    scene.write("work.txt", "work\n");
    commit(&project, "Work");
    git(&project, &["switch", "--quiet", "main"]);
    scene.write("main.txt", "main\n");
    commit(&project, "Main moves on");
    git(&project, &["switch", "--quiet", "work"]);
    let end = scene.run(&["rebase"]);
    assert_eq!(git(&project, &["log", "-2", "--format=%s"]), "Work\nMain moves on");
    end
}

/// The agent commits the first task, and finds no second one. The end is that of the first run of
/// the chain.
pub(super) fn restarts() -> End {
    let scene = Scene::new(reporting(&["complete", "no-issues", "committed", "no-tasks"]));
    let output = scene.output(&["run", "implement-and-review-all", "--json"]);
    let messages =
        output.stdout.lines().map(|line| serde_json::from_str(line).expect("it prints messages"));
    let ends: Vec<Value> =
        messages.filter(|message: &Value| message["type"] == "recipe_exited").collect();
    assert_eq!(ends.len(), 2, "{output:?}");
    assert_eq!(ends[1]["reason"], "no-tasks-available");
    assert_eq!(ends[0]["continued_by"], ends[1]["run_id"], "the second run continues the first");
    End { exited: ends[0].clone(), ..End::of(scene, &output) }
}

/// The agent reports this, and nothing in the working directory can prove it.
pub(super) fn reports(recipe: &str, outcome: &str) -> End {
    Scene::new(always(&json!({ "pick": outcome }))).run(&[recipe])
}

/// The same in a custom recipe.
pub(super) fn reports_in_an_example(recipe: &str, outcome: &str) -> End {
    Scene::example("own_command", always(&json!({ "pick": outcome }))).run(&[recipe])
}
