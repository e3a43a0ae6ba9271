//! Past runs: listing them, explaining why they stopped, and resuming them.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::command::{CommandOutput, Place};
use crate::snapshot::{hold, steady};

fn rehearsed(place: &Place, scripts: &[&str]) {
    for script in scripts {
        place.run(&["run", "implement-and-review", "--pace-ms", "0", "--rehearse", script]);
    }
}

/// The ids of all runs, the latest first.
fn ids(place: &Place) -> Vec<String> {
    let listed: Value = serde_json::from_str(&place.run(&["runs", "--json"]).ok()).unwrap();
    let runs = listed["runs"].as_array().unwrap().iter();
    runs.map(|run| run["run_id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn past_runs_are_listed_and_can_be_filtered() {
    let place = Place::new();
    assert_eq!(place.run(&["runs"]).ok(), "No runs. `surefire run` runs a recipe.\n");
    assert!(!place.data().exists(), "listing creates nothing");
    rehearsed(&place, &["one-fix", "blocked", "never-satisfied"]);
    hold("runs", &steady(&place.run(&["runs"]).ok()));
    let picked = place.run(&["runs", "--reason", "max-step-visits-exceeded"]).ok();
    assert_eq!(picked.lines().count(), 2, "{picked}");
    assert_eq!(place.run(&["runs", "--limit", "1"]).ok().lines().count(), 2);
    assert!(place.run(&["runs", "--recipe", "rebase"]).ok().contains("No runs"));
}

#[test]
fn why_explains_a_stop_with_everything_that_led_to_it() {
    for script in ["happy", "garbage", "never-satisfied", "questions", "rate-limited"] {
        let place = Place::new();
        rehearsed(&place, &[script]);
        hold(&format!("why-{script}"), &steady(&place.run(&["why"]).ok()));
    }
}

#[test]
fn a_run_is_found_by_a_prefix_of_its_id() {
    let place = Place::new();
    rehearsed(&place, &["blocked", "happy"]);
    let ids = ids(&place);
    let printed = place.run(&["why", &ids[1][..8]]).ok();
    assert!(printed.contains("implementation-blocked") && printed.contains(&ids[1]), "{printed}");
    let journal: Value =
        serde_json::from_str(&place.run(&["why", "--json", &ids[0]]).ok()).unwrap();
    assert_eq!(
        (journal["run"]["run_id"].as_str(), &journal["events"][0]["seq"]),
        (Some(ids[0].as_str()), &json!(1))
    );
    for (name, asked) in
        [("why-no-such-run", "00000000"), ("why-no-id", "last"), ("why-too-short", "3f2")]
    {
        hold(name, &place.run(&["why", asked]).failure(64));
    }
    hold("why-no-runs", &Place::new().run(&["why"]).failure(1));
}

#[test]
fn old_runs_are_deleted_on_request() {
    let place = Place::new();
    rehearsed(&place, &["happy"]);
    assert_eq!(place.run(&["runs", "--prune", "1h"]).ok(), "Deleted 0 runs.\n");
    assert_eq!(place.run(&["runs", "--prune", "1ms"]).ok(), "Deleted 1 run.\n");
    assert!(ids(&place).is_empty());
}

#[test]
fn a_run_resumes_where_it_stopped() {
    let place = Place::new();
    rehearsed(&place, &["never-satisfied"]);
    hold("resume-would-stop-again", &place.run(&["resume"]).failure(1));
    let words = ["resume", "--allow-visits", "1", "--rehearse", "happy", "--pace-ms", "0"];
    let output = place.run(&words);
    hold("resume-with-more-visits", &steady(&output.stdout));
    assert_eq!((output.status, output.stderr.as_str()), (0, ""));
    hold("resume-finished", &place.run(&["resume"]).failure(1));
}

#[test]
fn automatic_resumption_is_only_for_reasons_where_it_helps() {
    let place = Place::new();
    rehearsed(&place, &["blocked"]);
    hold("resume-auto-refused", &place.run(&["resume", "--auto"]).failure(33));
    rehearsed(&place, &["overloaded"]);
    let words = ["resume", "--auto", "--rehearse", "happy", "--pace-ms", "0"];
    assert!(place.run(&words).ok().contains("Task committed"));
    assert!(place.run(&["resume", "--auto"]).ok().starts_with("Nothing to do"));
    let output = place.run(&["resume", "--auto", "--json"]);
    assert_eq!(
        (output.status, output.stdout.as_str()),
        (0, ""),
        "\"nothing to do\" is not a message of the protocol"
    );
}

#[test]
fn recipes_are_checked_against_the_runs_of_the_store() {
    let place = Place::new();
    let check = ["recipes", "--check"];
    let other_recipes = |words: &[&str]| {
        CommandOutput::of(&mut place.program(&crate::own_command(), words), &place)
    };
    let nothing =
        |data: &str| format!("[PLACE]/{data}: no run is in progress, and none can be resumed\n");
    assert_eq!(place.run(&check).ok(), nothing("data"));
    let elsewhere = place.data().join("elsewhere");
    let words = ["recipes", "--check", "--data", elsewhere.to_str().unwrap()];
    assert_eq!(place.run(&words).ok(), nothing("data/elsewhere"));
    rehearsed(&place, &["happy"]);
    assert_eq!(
        place.run(&check).ok(),
        nothing("data"),
        "a run that met its goal has nothing left to do"
    );
    rehearsed(&place, &["blocked"]);
    assert_eq!(place.run(&check).ok(), "implement-and-review  ✓ 1 run continues\n");
    let refused = other_recipes(&check);
    assert_eq!(refused.status, 0, "no run is in progress: {}", refused.stdout);
    assert!(refused.stdout.contains("✗ 1 run stops"), "{}", refused.stdout);
    assert!(refused.stdout.contains(", ended: recipe not found: `implement-and-review`"));

    let mut running = place.begin(&["run", "implement-and-review", "--json", "--rehearse", "slow"]);
    running.until("recipe_step_started");
    // The process that drives the run holds the store, and is asked.
    assert_eq!(place.run(&check).ok(), "implement-and-review  ✓ 2 runs continue\n");
    running.signal(Signal::KILL);
    running.ended_somehow();
    assert_eq!(place.run(&check).ok(), "implement-and-review  ✓ 2 runs continue\n");
    let refused = other_recipes(&["recipes", "--check", "--json"]);
    assert_eq!(refused.status, 1, "{}{}", refused.stdout, refused.stderr);
    let checked: Value = serde_json::from_str(&refused.stdout).unwrap();
    let open = &checked["runs"][0];
    assert_eq!(
        (&open["recipe_id"], &open["step"], &open["state"], &open["continues"]),
        (&json!("implement-and-review"), &json!("implement"), &json!("open"), &json!(false)),
    );
    assert_eq!(open["why"], "recipe not found: `implement-and-review`");
}

#[test]
fn resume_waits_for_a_run_that_resumes_automatically() {
    let place = Place::new();
    let run = [
        "run",
        "implement-and-review",
        "--pace-ms",
        "0",
        "--rehearse",
        "overloaded",
        "--auto-resume",
    ];
    let mut running = place.begin(&run);
    running.until_line("resumes automatically");
    running.signal(Signal::KILL);
    running.ended_somehow();
    let mut waiting = place.begin(&["resume", "--auto"]);
    waiting.until_line("stopped (api_overloaded); resumes automatically in ");
    waiting.signal(Signal::INT);
    assert_eq!(waiting.ended().status, 130);
}

#[test]
fn a_run_stays_with_its_agent() {
    let place = Place::new();
    rehearsed(&place, &["blocked"]);
    hold("resume-other-agent", &place.run(&["resume", "--agent", "claude"]).failure(64));
}

#[test]
fn a_command_that_was_killed_leaves_a_run_that_can_be_resumed() {
    let place = Place::new();
    let mut running = place.begin(&["run", "implement-and-review", "--json", "--rehearse", "slow"]);
    running.until("recipe_step_started");
    running.signal(Signal::KILL);
    running.ended_somehow();
    let listed = place.run(&["runs"]).ok();
    assert!(listed.contains("interrupted at implement"), "{listed}");
    let printed = place.run(&["why"]).ok();
    assert!(
        printed.contains("no server is running it") && printed.contains("surefire resume "),
        "{printed}"
    );
    let words = ["resume", "--rehearse", "one-fix", "--pace-ms", "0", "--json"];
    let output: CommandOutput = place.run(&words);
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    let steps =
        output.stdout.lines().filter(|line| line.contains("recipe_step_transition")).count();
    assert_eq!(steps, 4, "each transition once: {}", output.stdout);
    assert_eq!(ids(&place).len(), 1, "it is the same run");
}

/// A run that has not ended keeps its limits when it is resumed. The command says so at once, even
/// while another process holds the data directory.
#[test]
fn a_run_that_has_not_ended_keeps_its_limits() {
    let place = Place::new();
    let mut running = place.begin(&["run", "implement-and-review", "--json", "--rehearse", "slow"]);
    running.until("recipe_step_started");
    running.signal(Signal::KILL);
    running.ended_somehow();
    let left = ids(&place)[0].clone();
    let words = ["resume", &left, "--time", "2h"];
    hold("resume-as-it-is", &place.run(&words).failure(64));
    let mut other = place.begin(&["run", "retrospective", "--json", "--rehearse", "slow"]);
    other.until("recipe_step_started");
    hold("resume-as-it-is", &place.run(&words).failure(64));
}

#[test]
fn ctrl_c_ends_the_wait_for_a_data_directory_in_use() {
    let place = Place::new();
    let _held = surefire::store::Sqlite::open(&place.data()).expect("it is free");
    for words in [&["resume"][..], &["run", "retrospective", "--rehearse", "happy"]] {
        let waiting = place.begin(words);
        waiting.until_it_catches(Signal::INT);
        waiting.signal(Signal::INT);
        let output = waiting.ended();
        assert_eq!((output.status, output.stderr.as_str()), (130, ""), "{words:?}");
    }
}

#[test]
fn a_command_does_not_resume_other_interrupted_runs() {
    let place = Place::new();
    let mut running = place.begin(&["run", "implement-and-review", "--json", "--rehearse", "slow"]);
    running.until("recipe_step_started");
    running.signal(Signal::KILL);
    running.ended_somehow();
    let journal = |place: &Place, id: &str| place.run(&["why", "--json", id]).ok();
    let left = ids(&place)[0].clone();
    let before = journal(&place, &left);
    place.run(&["run", "retrospective", "--pace-ms", "0", "--rehearse", "happy"]).ok();
    assert_eq!(journal(&place, &left), before);
}
