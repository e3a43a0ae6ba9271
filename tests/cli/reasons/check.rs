//! What holds for every end: process, wire, files and journal agree with each other and with the
//! registry.

use std::path::Path;

use serde_json::{Value, json};
use surefire::wire::ServerMessage;
use surefire::{Category, ExitReason, Registry};

use super::scene::{End, Left};
use super::table::Basis;
use crate::command::CommandOutput;

/// Panics unless all of it holds.
pub(super) fn holds(reason: ExitReason, basis: Basis, end: &End) {
    check_process_and_wire(reason, end);
    let run = end.exited["run_id"].as_str();
    match end.left {
        Left::Files => {
            let run = run.expect("a run that began has an id");
            let stop = check_files(reason, basis, end, run);
            check_journal(end, run, &stop);
        }
        Left::NoRun => {
            // Clients get messages as for a run, since they wait for one, but no run exists.
            let run = run.expect("it looks like a run");
            assert_eq!(end.exited["step_count"], 0, "{reason}: {}", end.exited);
            assert!(!file(end, run, "stop.json").exists(), "{reason}");
            let unknown = end.scene.output(&["why", run]);
            assert!(unknown.stderr.contains("there is no run"), "{reason}: {unknown:?}");
            let why = end.exited["description"].as_str().unwrap_or_default();
            assert!(!why.is_empty(), "{reason} says why nothing began: {}", end.exited);
        }
        Left::NoEnd => {
            let run = run.expect("a run that began has an id");
            assert!(
                !file(end, run, "stop.json").exists(),
                "{reason}: an end that is not persisted leaves no file"
            );
            let journal = journal(end, run);
            assert_eq!(journal["run"]["ending"], Value::Null, "{reason}: {journal:#}");
        }
    }
}

/// The exit status of the process, and the message that clients get.
fn check_process_and_wire(reason: ExitReason, end: &End) {
    let (exited, definition) = (&end.exited, reason.definition());
    let code = exited["reason"].as_str().expect("it has a reason");
    assert_eq!(ExitReason::lookup(code), Some(reason), "{exited:#}");
    assert_eq!(
        end.status,
        i32::from(definition.exit_code),
        "{reason}: the exit status of the process"
    );
    let message = exited["message"].as_str().expect("it has a message");
    assert!(has_form(message, &expected_message(reason, end)), "{reason}: {message}");
    let expected = json!({
        "type": "recipe_exited", "category": definition.category, "title": definition.title, "diagnosis": definition.diagnosis, "goal_met": definition.goal_met, "exit_code": definition.exit_code,
        "auto_resumable": definition.auto_resumable, "rehearsal": false,
    });
    for (field, expected) in expected.as_object().expect("it is one") {
        assert_eq!(&exited[field], expected, "{reason}: `{field}` on the wire");
    }
    let failed = definition.category == Category::Error;
    assert_eq!(exited["error"].is_string(), failed, "{reason}: details of what failed: {exited:#}");
    let known: ServerMessage =
        serde_json::from_value(exited.clone()).expect("it is one of the protocol's");
    assert_eq!(
        &serde_json::to_value(&known).expect("it is plain data"),
        exited,
        "{reason}: nothing else"
    );
}

/// The registry's message with this run's numbers. `…` is the placeholder of a measured value.
fn expected_message(reason: ExitReason, end: &End) -> String {
    let (definition, exited) = (reason.definition(), &end.exited);
    // The registry's message is for an unknown cause.
    if let (ExitReason::Error, Some(cause)) = (reason, exited["error"].as_str()) {
        return format!("Recipe failed: {cause}");
    }
    let code = exited["reason"].as_str().expect("it has a reason");
    let step = code.split_once(':').map_or("", |(_, step)| step);
    definition.message.replace("{limit}", end.limit).replace("{step}", step)
}

fn has_form(message: &str, expected: &str) -> bool {
    match expected.split_once('…') {
        None => message == expected,
        Some((before, after)) => {
            let measured = message.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
            measured.is_some_and(|words| words.starts_with(|c: char| c.is_ascii_digit()))
        }
    }
}

