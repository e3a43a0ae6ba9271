//! Runs that work apart, in a git worktree of their own, and what becomes of it; and runs in work trees that others use.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use surefire_testkit::{commit, git, make_work_tree};

use crate::command::{Place, Said};
use crate::process::begin;
use crate::terminal::in_terminal;

const APART: [&str; 3] = ["run", "implement-and-review", "--isolate"];

/// What the agent of every run here does: it writes this file, and commits it in the end.
fn writes(content: &str) -> Value {
    json!({ "tries": [{ "write": { "path": "new.txt", "content": content } }] })
}

/// The command with the machine's git.
fn with_git(place: &Place, words: &[&str]) -> Command {
    let mut command = place.surefire(words);
    command.env("PATH", std::env::var_os("PATH").expect("git is on it"));
    command
}

fn said(place: &Place, words: &[&str]) -> Said {
    Said::of(&mut with_git(place, words), place)
}

/// Has a run work apart, and gives back its id.
fn work_apart(place: &Place, content: &str) -> String {
    let told = Said::of(&mut place.with_agent(&writes(content), &APART), place);
    assert_eq!(told.status, 0, "{}{}", told.out, told.err);
    last_run(place)
}

fn last_run(place: &Place) -> String {
    let runs: Value = serde_json::from_str(&place.run(&["runs", "--json"]).ok()).expect("it is JSON");
    runs["runs"][0]["run_id"].as_str().expect("each has an id").to_owned()
}

fn worktree(place: &Place, run: &str) -> PathBuf {
    place.data().join("worktrees").join(run)
}

fn branches(project: &Path) -> String {
    git(project, &["branch", "--list", "surefire/*"])
}

#[test]
fn a_run_that_works_apart_leaves_the_directory_alone_until_it_is_merged() {
    let place = Place::new();
    let run = work_apart(&place, "hello\n");
    assert!(!place.project().join("new.txt").exists());
    assert!(worktree(&place, &run).join("new.txt").exists());
    let told = said(&place, &["merge", &run[..8]]).ok();
    assert!(
        told.starts_with(&format!("Merged `surefire/{}` into `main` in `[PLACE]/project`", &run[..8])),
        "{told}"
    );
    assert_eq!(std::fs::read_to_string(place.project().join("new.txt")).unwrap(), "hello\n");
    assert!(!worktree(&place, &run).exists());
    assert_eq!(branches(&place.project()), "");
    for command in ["merge", "discard"] {
        let again = said(&place, &[command, &run]).complaint(1);
        assert!(again.contains("was merged already"), "{again}");
    }
}

#[test]
fn a_server_that_holds_the_data_directory_does_it_just_so() {
    let place = Place::new();
    let project = place.project();
    let words = ["serve", "--json", "--listen", "127.0.0.1:0", "--root", project.to_str().unwrap()];
    let mut server = begin(&mut place.with_agent(&writes("hello\n"), &words));
    server.line();
    let run = work_apart(&place, "hello\n");
    let told = said(&place, &["merge", &run]).ok();
    assert!(told.contains(" into `main` in `[PLACE]/project`"), "{told}");
    assert!(place.project().join("new.txt").exists());
}

#[test]
fn what_is_in_conflict_is_named_and_nothing_is_lost() {
    let place = Place::new();
    make_work_tree(&place.project(), &[]);
    for (name, value) in [("user.name", "A Person"), ("user.email", "person@example.com")] {
        git(&place.project(), &["config", name, value]);
    }
    let run = work_apart(&place, "hello\n");
    std::fs::write(place.project().join("new.txt"), "something else\n").unwrap();
    commit(&place.project(), "The same file");
    let told = said(&place, &["merge", &run]).complaint(12);
    assert!(told.contains("new.txt"), "{told}");
    assert!(told.contains(&format!("worktrees/{run} && git rebase main`")), "{told}");
    assert!(worktree(&place, &run).join("new.txt").exists());
    assert_eq!(git(&place.project(), &["status", "--porcelain"]), "");
    assert!(!branches(&place.project()).is_empty());
}

