//! `kill -9` while the engine checks something itself: before, during and after a command, and
//! between its end and its commit.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};

use serde_json::json;
use surefire::run::{Ending, Event};
use surefire::store::{RunFilter, Sqlite, Store};
use surefire_testkit::{commit, git};

use crate::server::{Place, program};

/// A project whose `check` records each of its runs, and the example `proof_of_work` to work on it.
pub(crate) struct Checked(pub(crate) Place);

impl Checked {
    pub(crate) fn new(check: &str) -> Self {
        let writes = json!({ "write": { "path": "polished.txt", "content": "polished" } });
        let polish = json!({ "contains": "Polish the file", "answer": { "tries": [writes], "delay_ms": 20 } });
        let checked = Self(Place::new(&json!({ "when": [polish], "default": { "delay_ms": 20 } })));
        let (project, ran) = (checked.0.folder("project"), checked.0.folder("ran"));
        let script = format!("#!/bin/sh\necho \"$1\" >> {}\n{check}\n", ran.display());
        std::fs::write(project.join("check"), script).unwrap();
        std::fs::set_permissions(project.join("check"), PermissionsExt::from_mode(0o755)).unwrap();
        commit(&project, "A check");
        checked
    }

    /// Runs the command, which kills itself at the crash point `crash`.
    pub(crate) fn command(&self, words: &[&str], crash: Option<&str>) -> ExitStatus {
        let Self(place) = self;
        let needs_agent = matches!(words.first(), Some(&("run" | "resume")));
        let mut command = Command::new(program("proof_of_work"));
        command
            .args(words)
            .arg("--data")
            .arg(place.data())
            .args(["--config", "/dev/null"])
            .args(needs_agent.then(|| format!("--agent-path={}", fake_claude::program().display())))
            .current_dir(place.folder("project"))
            .env("HOME", place.folder("home"))
            .env("TMPDIR", place.folder(""))
            .env(fake_claude::PLAN_VARIABLE, place.plan())
            .envs(crash.map(|crash| ("SUREFIRE_CRASH_AT", crash)))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.status().expect("the command can be run")
    }

    /// The arguments of each run of `check`, in order.
    pub(crate) fn ran(&self) -> Vec<String> {
        let ran = std::fs::read_to_string(self.0.folder("ran")).unwrap_or_default();
        ran.lines().map(str::to_owned).collect()
    }

    /// The events of the only run, and its ending.
    pub(crate) fn run(&self) -> (Vec<Event>, Option<Ending>) {
        let store = Sqlite::open(&self.0.data()).expect("the store can be opened").store;
        let runs = store.runs(&RunFilter::default()).expect("the store works");
        let [run] = &runs[..] else { panic!("there are {} runs", runs.len()) };
        let events = store.events(run.id, 0, usize::MAX).expect("the store works");
        (events.into_iter().map(|recorded| recorded.event).collect(), run.ending.clone())
    }
}

/// Kills a run at a crash point, resumes it, and expects the result of an undisturbed run.
fn killed_at(point: &str, times: impl IntoIterator<Item = u32>) {
    for time in times {
        let checked = Checked::new("sleep 0.05");
        let crash = format!("{point}:{time}");
        let killed = checked.command(&["run", "polish-a-file"], Some(&crash));
        assert_eq!(killed.signal(), Some(9), "{crash} was never reached");
        let resumed = checked.command(&["resume"], None);
        let (events, ending) = checked.run();
        assert!(resumed.success(), "{crash}: {ending:?}");
        assert_eq!(ending.unwrap().reason, "changes-committed", "{crash}");
        // The command keeps running without its engine, or never began: none is run twice.
        assert_eq!(checked.ran(), ["quick", "all"], "{crash}");
        let count = |is: fn(&Event) -> bool| events.iter().filter(|event| is(event)).count();
        let (began, ended) = (
            count(|event| matches!(event, Event::CheckBegan { .. })),
            count(|event| matches!(event, Event::Checked { .. })),
        );
        assert_eq!(
            (began, ended),
            (3, 3),
            "{crash}: verify, the command that is a step, and the commit"
        );
        assert_eq!(
            git(&checked.0.folder("project"), &["rev-list", "--count", "HEAD"]),
            "3",
            "{crash}"
        );
    }
}

/// The first process is the agent's; the second and the third are commands.
#[test]
fn killed_before_a_command_is_released() {
    killed_at("after-spawn", 2..=3);
}

#[test]
fn killed_after_the_process_of_a_command_was_persisted() {
    killed_at("after-record", 2..=3);
}

#[test]
fn killed_between_the_end_of_a_command_and_its_commit() {
    // After a turn, after each command, after the next turn, and after the check for its commit.
    killed_at("after-reply", 1..=5);
}

#[test]
fn killed_before_what_a_check_found_is_committed() {
    killed_at("before-commit", 1..=5);
}

#[test]
fn killed_after_what_a_check_found_was_committed() {
    killed_at("after-commit", 1..=5);
}

/// The command is killed together with its engine, so there is no evidence of how far it got.
#[test]
fn a_command_that_is_killed_with_its_engine_runs_again_only_if_a_user_resumes() {
    // The first time, it kills its engine, which is its parent, and then itself with everything
    // that would record its status.
    let check = "if [ \"$1\" = all ] && ! [ -e ../killed ]; then touch ../killed; kill -9 $ENGINE; kill -9 0; fi";
    let find = "ENGINE=$(cat ../engine)";
    let checked = Checked::new(&format!("{find}\n{check}"));
    let Checked(place) = &checked;
    let mut command = Command::new("sh");
    command.args(["-c", "echo $$ > ../engine; exec \"$@\"", "sh"]).arg(program("proof_of_work"));
    command.args(["run", "polish-a-file", "--config", "/dev/null", "--data"]).arg(place.data());
    command.arg("--agent-path").arg(fake_claude::program());
    command.current_dir(place.folder("project")).env("HOME", place.folder("home"));
    command.env("TMPDIR", place.folder("")).env(fake_claude::PLAN_VARIABLE, place.plan());
    let killed =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    assert_eq!(killed.signal(), Some(9), "{killed}");

    assert_eq!(
        checked.command(&["resume"], None).code(),
        Some(16),
        "the engine finds the interrupted command, and ends the run"
    );
    let ending = checked.run().1.unwrap();
    assert_eq!(ending.reason, "interrupted");
    let words = ending.description.unwrap();
    assert!(words.contains("`./check all` was running when the server stopped"), "{words}");
    assert!(words.ends_with("when the run is resumed, it runs again"), "{words}");
    assert_eq!(checked.ran(), ["quick", "all"]);

    assert_eq!(checked.command(&["resume", "--auto"], None).code(), Some(16), "not by itself");
    assert_eq!(checked.ran(), ["quick", "all"]);
    assert!(checked.command(&["resume"], None).success(), "{:?}", checked.run().1);
    assert_eq!(checked.ran(), ["quick", "all", "all"]);
    assert_eq!(checked.run().1.unwrap().reason, "changes-committed");
}
