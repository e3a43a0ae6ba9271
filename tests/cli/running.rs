//! A recipe, run in the foreground.

use std::io::Write;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::command::{CommandOutput, Place};
use crate::own_command;
use crate::process::begin;
use crate::snapshot::{hold, steady};
use crate::terminal::in_terminal;

const TASK: [&str; 4] = ["run", "implement-and-review", "--pace-ms", "0"];

fn rehearse(place: &Place, script: &str) -> CommandOutput {
    place.run(&[&TASK[..], &["--rehearse", script]].concat())
}

/// The messages that a run printed.
fn messages(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).expect("every line is a message")).collect()
}

#[test]
fn a_run_is_printed_line_by_line_and_ends_with_a_summary() {
    for script in [
        "happy",
        "one-fix",
        "garbage-once",
        "never-satisfied",
        "blocked",
        "other",
        "logged-out",
        "crash",
        "unproved",
        "unproved-once",
    ] {
        let output = rehearse(&Place::new(), script);
        assert_eq!(output.stderr, "", "{script}");
        hold(&format!("run-{script}"), &steady(&output.stdout));
    }
}

#[test]
fn in_a_terminal_lines_are_redrawn_and_the_summary_stays() {
    let place = Place::new();
    let words = [
        "run",
        "implement-and-review",
        "--rehearse",
        "one-fix",
        "--pace-ms",
        "300",
        "--color",
        "never",
    ];
    let (status, shown) = in_terminal(&mut place.surefire(&words), 60, "");
    assert_eq!(status, 0, "{shown}");
    assert!(shown.contains("\u{1b}[J"), "it draws over what it drew: {shown:?}");
    for line in [
        "step 1 of at most 7: implement · 0:00 · rehearsal",
        " 5  commit → committed",
        "✓ Task committed",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let is_painted = |colour: u8| shown.contains(&format!("\u{1b}[{colour}m"));
    assert!(!(30..38).any(is_painted), "there are no colours: {shown:?}");
}

#[test]
fn no_redrawn_line_is_wider_than_a_small_terminal() {
    let place = Place::new();
    let words = [
        "run",
        "implement-and-review",
        "--rehearse",
        "garbage-once",
        "--pace-ms",
        "200",
        "--color",
        "never",
    ];
    let (_, shown) = in_terminal(&mut place.surefire(&words), 30, "");
    let frames = shown.split("\u{1b}[J").skip(1);
    let changing = frames
        .flat_map(|frame| frame.lines().take(1))
        .filter(|line| line.starts_with(['⠋', '⠙', '⠹', '⠸']));
    let changing: Vec<_> = changing.collect();
    assert!(!changing.is_empty(), "{shown:?}");
    for line in changing {
        assert!(line.trim_end().chars().count() <= 30, "{line}");
    }
}

#[test]
fn json_output_has_the_messages_of_the_wire() {
    let place = Place::new();
    let output = place.run(&[&TASK[..], &["--rehearse", "one-fix", "--json"]].concat()).ok();
    let messages = messages(&output);
    for message in &messages {
        let known: surefire::wire::ServerMessage = serde_json::from_value(message.clone()).unwrap();
        assert_eq!(&serde_json::to_value(&known).unwrap(), message);
    }
    let steps = messages.iter().filter(|message| message["type"] == "recipe_step_started");
    let steps: Vec<_> = steps.map(|message| message["step"].as_str().unwrap()).collect();
    assert_eq!(steps, ["implement", "code-review", "fix", "code-review", "commit"]);
    let ends: Vec<_> =
        messages.iter().filter(|message| message["type"] == "recipe_exited").collect();
    assert_eq!(ends.len(), 1);
    assert_eq!(
        (&ends[0]["reason"], &ends[0]["rehearsal"]),
        (&json!("task-committed"), &json!(true))
    );
    assert!(
        messages.iter().any(|message| message["type"] == "session_history"),
        "the conversation is printed too"
    );
}

#[test]
fn without_an_agent_a_run_fails_rather_than_rehearse() {
    let place = Place::new();
    let error = place.run(&["run", "implement-and-review"]).failure(35);
    hold("run-no-agent", &error);
    assert!(!place.data().exists(), "nothing was created");
}

#[test]
fn a_run_that_cannot_start_says_what_to_do() {
    let place = Place::new();
    let table = [
        ("run-unknown-recipe", 64, &["run", "implment-and-review", "--rehearse", "happy"][..]),
        (
            "run-no-directory",
            64,
            &["run", "retrospective", "--rehearse", "happy", "--dir", "nowhere"],
        ),
        (
            "run-outside-of-roots",
            35,
            &["run", "retrospective", "--rehearse", "happy", "--root", "../home"],
        ),
        ("run-unknown-script", 64, &["run", "retrospective", "--rehearse", "hapy"]),
        ("run-zero-time", 64, &["run", "retrospective", "--rehearse", "happy", "--time", "0s"]),
        (
            "run-two-agents",
            64,
            &["run", "retrospective", "--rehearse", "happy", "--agent", "claude"],
        ),
    ];
    for (name, status, words) in table {
        let error = place.run(words).failure(status);
        let is_claps = error.ends_with("try '--help'.\n");
        assert!(is_claps || error.lines().count() == 3, "{error}");
        hold(name, &error);
    }
}

#[test]
fn a_rehearsal_reports_the_listed_outcomes() {
    let place = Place::new();
    let listed = "complete, issues-found, complete, no-issues, nothing-to-commit";
    let output = rehearse(&place, listed);
    assert_eq!((output.status, output.stderr.as_str()), (0, ""), "{}", output.stdout);
    hold("run-listed-outcomes", &steady(&output.stdout));
    let why = place.run(&["why"]).ok();
    assert!(why.contains(&format!(" --rehearse '{listed}'")), "it can be repeated: {why}");
    let own = ["run", "check-release", "--pace-ms", "0", "--rehearse", "ready,"];
    let output = CommandOutput::of(&mut place.program(&crate::own_command(), &own), &place);
    assert_eq!(output.status, 0, "a comma makes a list of one: {}", output.stderr);
}

#[test]
fn listed_outcomes_are_checked_before_anything_is_started() {
    let place = Place::new();
    for (name, outcomes) in [
        ("misspelt", "complete, no-isues, committed"),
        ("of-another-step", "complete, committed"),
        ("too-many", "complete, no-issues, committed, complete, no-issues"),
        ("too-few", "complete, issues-found"),
        ("empty", ","),
    ] {
        let error = rehearse(&place, outcomes).failure(64);
        hold(&format!("run-list-{name}"), &error);
        assert!(!place.data().exists(), "nothing was created");
    }
    let chain = ["run", "implement-and-review-all", "--rehearse", "complete, no-issues, committed"];
    hold("run-list-restarts", &place.run(&chain).failure(64));
    let serve = ["serve", "--listen", "127.0.0.1:0", "--rehearse", "complete, no-tasks"];
    hold("serve-list", &place.run(&serve).failure(64));
}

#[test]
fn the_task_and_the_model_reach_the_agent() {
    let place = Place::new();
    let words = ["run", "retrospective", "--prompt", "the login page", "--model", "opus"];
    let output = CommandOutput::of(&mut place.with_agent(&json!({}), &words), &place);
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    let call = &fake_claude::calls(&place.path().join("calls.jsonl"))[0];
    assert!(call["prompt"].as_str().unwrap().contains("the login page"), "{call}");
    let arguments: Vec<_> =
        call["arguments"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    let after = |name| arguments.iter().skip_while(|one| **one != name).nth(1).copied();
    assert_eq!((after("--model"), after("--permission-mode")), (Some("opus"), Some("default")));
}

/// From the command line, and from a setting.
#[test]
fn tools_that_the_operator_allows_reach_the_agent() {
    let allow = ["--allow-tool", "bd *", "--allow-tool", "web", "--permission-mode", "default"];
    let settings = ("SUREFIRE_ALLOW_TOOL", "bd *, web");
    for (words, variables) in [(&allow[..], &[][..]), (&allow[4..], &[settings])] {
        let place = Place::new();
        let words = [&["run", "retrospective"], words].concat();
        let mut command = place.with_agent(&json!({}), &words);
        let output = CommandOutput::of(command.envs(variables.iter().copied()), &place);
        assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
        let call = &fake_claude::calls(&place.path().join("calls.jsonl"))[0];
        let allowed = call["allowed_tools"].as_array().unwrap();
        for rule in ["Bash(bd *)", "WebFetch", "WebSearch"] {
            assert!(allowed.contains(&json!(rule)), "{rule} in {allowed:?}");
        }
        assert_eq!(call["permission_mode"], "default");
    }
}

#[test]
fn a_run_can_continue_an_existing_conversation() {
    let place = Place::new();
    let first =
        messages(&place.run(&[&TASK[..], &["--rehearse", "happy", "--json"]].concat()).ok());
    let session = first[0]["session_id"].as_str().unwrap();
    let words = ["--rehearse", "happy", "--json", "--session", session];
    let second = messages(&place.run(&[&TASK[..], &words].concat()).ok());
    assert_eq!(second[0]["session_id"], session);
    assert_ne!(second[0]["run_id"], first[0]["run_id"]);
}

#[test]
fn a_chain_of_runs_is_followed_to_its_end() {
    let place = Place::new();
    let words =
        ["run", "implement-and-review-all", "--rehearse", "happy", "--pace-ms", "0", "--json"];
    let messages = messages(&place.run(&words).ok());
    let reasons = messages.iter().filter(|message| message["type"] == "recipe_exited");
    let reasons: Vec<_> = reasons.map(|message| message["reason"].as_str().unwrap()).collect();
    assert_eq!(reasons, ["restart-new-session", "restart-new-session", "no-tasks-available"]);
}

#[test]
fn ctrl_c_stops_the_agent_and_everything_it_started() {
    let place = Place::new();
    let mut command = place
        .with_agent(&json!({ "act": "interruptible" }), &["run", "implement-and-review", "--json"]);
    let mut running = begin(&mut command);
    running.until("recipe_step_started");
    let agent = agent(&place);
    running.signal(Signal::INT);
    let output = running.ended();
    assert_eq!(output.status, 130, "{}", output.stderr);
    assert!(output.stderr.contains("Stopping the agent"), "{}", output.stderr);
    assert!(!std::path::Path::new(&format!("/proc/{agent}")).exists(), "the agent is gone");
    assert!(place.run(&["why"]).ok().contains("user_stopped (completed), exit status 130"));
}

#[test]
fn a_run_that_resumes_automatically_says_so_and_can_be_stopped() {
    let place = Place::new();
    let mut running =
        place.begin(&[&TASK[..], &["--rehearse", "overloaded", "--auto-resume"]].concat());
    running.until_line("stopped (api_overloaded); resumes automatically in ");
    running.signal(Signal::INT);
    let output = running.ended();
    assert_eq!(output.status, 130, "{}{}", output.stdout, output.stderr);
    assert_eq!(output.stdout.matches("stopped after").count(), 1, "{}", output.stdout);
    let printed = place.run(&["why"]).ok();
    assert!(
        printed.contains("stopped (api_overloaded)") && printed.contains("user_stopped"),
        "{printed}"
    );
}

#[test]
fn an_agents_description_is_unchanged_in_json_and_shortened_for_people() {
    let place = Place::new();
    let description = format!("\u{7f}\u{1b}[2J{}", "long\n".repeat(500));
    let reply = json!({ "outcome": "other", "otherDescription": description });
    let answer = json!({ "text": reply.to_string() });
    let words = ["run", "implement-and-review"];
    let printed = CommandOutput::of(
        &mut place.with_agent(&answer, &[&words[..], &["--json"]].concat()),
        &place,
    );
    let exited = messages(&printed.stdout)
        .into_iter()
        .find(|message| message["type"] == "recipe_exited")
        .unwrap();
    assert_eq!(exited["description"], description);
    let journal: Value = serde_json::from_str(&place.run(&["why", "--json"]).ok()).unwrap();
    assert_eq!(journal["run"]["ending"]["description"], description);
    let card = CommandOutput::of(&mut place.with_agent(&answer, &words), &place).stdout;
    assert!(card.contains("│ [2Jlong\n") && card.contains("… 488 more lines"), "{card}");
    assert!(card.lines().count() < 30, "{card}");
}

#[test]
fn a_second_ctrl_c_is_immediate() {
    let place = Place::new();
    let mut running =
        begin(&mut place.with_agent(&ignores_sigterm(), &["run", "implement-and-review"]));
    running.until_line("step 1");
    let agent = agent(&place);
    running.signal(Signal::INT);
    running.until_note("Stopping the agent");
    running.signal(Signal::INT);
    let output = running.ended();
    assert_eq!(output.status, 130, "{}", output.stderr);
    assert!(
        !output.stdout.contains("User requested stop"),
        "it waited for the agent:\n{}",
        output.stdout
    );
    assert!(place.run(&["runs"]).ok().contains("user_stopped"));
    is_gone(agent);
}

/// A terminal and a process between it and the command may each forward the same Ctrl-C. The
/// signals differ here, because the kernel may merge pending signals of the same kind.
#[test]
fn several_signals_at_once_leave_no_agent_behind() {
    for signals in [&[Signal::INT, Signal::TERM][..], &[Signal::INT, Signal::TERM, Signal::HUP]] {
        let place = Place::new();
        let mut running =
            begin(&mut place.with_agent(&ignores_sigterm(), &["run", "implement-and-review"]));
        running.until_line("step 1");
        let agent = agent(&place);
        for signal in signals {
            running.signal(*signal);
        }
        let output = running.ended();
        assert!([129, 130, 143].contains(&output.status), "{}", output.status);
        assert!(
            !output.stdout.contains("User requested stop"),
            "it waited for the agent:\n{}",
            output.stdout
        );
        assert!(place.run(&["runs"]).ok().contains("user_stopped"));
        is_gone(agent);
    }
}

#[test]
fn a_blocked_terminal_does_not_keep_an_agent_alive() {
    stop_with_a_blocked_terminal("implement-and-review", &[]);
}

#[test]
fn a_blocked_terminal_does_not_keep_the_agent_of_a_restarted_run_alive() {
    stop_with_a_blocked_terminal(
        "implement-and-review-all",
        &["complete", "no-issues", "committed"],
    );
}

/// Stops a recipe whose agent reports these outcomes and then ignores the request to stop, while
/// the terminal accepts no output.
fn stop_with_a_blocked_terminal(recipe: &str, outcomes: &[&str]) {
    let place = Place::new();
    let (reader, mut writer) = std::io::pipe().unwrap();
    let mut command = place.with_agent(&ignores_sigterm(), &["run", recipe]);
    let answers: Vec<_> = outcomes.iter().map(|outcome| json!({ "pick": outcome })).collect();
    let plan = json!({ "answers": answers, "default": ignores_sigterm() });
    std::fs::write(place.path().join("plan.json"), plan.to_string()).unwrap();
    command.stdout(writer.try_clone().unwrap()).stderr(Stdio::null());
    // The pipe stays full, however much of it is read.
    std::thread::spawn(move || while writer.write_all(&[b' '; 4096]).is_ok() {});
    let mut child = command.spawn().unwrap();
    let _watched = crate::process::watch(&child);
    let agent = nth_agent(&place, outcomes.len());
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    for _ in 0..2 {
        kill_process(pid, Signal::INT).unwrap();
        let stopped = || place.run(&["runs"]).ok().contains("user_stopped").then_some(());
        crate::process::eventually(stopped);
    }
    assert_eq!(child.wait().unwrap().code(), Some(130));
    is_gone(agent);
    drop(reader);
}

/// An agent that ignores the request to stop.
fn ignores_sigterm() -> Value {
    json!({ "act": "ignore-sigterm" })
}

/// The agent's process, once it runs.
fn agent(place: &Place) -> i64 {
    nth_agent(place, 0)
}

/// The process of the agent that was called after this many others, once it runs.
fn nth_agent(place: &Place, earlier: usize) -> i64 {
    let calls = place.path().join("calls.jsonl");
    crate::process::eventually(|| {
        let mut processes: Vec<_> =
            fake_claude::calls(&calls).iter().filter_map(|call| call["pid"].as_i64()).collect();
        processes.dedup();
        processes.get(earlier).copied()
    })
}

/// Waits until a process is gone. A zombie has an empty command line.
fn is_gone(process: i64) {
    let words = format!("/proc/{process}/cmdline");
    crate::process::eventually(|| {
        std::fs::read(&words).unwrap_or_default().is_empty().then_some(())
    });
}

#[test]
fn a_pipe_that_closes_does_not_stop_the_run() {
    let place = Place::new();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = place.surefire(&[&TASK[..], &["--rehearse", "blocked"]].concat());
    let status = command.stdout(writer).stderr(Stdio::null()).status().unwrap();
    assert_eq!(status.code(), Some(33));
    assert!(place.run(&["why"]).ok().contains("implementation-blocked"));
}

#[test]
fn custom_recipes_get_the_same_command() {
    let place = Place::new();
    let listed = CommandOutput::of(&mut place.program(&own_command(), &["recipes"]), &place).ok();
    hold("own-recipes", &listed);
    let words = ["run", "check-release", "--rehearse", "happy", "--pace-ms", "0"];
    let run = CommandOutput::of(&mut place.program(&own_command(), &words), &place);
    hold("own-run", &steady(&run.ok()));
    let help =
        CommandOutput::of(&mut place.program(&own_command(), &["run", "--help"]), &place).ok();
    assert!(help.contains("Usage: own_command run"), "{help}");
    let none =
        CommandOutput::of(&mut Place::new().program(&own_command(), &["why"]), &place).failure(1);
    assert!(none.contains("`own_command run`"), "{none}");
}

/// A script that only needs the exit status may discard the output.
#[test]
fn the_status_does_not_depend_on_how_the_run_is_shown() {
    for (script, status) in
        [("happy", 0), ("blocked", 33), ("garbage", 13), ("never-satisfied", 129)]
    {
        let place = Place::new();
        let mut silent = place.surefire(&[&TASK[..], &["--rehearse", script]].concat());
        silent.stdout(Stdio::null());
        assert_eq!(silent.status().unwrap().code(), Some(status), "{script}");
    }
}
