//! When a server already holds the data directory, the command connects to it and shows the same.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};
use surefire::store::Sqlite;

use crate::command::{CommandOutput, Place};
use crate::process::{Running, begin};
use crate::snapshot::{hold, steady};
use crate::wire_client::ask;

const TASK: [&str; 4] = ["run", "implement-and-review", "--agent", "rehearsal"];

#[test]
fn a_run_looks_the_same_embedded_and_at_a_server() {
    let (alone, served) = (Place::new(), Place::new());
    let alone =
        alone.run(&["run", "implement-and-review", "--rehearse", "one-fix", "--pace-ms", "0"]);
    let (_server, _) = served.serve(&["--rehearse", "one-fix"]);
    let remote = served.run(&TASK);
    assert_eq!(remote.stderr, "Another surefire process is running; it runs this recipe.\n");
    let out = &remote.stdout;
    assert_eq!((remote.status, steady(out)), (alone.status, steady(&alone.stdout)));
    let printed = served.run(&["why"]).ok();
    assert!(printed.contains("task-committed (completed), exit status 0"), "{printed}");
    assert!(served.run(&["runs"]).ok().contains("✓ task-committed (rehearsal)"));
}

#[test]
fn past_runs_look_the_same_through_a_server() {
    let place = Place::new();
    place.run(&["run", "retrospective", "--rehearse", "other", "--pace-ms", "0"]);
    let (runs, why) = (place.run(&["runs"]).ok(), place.run(&["why"]).ok());
    let json = (place.run(&["runs", "--json"]).ok(), place.run(&["why", "--json"]).ok());
    let (server, _) = place.serve(&[]);
    assert_eq!((place.run(&["runs"]).ok(), place.run(&["why"]).ok()), (runs, why));
    assert_eq!((place.run(&["runs", "--json"]).ok(), place.run(&["why", "--json"]).ok()), json);
    assert_eq!(place.run(&["runs", "--prune", "1ms"]).ok(), "Deleted 1 run.\n");
    drop(server);
    assert!(place.run(&["runs"]).ok().contains("No runs"));
}

