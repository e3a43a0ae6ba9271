//! What was run before, why it stopped, and going on with it.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::command::{Place, Said};
use crate::snapshot::{hold, steady};

fn rehearsed(place: &Place, scripts: &[&str]) {
    for script in scripts {
        place.run(&["run", "implement-and-review", "--pace-ms", "0", "--rehearse", script]);
    }
}

/// The ids of all runs, the last one first.
fn ids(place: &Place) -> Vec<String> {
    let listed: Value = serde_json::from_str(&place.run(&["runs", "--json"]).ok()).unwrap();
    let runs = listed["runs"].as_array().unwrap().iter();
    runs.map(|run| run["run_id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn past_runs_are_listed_and_can_be_picked_out() {
    let place = Place::new();
    assert_eq!(place.run(&["runs"]).ok(), "No runs. `surefire run` runs a recipe.\n");
    assert!(!place.data().exists(), "looking makes nothing");
    rehearsed(&place, &["one-fix", "blocked", "never-satisfied"]);
    hold("runs", &steady(&place.run(&["runs"]).ok()));
    let picked = place.run(&["runs", "--reason", "max-step-visits-exceeded"]).ok();
    assert_eq!(picked.lines().count(), 2, "{picked}");
    assert_eq!(place.run(&["runs", "--limit", "1"]).ok().lines().count(), 2);
    assert!(place.run(&["runs", "--recipe", "rebase"]).ok().contains("No runs"));
}

#[test]
fn why_a_run_stopped_is_told_with_all_that_led_to_it() {
    for script in ["happy", "garbage", "never-satisfied", "questions", "rate-limited"] {
        let place = Place::new();
        rehearsed(&place, &[script]);
        hold(&format!("why-{script}"), &steady(&place.run(&["why"]).ok()));
    }
}

#[test]
fn a_run_is_found_by_how_its_id_begins() {
    let place = Place::new();
    rehearsed(&place, &["blocked", "happy"]);
    let ids = ids(&place);
    let told = place.run(&["why", &ids[1][..8]]).ok();
    assert!(told.contains("implementation-blocked") && told.contains(&ids[1]), "{told}");
    let journal: Value = serde_json::from_str(&place.run(&["why", "--json", &ids[0]]).ok()).unwrap();
    assert_eq!(
        (journal["run"]["run_id"].as_str(), &journal["events"][0]["seq"]),
        (Some(ids[0].as_str()), &json!(1))
    );
    for (name, asked) in [("why-no-such-run", "00000000"), ("why-no-id", "last"), ("why-too-short", "3f2")] {
        hold(name, &place.run(&["why", asked]).complaint(64));
    }
    hold("why-no-runs", &Place::new().run(&["why"]).complaint(1));
}

#[test]
fn old_runs_are_forgotten_when_asked_to() {
    let place = Place::new();
    rehearsed(&place, &["happy"]);
    assert_eq!(place.run(&["runs", "--prune", "1h"]).ok(), "Forgot 0 runs.\n");
    assert_eq!(place.run(&["runs", "--prune", "1ms"]).ok(), "Forgot 1 run.\n");
    assert!(ids(&place).is_empty());
}

#[test]
fn a_run_goes_on_where_it_stopped() {
    let place = Place::new();
    rehearsed(&place, &["never-satisfied"]);
    hold("resume-would-stop-again", &place.run(&["resume"]).complaint(1));
    let words = ["resume", "--allow-visits", "1", "--rehearse", "happy", "--pace-ms", "0"];
    let said = place.run(&words);
    hold("resume-with-more-visits", &steady(&said.out));
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    hold("resume-finished", &place.run(&["resume"]).complaint(1));
}

#[test]
fn going_on_without_a_person_is_only_for_reasons_where_that_helps() {
    let place = Place::new();
    rehearsed(&place, &["blocked"]);
    hold("resume-auto-refused", &place.run(&["resume", "--auto"]).complaint(33));
    rehearsed(&place, &["overloaded"]);
    let words = ["resume", "--auto", "--rehearse", "happy", "--pace-ms", "0"];
    assert!(place.run(&words).ok().contains("Task committed"));
    assert!(place.run(&["resume", "--auto"]).ok().starts_with("Nothing to do"));
    let said = place.run(&["resume", "--auto", "--json"]);
    assert_eq!((said.status, said.out.as_str()), (0, ""), "that is no message");
}

#[test]
fn a_run_that_waits_for_its_time_is_waited_for() {
    let place = Place::new();
    let run = ["run", "implement-and-review", "--pace-ms", "0", "--rehearse", "overloaded", "--auto-resume"];
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
    hold("resume-other-agent", &place.run(&["resume", "--agent", "claude"]).complaint(64));
}

#[test]
fn a_command_that_was_killed_leaves_a_run_that_can_be_gone_on_with() {
    let place = Place::new();
    let mut running = place.begin(&["run", "implement-and-review", "--json", "--rehearse", "slow"]);
    running.until("recipe_step_started");
    running.signal(Signal::KILL);
    running.ended_somehow();
    let listed = place.run(&["runs"]).ok();
    assert!(listed.contains("left behind at implement"), "{listed}");
    let told = place.run(&["why"]).ok();
    assert!(told.contains("no server is running it") && told.contains("surefire resume "), "{told}");
    let words = ["resume", "--rehearse", "one-fix", "--pace-ms", "0", "--json"];
    let said: Said = place.run(&words);
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    let steps = said.out.lines().filter(|line| line.contains("recipe_step_transition")).count();
    assert_eq!(steps, 4, "each transition once: {}", said.out);
    assert_eq!(ids(&place).len(), 1, "it is the same run");
}

/// A run that has not ended goes on as it is: that limits count for nothing must not go unsaid, nor be waited for in vain.
#[test]
fn a_run_that_has_not_ended_keeps_its_limits() {
    let place = Place::new();
    let mut running = place.begin(&["run", "implement-and-review", "--json", "--rehearse", "slow"]);
    running.until("recipe_step_started");
    running.signal(Signal::KILL);
    running.ended_somehow();
    let left = ids(&place)[0].clone();
    let words = ["resume", &left, "--time", "2h"];
    hold("resume-as-it-is", &place.run(&words).complaint(64));
    let mut other = place.begin(&["run", "retrospective", "--json", "--rehearse", "slow"]);
    other.until("recipe_step_started");
    hold("resume-as-it-is", &place.run(&words).complaint(64));
}

#[test]
fn ctrl_c_ends_the_wait_for_a_data_directory_that_somebody_holds() {
    let place = Place::new();
    let _held = surefire::store::Sqlite::open(&place.data()).expect("it is free");
    for words in [&["resume"][..], &["run", "retrospective", "--rehearse", "happy"]] {
        let waiting = place.begin(words);
        waiting.until_it_hears(Signal::INT);
        waiting.signal(Signal::INT);
        let said = waiting.ended();
        assert_eq!((said.status, said.err.as_str()), (130, ""), "{words:?}");
    }
}

/// A run that somebody left behind is not gone on with by whoever runs something else.
#[test]
fn other_peoples_runs_are_left_alone() {
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
