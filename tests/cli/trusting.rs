//! Which repositories are trusted, and what follows from that for runs in them.

use std::process::Command;

use serde_json::{Value, json};
use surefire_testkit::{commit, git, make_work_tree};

use crate::command::{CommandOutput, Place};

const TASK: [&str; 2] = ["run", "implement-and-review"];

/// The command with the machine's git.
fn with_git(place: &Place, words: &[&str]) -> Command {
    let mut command = place.surefire(words);
    command.env("PATH", std::env::var_os("PATH").expect("git is on it"));
    command
}

fn run_with_git(place: &Place, words: &[&str]) -> CommandOutput {
    CommandOutput::of(&mut with_git(place, words), place)
}

/// A place whose project is a repository with this `surefire.toml`.
fn with_file(text: &str) -> Place {
    let place = Place::new();
    make_work_tree(&place.project(), &[]);
    std::fs::write(place.project().join("surefire.toml"), text).unwrap();
    commit(&place.project(), "Add surefire.toml");
    place
}

/// A run that writes a file and commits it.
fn run(place: &Place, words: &[&str]) -> CommandOutput {
    let answer = json!({ "tries": [{ "write": { "path": "new.txt", "content": "hello\n" } }] });
    CommandOutput::of(&mut place.with_agent(&answer, &[&TASK[..], words].concat()), place)
}

#[test]
fn what_a_repository_may_do_is_shown_and_recorded_without_a_server() {
    let place = with_file(
        "verify = [\"true\"]\nsetup = [\"make deps\"]\nallow_lockfiles = true\n[scope]\nallow = [\".github/**\"]\n",
    );
    std::fs::write(place.project().join(".mcp.json"), "{}").unwrap();
    commit(&place.project(), "Servers");
    let head = git(&place.project(), &["rev-parse", "HEAD"]);
    let printed = run_with_git(&place, &["trust"]).ok();
    for words in [
        "Repository  [PLACE]/project",
        head.trim(),
        "true  (verify",
        "make deps  (setup",
        "(allow_lockfiles)",
        ".github/** (scope.allow)",
        ".mcp.json: the hooks and MCP servers in it run",
        "[PLACE]/data/trust.json",
        "which every run reads when it starts",
    ] {
        assert!(printed.contains(words), "{words}: {printed}");
    }
    assert_eq!(run_with_git(&place, &["trust", "--list"]).ok(), "[PLACE]/project  trusted\n");
    std::fs::write(place.project().join(".mcp.json"), "{ }").unwrap();
    commit(&place.project(), "Others");
    let listed = run_with_git(&place, &["trust", "--list"]).ok();
    assert_eq!(listed, "[PLACE]/project  no longer trusted: .mcp.json changed\n");
    let again = run_with_git(&place, &["trust", place.project().to_str().unwrap()]).ok();
    assert!(again.contains("Changed     .mcp.json since the repository was trusted"), "{again}");
    let withdrawn = run_with_git(&place, &["untrust"]).ok();
    assert_eq!(withdrawn, "`[PLACE]/project` is no longer trusted.\n");
}

#[test]
fn commands_of_a_repository_run_only_where_it_is_trusted() {
    let place = with_file("verify = [\"test -e new.txt\"]\n");
    let refused = run(&place, &[]).failure(2);
    assert!(refused.contains("`test -e new.txt`"), "{refused}");
    assert!(refused.contains("surefire trust [PLACE]/project"), "{refused}");
    assert!(refused.contains("--untrusted=skip"), "{refused}");

    let skipped = run(&place, &["--untrusted=skip"]);
    assert_eq!((skipped.status, skipped.stderr.as_str()), (0, ""), "{}", skipped.stdout);
    git(&place.project(), &["reset", "--quiet", "--hard", "HEAD~1"]);

    let for_once = run(&place, &["--trust"]);
    assert_eq!((for_once.status, for_once.stderr.as_str()), (0, ""), "{}", for_once.stdout);
    assert!(!place.data().join("trust.json").exists(), "nothing is stored");
    git(&place.project(), &["reset", "--quiet", "--hard", "HEAD~1"]);

    run_with_git(&place, &["trust"]).ok();
    let trusted = run(&place, &[]);
    assert_eq!((trusted.status, trusted.stderr.as_str()), (0, ""), "{}", trusted.stdout);

    std::fs::write(place.project().join("surefire.toml"), "verify = [\"true\"]\n").unwrap();
    commit(&place.project(), "Another command");
    let changed = run(&place, &[]).failure(2);
    assert!(
        changed.contains("surefire.toml changed since the repository was trusted"),
        "{changed}"
    );
}

