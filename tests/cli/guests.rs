//! Where a server holds the data directory already, the command is its guest and shows the same.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};
use surefire::store::Sqlite;

use crate::command::{Place, Said};
use crate::process::{Running, begin};
use crate::snapshot::{hold, steady};
use crate::wire_client::ask;

const TASK: [&str; 4] = ["run", "implement-and-review", "--agent", "rehearsal"];

#[test]
fn a_run_looks_the_same_wherever_it_goes_on() {
    let (alone, served) = (Place::new(), Place::new());
    let alone = alone.run(&["run", "implement-and-review", "--rehearse", "one-fix", "--pace-ms", "0"]);
    let (_server, _) = served.serve(&["--rehearse", "one-fix"]);
    let guest = served.run(&TASK);
    assert_eq!(guest.err, "Another process holds the data directory, and runs this.\n");
    assert_eq!((guest.status, steady(&guest.out)), (alone.status, steady(&alone.out)));
    let told = served.run(&["why"]).ok();
    assert!(told.contains("task-committed (completed), exit status 0"), "{told}");
    assert!(served.run(&["runs"]).ok().contains("✓ task-committed (rehearsal)"));
}

#[test]
fn past_runs_are_the_servers_too() {
    let place = Place::new();
    place.run(&["run", "retrospective", "--rehearse", "other", "--pace-ms", "0"]);
    let (runs, why) = (place.run(&["runs"]).ok(), place.run(&["why"]).ok());
    let json = (place.run(&["runs", "--json"]).ok(), place.run(&["why", "--json"]).ok());
    let (server, _) = place.serve(&[]);
    assert_eq!((place.run(&["runs"]).ok(), place.run(&["why"]).ok()), (runs, why));
    assert_eq!((place.run(&["runs", "--json"]).ok(), place.run(&["why", "--json"]).ok()), json);
    assert_eq!(place.run(&["runs", "--prune", "1ms"]).ok(), "Forgot 1 run.\n");
    drop(server);
    assert!(place.run(&["runs"]).ok().contains("No runs"));
}