#[test]
fn what_is_thrown_away_is_asked_about_and_its_branch_can_be_brought_back() {
    let place = Place::new();
    let run = work_apart(&place, "hello\n");
    std::fs::write(worktree(&place, &run).join("left"), "not committed").unwrap();
    let refused = said(&place, &["discard", &run]).complaint(64);
    assert!(refused.contains("1 uncommitted file and 1 unmerged commit would be lost"), "{refused}");
    assert!(refused.contains("`--yes`"), "{refused}");
    assert!(worktree(&place, &run).exists());
    let told = said(&place, &["discard", &run, "--yes"]).ok();
    assert!(told.contains("with 1 uncommitted file and 1 unmerged commit."), "{told}");
    assert!(!worktree(&place, &run).exists());
    assert_eq!(branches(&place.project()), "");
    let command = told.rsplit("brings the branch back: ").next().expect("it says how").trim();
    let words: Vec<_> = command.split(' ').skip(4).collect();
    git(&place.project(), &[&["branch"], &words[..]].concat());
    assert!(git(&place.project(), &["show", &format!("{}:new.txt", words[0])]).starts_with("hello"));
}

#[test]
fn a_person_at_a_terminal_is_asked() {
    let place = Place::new();
    let run = work_apart(&place, "hello\n");
    let (status, shown) = in_terminal(&mut with_git(&place, &["discard", &run]), 80, "n\n");
    assert_eq!(status, 1, "{shown}");
    assert!(shown.contains("Throw away 1 unmerged commit? [y/N]"), "{shown}");
    assert!(shown.contains("Nothing was thrown away."), "{shown}");
    let (status, shown) = in_terminal(&mut with_git(&place, &["discard", &run]), 80, "y\n");
    assert_eq!(status, 0, "{shown}");
    assert!(!worktree(&place, &run).exists());
}

#[test]
fn the_doctor_lists_what_was_left() {
    let place = Place::new();
    let run = work_apart(&place, "hello\n");
    let stray = place.data().join("worktrees/nothing-of-ours");
    std::fs::create_dir(&stray).unwrap();
    let told = said(&place, &["doctor", "--listen", "127.0.0.1:0"]).out;
    for words in [
        format!("run {}, ended ", &run[..8]),
        format!("on the branch `surefire/{}`", &run[..8]),
        "1 worktree of no run that is known: `[PLACE]/data/worktrees/nothing-of-ours`".to_owned(),
    ] {
        assert!(told.contains(&words), "{words}: {told}");
    }
}

#[test]
fn a_run_that_did_not_work_apart_has_nothing_to_merge_or_to_throw_away() {
    let place = Place::new();
    place.run(&["run", "retrospective", "--rehearse", "happy", "--pace-ms", "0"]).ok();
    let run = last_run(&place);
    for command in ["merge", "discard"] {
        let told = place.run(&[command, &run[..8]]).complaint(1);
        assert!(told.contains("the run has no worktree of its own"), "{told}");
        let unknown = place.run(&[command, "00000000"]).complaint(64);
        assert!(unknown.contains("there is no run `00000000`"), "{unknown}");
        let none = place.run(&[command]).complaint(64);
        assert!(none.contains("<RUN>"), "{none}");
    }
}

#[test]
fn a_recipe_that_needs_a_clean_tree_begins_in_another_one_only_where_the_operator_says_so() {
    let place = Place::new();
    make_work_tree(&place.project(), &[]);
    std::fs::write(place.project().join("file"), "1").unwrap();
    commit(&place.project(), "A file");
    std::fs::write(place.project().join("file"), "2").unwrap();
    let run = |words: &[&str], setting: &str| {
        let words = [&["run", "rebase"], words].concat();
        Said::of(place.with_agent(&json!({}), &words).env("SUREFIRE_ALLOW_DIRTY", setting), &place)
    };
    let refused = run(&[], "false");
    assert_ne!(refused.status, 0);
    assert!(refused.err.contains("`file`") && refused.err.contains("`--allow-dirty`"), "{}", refused.err);
    for begun in [run(&["--allow-dirty"], "false"), run(&[], "true")] {
        assert!(!begun.err.contains("clean work tree"), "{}", begun.err);
        assert!(begun.out.contains("rebase"), "{}", begun.out);
    }
}