#[test]
fn ctrl_c_asks_the_server_to_stop_the_run() {
    let place = Place::new();
    let (server, _) = place.serve(&["--rehearse", "slow"]);
    let mut remote = place.begin(&[&TASK[..], &["--json"]].concat());
    remote.until("recipe_step_started");
    remote.signal(Signal::INT);
    let output = remote.ended();
    assert_eq!(output.status, 130, "{}", output.stderr);
    assert!(output.stdout.contains(r#""reason":"user_stopped""#), "{}", output.stdout);
    assert!(place.run(&["runs"]).ok().contains("user_stopped"), "the server recorded it");
    drop(server);
}

/// The run is stopped as soon as it exists.
#[test]
fn ctrl_c_while_the_server_starts_the_run_leaves_nothing_behind() {
    let place = Place::new();
    let (_server, _) = place.serve(&["--rehearse", "slow"]);
    let mut remote = place.begin(&TASK);
    remote.until_note("Another surefire process is running");
    remote.signal(Signal::INT);
    assert_eq!(remote.ended().status, 130);
    let listed = place.run(&["runs"]).ok();
    assert!(listed.contains("user_stopped") && !listed.contains("running"), "{listed}");
}

/// The server is killed before it receives the request. The process that holds the data directory
/// next stops the run instead of resuming it.
#[test]
fn a_stop_request_outlives_the_server() {
    let place = Place::new();
    let (mut server, _) = place.serve(&["--rehearse", "slow"]);
    let mut remote =
        begin(place.surefire(&[&TASK[..], &["--json"]].concat()).env("SUREFIRE_PACE_MS", "0"));
    remote.until("recipe_step_started");
    server.signal(Signal::STOP);
    remote.signal(Signal::INT);
    remote.until_note("Stopping the agent");
    server.signal(Signal::KILL);
    server.ended_somehow();
    let output = remote.ended();
    assert_eq!(output.status, 130, "{}{}", output.stdout, output.stderr);
    assert!(place.run(&["runs"]).ok().contains("user_stopped"));
}

#[test]
fn a_run_that_another_client_ends_says_so() {
    let place = Place::new();
    let (_server, ready) = place.serve(&["--rehearse", "slow"]);
    let mut remote = place.begin(&[&TASK[..], &["--json"]].concat());
    let started = remote.until("recipe_step_started");
    let session = started["session_id"].as_str().unwrap();
    ask(
        &ready,
        &serde_json::json!({ "type": "exit_recipe", "session_id": session }),
        "recipe_exited",
    );
    let output = remote.ended();
    assert_eq!(output.status, 132, "{}", output.stderr);
    assert!(output.stdout.contains(r#""reason":"user-requested""#), "{}", output.stdout);
}

#[test]
fn nothing_starts_while_recipes_are_switched_off() {
    let place = Place::new();
    let (_server, ready) = place.serve(&[]);
    ask(
        &ready,
        &serde_json::json!({ "type": "set_orchestration", "enabled": false }),
        "orchestration_set",
    );
    let output = place.run(&TASK);
    assert_eq!((output.status, output.stdout.as_str()), (133, ""));
    hold("remote-switched-off", &output.stderr);
}

#[test]
fn a_rehearsing_server_is_not_used_as_an_agent() {
    let place = Place::new();
    let (_server, _) = place.serve(&[]);
    let output = place.run(&["run", "implement-and-review"]);
    assert_eq!((output.status, output.stdout.as_str()), (35, ""));
    hold("remote-no-agent", &output.stderr);
}

#[test]
fn options_of_an_embedded_agent_are_refused_at_a_server() {
    let place = Place::new();
    let (_server, _) = place.serve(&[]);
    let output = place.run(&["run", "implement-and-review", "--silence", "5m"]);
    assert_eq!((output.status, output.stdout.as_str()), (64, ""));
    hold("remote-own-agent", &output.stderr);
}

/// A named script is rehearsed in the command itself, whatever agent the server has.
#[test]
fn a_rehearsal_runs_beside_a_server() {
    let place = Place::new();
    let (server, _) = place.serve(&["--rehearse", "blocked"]);
    let words = ["run", "implement-and-review", "--rehearse", "happy", "--pace-ms", "0"];
    for _ in 0..3 {
        let output = place.run(&words);
        assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
        let note = "A server is running with an agent of its own. This rehearsal runs here, and is \
                    stored in [PLACE]/data/rehearsals.\n";
        assert_eq!(output.stderr, note);
    }
    assert_eq!(place.run(&TASK).status, 33, "the server still has its own agent");
    let printed = place.run(&["why"]).ok();
    assert!(printed.contains("implementation-blocked"), "{printed}");
    place.run(&words);
    let printed = place.run(&["why"]).ok();
    assert!(printed.contains("task-committed (completed), exit status 0"), "{printed}");
    let listed = ["--rehearse", "complete, no-issues, committed"];
    let output = place.run(&[&words[..2], &listed[..], &words[4..]].concat());
    assert_eq!((output.status, output.stderr.contains("runs here")), (0, true), "{output:?}");
    let wrong =
        place.run(&[&words[..2], &["--rehearse", "complete, done"][..], &words[4..]].concat());
    assert!(wrong.failure(64).contains("has only no-issues"), "checked here, not by the server");
    let listed = place.run(&["runs"]).ok();
    assert_eq!(listed.matches("task-committed (rehearsal)").count(), 5, "{listed}");
    assert_eq!(listed.matches("implementation-blocked (rehearsal)").count(), 1, "{listed}");
    assert_eq!(place.run(&["runs", "--limit", "2"]).ok().lines().count(), 3);
    let id = listed.lines().nth(1).and_then(|line| line.split_whitespace().next()).unwrap();
    assert!(place.run(&["why", id]).ok().contains("task-committed"));
    let words = ["run", "implement-and-review", "--rehearse", "overloaded", "--pace-ms", "0"];
    place.run(&words);
    let resumed = place.run(&["resume", "--rehearse", "happy", "--pace-ms", "0"]).ok();
    assert!(resumed.contains("Task committed"), "the last run, as for `why`: {resumed}");
    drop(server);
    assert!(place.run(&["why", id]).ok().contains("task-committed"), "and without the server");
}

#[test]
fn a_server_with_other_recipes_is_reported() {
    let place = Place::new();
    let words = ["serve", "--json", "--listen", "127.0.0.1:0", "--agent", "rehearsal"];
    let mut server = begin(&mut place.program(&crate::own_command(), &words));
    server.line();
    let output = place.run(&TASK);
    assert_eq!((output.status, output.stdout.as_str()), (64, ""));
    hold("remote-other-recipes", &output.stderr);
}

/// The running server would not accept a key that the command created, but the next server would
/// use it, and clients that are paired would no longer be.
#[test]
fn a_remote_command_creates_no_key() {
    let place = Place::new();
    let (_server, ready) = place.serve(&[]);
    let key_file = std::path::Path::new(ready["key_file"].as_str().unwrap());
    std::fs::remove_file(key_file).unwrap();
    for words in [&TASK[..], &["runs"]] {
        let error = place.run(words).failure(1);
        assert!(error.contains("restart that server"), "{error}");
    }
    assert!(!key_file.exists());
}

/// The server may be restarted or killed: the process that holds the data directory next resumes
/// the run.
#[test]
fn a_run_survives_the_server_it_was_started_at() {
    let place = Place::new();
    let (mut server, _) = place.serve(&["--rehearse", "slow"]);
    let words = [&TASK[..], &["--json", "--model", "opus"]].concat();
    let mut remote = begin(place.surefire(&words).env("SUREFIRE_PACE_MS", "0"));
    remote.until("recipe_step_started");
    server.signal(Signal::KILL);
    server.ended_somehow();
    let output = remote.ended();
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    assert!(
        output.stderr.contains("The connection to the server was lost; looking for the run."),
        "{}",
        output.stderr
    );
    let transitions: Vec<Value> = output
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|message: &Value| message["type"] == "recipe_step_transition")
        .collect();
    let left: Vec<_> =
        transitions.iter().map(|moved| moved["from_step"].as_str().unwrap()).collect();
    assert_eq!(left, ["implement", "code-review"], "each transition once");
}

/// The second command connects to the first one, and outlives it.
#[test]
fn two_commands_at_once_share_a_data_directory() {
    let place = Place::new();
    let mut first = place.begin(&["run", "implement-and-review", "--json", "--rehearse", "slow"]);
    first.until("recipe_step_started");
    let mut second = place.begin(&["run", "retrospective", "--json", "--agent", "rehearsal"]);
    second.until("recipe_step_started");
    assert_eq!(place.run(&["runs"]).ok().matches("running at").count(), 2);
    first.signal(Signal::INT);
    assert_eq!(first.ended().status, 130);
    let output = second.ended();
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
}

/// A directory outside of the home and the project.
fn elsewhere(place: &Place) -> PathBuf {
    let elsewhere = place.path().join("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    elsewhere
}

/// A command that holds the data directory and runs an embedded server.
fn first_command(place: &Place, words: &[&str]) -> Running {
    let slow = ["run", "implement-and-review", "--json", "--rehearse", "slow"];
    let mut first = place.begin(&[&slow[..], words].concat());
    first.until("recipe_step_started");
    first
}

fn run_in(place: &Place, directory: PathBuf) -> CommandOutput {
    CommandOutput::of(
        place.surefire(&TASK).env("SUREFIRE_PACE_MS", "0").current_dir(directory),
        place,
    )
}

#[test]
fn a_second_command_works_in_its_own_directory() {
    let place = Place::new();
    let first = first_command(&place, &[]);
    let mut second =
        begin(place.surefire(&[&TASK[..], &["--json"]].concat()).current_dir(elsewhere(&place)));
    let started = second.until("recipe_step_started");
    let started = started["run_id"].as_str().unwrap();
    let printed = place.run(&["why", started, "--json"]).ok();
    assert!(printed.contains("[PLACE]/elsewhere"), "{printed}");
    second.signal(Signal::INT);
    assert_eq!(second.ended().status, 130);
    drop(first);
}

#[test]
fn a_data_directory_with_a_long_path_makes_no_difference() {
    let place = Place::new();
    let data = place.path().join("d".repeat(150));
    let deep = |words: &[&str]| {
        let mut command = place.surefire(words);
        command.env("SUREFIRE_DATA", &data);
        command
    };
    let slow = ["run", "implement-and-review", "--json", "--rehearse", "slow"];
    let mut first = begin(&mut deep(&slow));
    first.until("recipe_step_started");
    let second = [&TASK[..], &["--json"]].concat();
    let mut second = begin(deep(&second).current_dir(elsewhere(&place)));
    second.until("recipe_step_started");
    let diagnosed = CommandOutput::of(&mut deep(&["doctor", "--listen", "127.0.0.1:0"]), &place);
    assert!(!diagnosed.stdout.contains("local socket"), "{}", diagnosed.stdout);
    second.signal(Signal::INT);
    assert_eq!(second.ended().status, 130);
    drop(first);
}

#[test]
fn roots_that_an_operator_chose_are_not_widened_by_a_remote_command() {
    let refused = |place: &Place| {
        let output = run_in(place, elsewhere(place));
        assert_eq!((output.status, output.stdout.as_str()), (35, ""), "{}", output.stderr);
        assert!(
            output.stderr.contains("`[PLACE]/elsewhere` is outside of the allowed roots"),
            "{}",
            output.stderr
        );
        assert!(
            output.stderr.contains("fix: work inside of one, or allow it with --root"),
            "{}",
            output.stderr
        );
    };
    let place = Place::new();
    let first = first_command(&place, &["--root", place.project().to_str().unwrap()]);
    refused(&place);
    drop(first);

    let place = Place::new();
    let words = ["serve", "--json", "--listen", "127.0.0.1:0", "--agent", "rehearsal"];
    let mut server = place.begin(&words);
    server.line();
    refused(&place);
}

#[test]
fn a_client_over_tcp_adds_no_root() {
    let place = Place::new();
    let _first = first_command(&place, &[]);
    let holder = Sqlite::holder(&place.data()).unwrap().expect("the first command holds it");
    let ready = json!({
        "ws_url": format!("ws://{}", holder.address.unwrap()),
        "key_file": holder.key_file.unwrap(),
    });
    let start = json!({
        "type": "start_recipe", "session_id": null, "recipe_id": "retrospective",
        "working_directory": elsewhere(&place),
    });
    ask(&ready, &start, "recipe_error");
    ask(&ready, &start, "recipe_error");
}

/// Unauthenticated connections that are reopened as soon as they are closed, until this is dropped.
struct Crowd(Arc<AtomicBool>);

impl Crowd {
    fn at(address: SocketAddr, count: usize) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        for index in 0..count {
            let connect = move || {
                let mut stream = TcpStream::connect(address)?;
                // Half of them send the start of a request.
                stream.write_all(if index % 2 == 0 { b"" } else { b"GET / HT" })?;
                io::Result::Ok(stream)
            };
            let mut stream = connect().expect("the server listens");
            let over = Arc::clone(&over);
            std::thread::spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    let _ = stream.set_read_timeout(Some(Duration::from_millis(100)));
                    match stream.read(&mut [0; 512]) {
                        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                        Ok(1..) => {}
                        Ok(0) | Err(_) => match connect() {
                            Ok(again) => stream = again,
                            Err(_) => return,
                        },
                    }
                }
            });
        }
        Self(over)
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Tries more wrong keys than the rate limit allows.
fn guess(address: SocketAddr) {
    for _ in 0..12 {
        let mut stream = TcpStream::connect(address).expect("the server listens");
        let guess = "Authorization: Bearer untethered-00000000000000000000000000000000";
        let _ = write!(
            stream,
            "GET /api/runs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{guess}\r\n\r\n"
        );
        let _ = stream.read_to_end(&mut Vec::new());
    }
}

#[test]
fn unauthenticated_connections_do_not_lock_out_the_owners_commands() {
    let place = Place::new();
    let (_server, ready) = place.serve(&[]);
    let address = ready["ws_url"].as_str().unwrap().trim_start_matches("ws://").parse().unwrap();
    guess(address);
    let _crowd = Crowd::at(address, 64);
    let output = place.run(&TASK);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(place.run(&["runs"]).ok().contains("task-committed"));
    assert!(place.run(&["why"]).ok().contains("task-committed"));
    assert_eq!(place.run(&["runs", "--prune", "1ms"]).ok(), "Deleted 1 run.\n");
}

/// The server's limit of open files, and how many it has open now.
#[cfg(target_os = "linux")]
fn files(place: &Place) -> (usize, usize) {
    let pid = Sqlite::holder(&place.data()).unwrap().expect("the server holds it").pid.unwrap();
    let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).unwrap();
    let limit =
        limits.lines().find_map(|line| line.strip_prefix("Max open files")).expect("there is one");
    let limit = limit.split_whitespace().next().unwrap().parse().unwrap();
    (limit, std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count())
}

#[test]
#[cfg(target_os = "linux")]
fn unauthenticated_connections_leave_the_descriptors_that_runs_need() {
    let place = Place::new();
    let folder = place.path().to_str().unwrap().to_owned();
    let few = "ulimit -S -n 64 && ulimit -H -n 256 && exec \"$0\" \"$@\"";
    let server =
        ["serve", "--json", "--listen", "127.0.0.1:0", "--agent", "rehearsal", "--pace-ms", "0"];
    let words =
        [&["-c", few, env!("CARGO_BIN_EXE_surefire")], &server[..], &["--root", &folder]].concat();
    let mut server = begin(&mut place.program(std::path::Path::new("/bin/sh"), &words));
    let ready: Value = serde_json::from_str(&server.line()).expect("it prints its ready line");
    assert_eq!(files(&place).0, 256, "the server raises its limit to the maximum");
    let address = ready["ws_url"].as_str().unwrap().trim_start_matches("ws://").parse().unwrap();
    let _crowd = Crowd::at(address, 300);
    let mut most = 0;
    for _ in 0..4 {
        let output = place.run(&TASK);
        assert_eq!(output.status, 0, "{}", output.stderr);
        most = most.max(files(&place).1);
    }
    assert!(
        (64..160).contains(&most),
        "a quarter for the crowd, and what the server itself uses: {most}"
    );
}

#[test]
fn a_server_that_allows_one_client_still_accepts_commands() {
    let place = Place::new();
    let (_server, _) = place.serve(&["--max-connections", "1"]);
    let mut first = place.begin(&[&TASK[..], &["--json"]].concat());
    first.until("recipe_step_started");
    let output = place.run(&TASK);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert_eq!(first.ended().status, 0);
}

#[test]
fn a_second_server_names_the_holder_of_the_data_directory() {
    let place = Place::new();
    let (_server, ready) = place.serve(&[]);
    let error = place.run(&["serve", "--listen", "127.0.0.1:0", "--agent", "rehearsal"]).failure(1);
    let address = ready["url"].as_str().unwrap().trim_start_matches("http://");
    assert!(error.contains("with pid") && error.contains(address), "{error}");
    assert_eq!(error.lines().count(), 3, "{error}");
}