#[test]
fn ctrl_c_asks_the_server_to_stop_the_run() {
    let place = Place::new();
    let (server, _) = place.serve(&["--rehearse", "slow"]);
    let mut guest = place.begin(&[&TASK[..], &["--json"]].concat());
    guest.until("recipe_step_started");
    guest.signal(Signal::INT);
    let said = guest.ended();
    assert_eq!(said.status, 130, "{}", said.err);
    assert!(said.out.contains(r#""reason":"user_stopped""#), "{}", said.out);
    assert!(place.run(&["runs"]).ok().contains("user_stopped"), "the server knows it too");
    drop(server);
}

/// A run that is about to begin has to be there before it can be stopped; but it is stopped.
#[test]
fn ctrl_c_while_the_server_starts_the_run_leaves_nothing_behind() {
    let place = Place::new();
    let (_server, _) = place.serve(&["--rehearse", "slow"]);
    let mut guest = place.begin(&TASK);
    guest.until_note("Another process holds the data directory");
    guest.signal(Signal::INT);
    assert_eq!(guest.ended().status, 130);
    let listed = place.run(&["runs"]).ok();
    assert!(listed.contains("user_stopped") && !listed.contains("goes on"), "{listed}");
}

/// The server never hears of it: it is killed first. Whoever holds the data directory next does not go on.
#[test]
fn a_wish_to_stop_outlives_the_server() {
    let place = Place::new();
    let (mut server, _) = place.serve(&["--rehearse", "slow"]);
    let mut guest = begin(place.surefire(&[&TASK[..], &["--json"]].concat()).env("SUREFIRE_PACE_MS", "0"));
    guest.until("recipe_step_started");
    server.signal(Signal::STOP);
    guest.signal(Signal::INT);
    guest.until_note("Stopping the agent");
    server.signal(Signal::KILL);
    server.ended_somehow();
    let said = guest.ended();
    assert_eq!(said.status, 130, "{}{}", said.out, said.err);
    assert!(place.run(&["runs"]).ok().contains("user_stopped"));
}

#[test]
fn a_run_that_somebody_else_ends_says_so() {
    let place = Place::new();
    let (_server, ready) = place.serve(&["--rehearse", "slow"]);
    let mut guest = place.begin(&[&TASK[..], &["--json"]].concat());
    let started = guest.until("recipe_step_started");
    let session = started["session_id"].as_str().unwrap();
    ask(&ready, &serde_json::json!({ "type": "exit_recipe", "session_id": session }), "recipe_exited");
    let said = guest.ended();
    assert_eq!(said.status, 132, "{}", said.err);
    assert!(said.out.contains(r#""reason":"user-requested""#), "{}", said.out);
}

#[test]
fn where_recipes_are_switched_off_nothing_starts() {
    let place = Place::new();
    let (_server, ready) = place.serve(&[]);
    ask(&ready, &serde_json::json!({ "type": "set_orchestration", "enabled": false }), "orchestration_set");
    let said = place.run(&TASK);
    assert_eq!((said.status, said.out.as_str()), (133, ""));
    hold("guest-switched-off", &said.err);
}

#[test]
fn a_server_that_only_pretends_is_no_agent() {
    let place = Place::new();
    let (_server, _) = place.serve(&[]);
    let said = place.run(&["run", "implement-and-review"]);
    assert_eq!((said.status, said.out.as_str()), (35, ""));
    hold("guest-no-agent", &said.err);
}

#[test]
fn what_only_counts_for_ones_own_agent_is_refused() {
    let place = Place::new();
    let (_server, _) = place.serve(&[]);
    let said = place.run(&["run", "implement-and-review", "--rehearse", "happy"]);
    assert_eq!((said.status, said.out.as_str()), (64, ""));
    hold("guest-own-agent", &said.err);
}

#[test]
fn a_server_with_other_recipes_is_named_as_that() {
    let place = Place::new();
    let words = ["serve", "--json", "--listen", "127.0.0.1:0", "--agent", "rehearsal"];
    let mut server = begin(&mut place.program(&crate::own_command(), &words));
    server.line();
    let said = place.run(&TASK);
    assert_eq!((said.status, said.out.as_str()), (64, ""));
    hold("guest-other-recipes", &said.err);
}

/// A key that a guest made would not be the server's, but the next server's: whoever was paired would not be any more.
#[test]
fn a_guest_makes_no_key() {
    let place = Place::new();
    let (_server, ready) = place.serve(&[]);
    let key_file = std::path::Path::new(ready["key_file"].as_str().unwrap());
    std::fs::remove_file(key_file).unwrap();
    for words in [&TASK[..], &["runs"]] {
        let complaint = place.run(words).complaint(1);
        assert!(complaint.contains("restart that server"), "{complaint}");
    }
    assert!(!key_file.exists());
}

/// Somebody may restart the server, or it may be killed: the run goes on with whoever holds the data directory next.
#[test]
fn a_run_survives_the_server_it_was_started_at() {
    let place = Place::new();
    let (mut server, _) = place.serve(&["--rehearse", "slow"]);
    let words = [&TASK[..], &["--json", "--model", "opus"]].concat();
    let mut guest = begin(place.surefire(&words).env("SUREFIRE_PACE_MS", "0"));
    guest.until("recipe_step_started");
    server.signal(Signal::KILL);
    server.ended_somehow();
    let said = guest.ended();
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    assert!(said.err.contains("The server is gone; looking for the run."), "{}", said.err);
    let transitions: Vec<Value> = said
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|message: &Value| message["type"] == "recipe_step_transition")
        .collect();
    let left: Vec<_> = transitions.iter().map(|moved| moved["from_step"].as_str().unwrap()).collect();
    assert_eq!(left, ["implement", "code-review"], "each transition once");
}

/// Two commands at once share one data directory: the second is the guest of the first, and outlives it.
#[test]
fn two_commands_at_once_get_along() {
    let place = Place::new();
    let mut first = place.begin(&["run", "implement-and-review", "--json", "--rehearse", "slow"]);
    first.until("recipe_step_started");
    let mut second = place.begin(&["run", "retrospective", "--json", "--agent", "rehearsal"]);
    second.until("recipe_step_started");
    assert_eq!(place.run(&["runs"]).ok().matches("goes on at").count(), 2);
    first.signal(Signal::INT);
    assert_eq!(first.ended().status, 130);
    let said = second.ended();
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
}

/// A directory that is neither in the home nor in the project.
fn elsewhere(place: &Place) -> PathBuf {
    let elsewhere = place.path().join("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    elsewhere
}

/// A command that holds the data directory with a server of its own.
fn first_command(place: &Place, words: &[&str]) -> Running {
    let slow = ["run", "implement-and-review", "--json", "--rehearse", "slow"];
    let mut first = place.begin(&[&slow[..], words].concat());
    first.until("recipe_step_started");
    first
}

fn run_in(place: &Place, directory: PathBuf) -> Said {
    Said::of(place.surefire(&TASK).env("SUREFIRE_PACE_MS", "0").current_dir(directory), place)
}

#[test]
fn a_second_command_works_where_it_is_wherever_the_first_one_works() {
    let place = Place::new();
    let first = first_command(&place, &[]);
    let mut second = begin(place.surefire(&[&TASK[..], &["--json"]].concat()).current_dir(elsewhere(&place)));
    let started = second.until("recipe_step_started");
    let started = started["run_id"].as_str().unwrap();
    let told = place.run(&["why", started, "--json"]).ok();
    assert!(told.contains("[PLACE]/elsewhere"), "{told}");
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
    let diagnosed = Said::of(&mut deep(&["doctor", "--listen", "127.0.0.1:0"]), &place);
    assert!(!diagnosed.out.contains("local socket"), "{}", diagnosed.out);
    second.signal(Signal::INT);
    assert_eq!(second.ended().status, 130);
    drop(first);
}

#[test]
fn roots_that_an_operator_chose_are_not_widened_by_a_guest() {
    let refused = |place: &Place| {
        let said = run_in(place, elsewhere(place));
        assert_eq!((said.status, said.out.as_str()), (35, ""), "{}", said.err);
        assert!(said.err.contains("`[PLACE]/elsewhere` is outside of the allowed roots"), "{}", said.err);
        assert!(said.err.contains("fix: work inside of one, or allow it with --root"), "{}", said.err);
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
fn a_client_of_the_servers_address_adds_no_root() {
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

/// Connections without a key that are opened again as soon as they are closed, until this is dropped.
struct Crowd(Arc<AtomicBool>);

impl Crowd {
    fn at(address: SocketAddr, count: usize) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        for index in 0..count {
            let connect = move || {
                let mut stream = TcpStream::connect(address)?;
                // Half of them begin to say something.
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

/// Shows more wrong keys than are answered at once.
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
fn clients_without_the_key_do_not_keep_the_owners_commands_out() {
    let place = Place::new();
    let (_server, ready) = place.serve(&[]);
    let address = ready["ws_url"].as_str().unwrap().trim_start_matches("ws://").parse().unwrap();
    guess(address);
    let _crowd = Crowd::at(address, 64);
    let said = place.run(&TASK);
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(place.run(&["runs"]).ok().contains("task-committed"));
    assert!(place.run(&["why"]).ok().contains("task-committed"));
    assert_eq!(place.run(&["runs", "--prune", "1ms"]).ok(), "Forgot 1 run.\n");
}

/// The server's limit of open files, and how many it has open.
#[cfg(target_os = "linux")]
fn files(place: &Place) -> (usize, usize) {
    let pid = Sqlite::holder(&place.data()).unwrap().expect("the server holds it").pid.unwrap();
    let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).unwrap();
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max open files")).expect("there is one");
    let limit = limit.split_whitespace().next().unwrap().parse().unwrap();
    (limit, std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count())
}

#[test]
#[cfg(target_os = "linux")]
fn connections_without_the_key_leave_the_files_that_runs_need() {
    let place = Place::new();
    let folder = place.path().to_str().unwrap().to_owned();
    let few = "ulimit -S -n 64 && ulimit -H -n 256 && exec \"$0\" \"$@\"";
    let server = ["serve", "--json", "--listen", "127.0.0.1:0", "--agent", "rehearsal", "--pace-ms", "0"];
    let words = [&["-c", few, env!("CARGO_BIN_EXE_surefire")], &server[..], &["--root", &folder]].concat();
    let mut server = begin(&mut place.program(std::path::Path::new("/bin/sh"), &words));
    let ready: Value = serde_json::from_str(&server.line()).expect("it says that it is ready");
    assert_eq!(files(&place).0, 256, "as many as the system lets it have");
    let address = ready["ws_url"].as_str().unwrap().trim_start_matches("ws://").parse().unwrap();
    let _crowd = Crowd::at(address, 300);
    let mut most = 0;
    for _ in 0..4 {
        let said = place.run(&TASK);
        assert_eq!(said.status, 0, "{}", said.err);
        most = most.max(files(&place).1);
    }
    assert!((64..160).contains(&most), "a quarter for the crowd, and what the server itself needs: {most}");
}

#[test]
fn a_server_that_allows_one_client_has_room_for_commands_all_the_same() {
    let place = Place::new();
    let (_server, _) = place.serve(&["--max-connections", "1"]);
    let mut first = place.begin(&[&TASK[..], &["--json"]].concat());
    first.until("recipe_step_started");
    let said = place.run(&TASK);
    assert_eq!(said.status, 0, "{}", said.err);
    assert_eq!(first.ended().status, 0);
}

#[test]
fn a_second_server_is_told_who_holds_the_data() {
    let place = Place::new();
    let (_server, ready) = place.serve(&[]);
    let complaint = place.run(&["serve", "--listen", "127.0.0.1:0", "--agent", "rehearsal"]).complaint(1);
    let address = ready["url"].as_str().unwrap().trim_start_matches("http://");
    assert!(complaint.contains("with pid") && complaint.contains(address), "{complaint}");
    assert_eq!(complaint.lines().count(), 3, "{complaint}");
}