#[test]
fn a_mistake_in_the_file_is_shown_with_its_position() {
    let place = with_file("\n\nverfy = [\"true\"]\n");
    for printed in [run_with_git(&place, &["trust"]).failure(2), run(&place, &[]).failure(2)] {
        assert!(
            printed.contains("surefire.toml") && printed.contains("line 3, column 1"),
            "{printed}"
        );
    }
    let doctor = run_with_git(&place, &["doctor", "--listen", "127.0.0.1:0"]).stdout;
    assert!(doctor.contains("line 3, column 1"), "{doctor}");
}

#[test]
fn the_doctor_counts_trusted_repositories_and_names_those_that_changed() {
    let place = with_file("verify = [\"true\"]\n");
    let doctor = || run_with_git(&place, &["doctor", "--listen", "127.0.0.1:0"]).stdout;
    assert!(doctor().contains("this repository is not trusted (surefire.toml)"), "{}", doctor());
    run_with_git(&place, &["trust"]).ok();
    let printed = doctor();
    assert!(printed.contains("1 repository is trusted"), "{printed}");
    assert!(printed.contains("this repository is trusted (surefire.toml)"), "{printed}");
    std::fs::write(place.project().join("surefire.toml"), "verify = [\"false\"]\n").unwrap();
    commit(&place.project(), "Another command");
    let printed = doctor();
    assert!(
        printed.contains("1 repository recorded as trusted, 1 no longer valid: `[PLACE]/project`"),
        "{printed}"
    );
    assert!(
        printed.contains("surefire.toml changed since this repository was trusted"),
        "{printed}"
    );
}

#[test]
fn only_a_repository_can_be_trusted() {
    let place = Place::new();
    let printed = run_with_git(&place, &["trust"]).failure(2);
    assert!(
        printed.contains("is not in a git work tree") && printed.contains("git init"),
        "{printed}"
    );
    assert!(!place.data().exists(), "nothing was created");
    let none = place.run(&["trust", "--list"]).ok();
    assert_eq!(none, "No repository is trusted.\n");
    let both = place.run(&["trust", ".", "--list"]).failure(64);
    assert!(both.contains("cannot be used with '--list'"), "{both}");
}

#[test]
fn trust_in_a_directory_that_is_gone_can_be_withdrawn() {
    let place = Place::new();
    let (gone, other) = (place.path().join("gone"), place.path().join("other"));
    let record = json!({ "files": { "surefire.toml": "1" } });
    let records = json!({ "directories": { gone.to_str().unwrap(): record, other.to_str().unwrap(): record } });
    std::fs::create_dir(place.data()).unwrap();
    std::fs::write(place.data().join("trust.json"), records.to_string()).unwrap();
    let printed = place.run(&["untrust", "../gone/"]).ok();
    assert!(printed.contains("is no longer trusted"), "{printed}");
    let left: Value =
        serde_json::from_slice(&std::fs::read(place.data().join("trust.json")).unwrap()).unwrap();
    let left: Vec<_> = left["directories"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(left, [other.to_str().unwrap()]);
    let again = place.run(&["untrust", gone.to_str().unwrap()]).failure(1);
    assert!(again.contains("` is not trusted") && again.contains("trust --list"), "{again}");
}