/// Checks `stop.md` and `stop.json`, and returns the latter.
fn check_files(reason: ExitReason, basis: Basis, end: &End, run: &str) -> Value {
    let read =
        |name| std::fs::read_to_string(file(end, run, name)).expect("a run that ended leaves it");
    let stop: Value = serde_json::from_str(&read("stop.json")).expect("it is JSON");
    let fields = [
        "reason",
        "category",
        "goal_met",
        "exit_code",
        "run_id",
        "session_id",
        "recipe_id",
        "rehearsal",
    ];
    for field in fields {
        assert_eq!(stop[field], end.exited[field], "{reason}: `{field}` in stop.json");
    }
    // Here the wire keeps the message that other tools know; files and console have a plainer one.
    if reason != ExitReason::UserProvidedOther {
        assert_eq!(stop["message"], end.exited["message"], "{reason}: `message` in stop.json");
    }
    assert_eq!(stop["hint"], reason.definition().hint, "{reason}");
    let rests_on_agent = stop["rests_on"] == "agent";
    assert_eq!(rests_on_agent, basis == Basis::Agent, "{reason} rests on {}", stop["rests_on"]);
    assert_eq!(stop["at"]["step"], end.exited["step"], "{reason}: where it ended");
    assert_eq!(stop["at"]["step_number"], end.exited["step_count"], "{reason}: where it ended");
    assert!(stop["at"]["visit"].as_u64() >= Some(1), "{reason}: {}", stop["at"]);

    let next = stop["next"].as_array().expect("it is a list");
    assert!((1..=3).contains(&next.len()), "{reason}: {next:?}");
    for next in next {
        check_exists(end, next["command"].as_str().expect("it is a command"));
    }

    let (page, definition) = (read("stop.md"), reason.definition());
    let title = stop["title"].as_str().expect("it has one");
    assert!(page.starts_with(&format!("# {title}\n")), "{reason}: {page}");
    let goal = if definition.goal_met { "the goal is met" } else { "the goal is not met" };
    let code = stop["reason"].as_str().expect("it has one");
    let line = format!(
        "- reason: `{code}` ({}), exit status {}; {goal}\n",
        definition.category, definition.exit_code
    );
    assert!(page.contains(&line), "{reason}: {line} in {page}");
    assert_eq!(
        page.contains("- rests on: the agent's word alone\n"),
        rests_on_agent,
        "{reason}: {page}"
    );
    for next in next {
        assert!(
            page.contains(next["command"].as_str().expect("it is a command")),
            "{reason}: {page}"
        );
    }
    stop
}

/// What `surefire why` prints, for programs and for people.
fn check_journal(end: &End, run: &str, stop: &Value) {
    let journal = journal(end, run);
    let ending = &journal["run"]["ending"];
    for field in ["reason", "category", "message", "title", "diagnosis", "goal_met", "exit_code"] {
        assert_eq!(
            ending[field], end.exited[field],
            "`{field}` in the journal of {}",
            end.exited["reason"]
        );
    }
    assert_eq!(
        journal["view"]["proof"]["rests_on"], stop["rests_on"],
        "{:#}",
        journal["view"]["proof"]
    );
    let printed = end.scene.output(&["why", run]).ok();
    let line = format!(
        "{} ({}), exit status {}",
        ending["reason"].as_str().expect("it is text"),
        ending["category"].as_str().expect("it is text"),
        ending["exit_code"]
    );
    assert!(printed.contains(&line), "{line} in {printed}");
}

fn journal(end: &End, run: &str) -> Value {
    serde_json::from_str(&end.scene.output(&["why", run, "--json"]).ok()).expect("it is JSON")
}

/// Panics unless the command exists with all of its options. It only runs with `--help`.
fn check_exists(end: &End, command: &str) {
    let mut shell =
        end.scene.place.program(Path::new("/bin/sh"), &["-c", &format!("{command} --help")]);
    let output =
        CommandOutput::of(shell.env("PATH", end.scene.folder_of_program()), &end.scene.place);
    assert_eq!(output.status, 0, "{command}: {}", output.stderr);
}

fn file(end: &End, run: &str, name: &str) -> std::path::PathBuf {
    end.scene.place.data().join("runs").join(run).join(name)
}
