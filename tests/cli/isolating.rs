//! Runs that are isolated in a git worktree, merging and discarding them; and runs in work trees
//! with uncommitted changes.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use surefire_testkit::{commit, git, make_work_tree};

use crate::command::{CommandOutput, Place};
use crate::process::begin;
use crate::terminal::in_terminal;

const ISOLATED: [&str; 3] = ["run", "implement-and-review", "--isolate"];

/// What the agent of every run here does: it writes this file, and commits it at the end.
fn writes(content: &str) -> Value {
    json!({ "tries": [{ "write": { "path": "new.txt", "content": content } }] })
}

/// The command with the machine's git.
fn with_git(place: &Place, words: &[&str]) -> Command {
    let mut command = place.surefire(words);
    command.env("PATH", std::env::var_os("PATH").expect("git is on it"));
    command
}

fn run_with_git(place: &Place, words: &[&str]) -> CommandOutput {
    CommandOutput::of(&mut with_git(place, words), place)
}

/// Runs a recipe in a worktree, and returns the id of the run.
fn run_isolated(place: &Place, content: &str) -> String {
    let printed = CommandOutput::of(&mut place.with_agent(&writes(content), &ISOLATED), place);
    assert_eq!(printed.status, 0, "{}{}", printed.stdout, printed.stderr);
    last_run(place)
}

fn last_run(place: &Place) -> String {
    let runs: Value =
        serde_json::from_str(&place.run(&["runs", "--json"]).ok()).expect("it is JSON");
    runs["runs"][0]["run_id"].as_str().expect("each has an id").to_owned()
}

fn worktree(place: &Place, run: &str) -> PathBuf {
    place.data().join("worktrees").join(run)
}

fn branches(project: &Path) -> String {
    git(project, &["branch", "--list", "surefire/*"])
}

#[test]
fn an_isolated_run_leaves_the_directory_alone_until_it_is_merged() {
    let place = Place::new();
    let run = run_isolated(&place, "hello\n");
    assert!(!place.project().join("new.txt").exists());
    assert!(worktree(&place, &run).join("new.txt").exists());
    let printed = run_with_git(&place, &["merge", &run[..8]]).ok();
    assert!(
        printed.starts_with(&format!(
            "Merged `surefire/{}` into `main` in `[PLACE]/project`",
            &run[..8]
        )),
        "{printed}"
    );
    assert_eq!(std::fs::read_to_string(place.project().join("new.txt")).unwrap(), "hello\n");
    assert!(!worktree(&place, &run).exists());
    assert_eq!(branches(&place.project()), "");
    for command in ["merge", "discard"] {
        let again = run_with_git(&place, &[command, &run]).failure(1);
        assert!(again.contains("was merged already"), "{again}");
    }
}

#[test]
fn an_isolated_run_at_a_server_is_merged_the_same_way() {
    let place = Place::new();
    let project = place.project();
    let words = ["serve", "--json", "--listen", "127.0.0.1:0", "--root", project.to_str().unwrap()];
    let mut server = begin(&mut place.with_agent(&writes("hello\n"), &words));
    server.line();
    let run = run_isolated(&place, "hello\n");
    let printed = run_with_git(&place, &["merge", &run]).ok();
    assert!(printed.contains(" into `main` in `[PLACE]/project`"), "{printed}");
    assert!(place.project().join("new.txt").exists());
}

#[test]
fn merge_conflicts_are_named_and_nothing_is_lost() {
    let place = Place::new();
    make_work_tree(&place.project(), &[]);
    for (name, value) in [("user.name", "A Person"), ("user.email", "person@example.com")] {
        git(&place.project(), &["config", name, value]);
    }
    let run = run_isolated(&place, "hello\n");
    std::fs::write(place.project().join("new.txt"), "something else\n").unwrap();
    commit(&place.project(), "The same file");
    let printed = run_with_git(&place, &["merge", &run]).failure(12);
    assert!(printed.contains("new.txt"), "{printed}");
    assert!(printed.contains(&format!("worktrees/{run} && git rebase main`")), "{printed}");
    assert!(worktree(&place, &run).join("new.txt").exists());
    assert_eq!(git(&place.project(), &["status", "--porcelain"]), "");
    assert!(!branches(&place.project()).is_empty());
}

#[test]
fn discarding_needs_confirmation_and_the_branch_can_be_restored() {
    let place = Place::new();
    let run = run_isolated(&place, "hello\n");
    std::fs::write(worktree(&place, &run).join("left"), "not committed").unwrap();
    let refused = run_with_git(&place, &["discard", &run]).failure(64);
    assert!(
        refused.contains("1 uncommitted file and 1 unmerged commit would be lost"),
        "{refused}"
    );
    assert!(refused.contains("`--yes`"), "{refused}");
    assert!(worktree(&place, &run).exists());
    let printed = run_with_git(&place, &["discard", &run, "--yes"]).ok();
    assert!(printed.contains("with 1 uncommitted file and 1 unmerged commit."), "{printed}");
    assert!(!worktree(&place, &run).exists());
    assert_eq!(branches(&place.project()), "");
    let command =
        printed.rsplit("until git removes its commits: ").next().expect("it says how").trim();
    let words: Vec<_> = command.split(' ').skip(4).collect();
    git(&place.project(), &[&["branch"], &words[..]].concat());
    assert!(
        git(&place.project(), &["show", &format!("{}:new.txt", words[0])]).starts_with("hello")
    );
}

#[test]
fn discarding_in_a_terminal_asks_first() {
    let place = Place::new();
    let run = run_isolated(&place, "hello\n");
    let (status, shown) = in_terminal(&mut with_git(&place, &["discard", &run]), 80, "n\n");
    assert_eq!(status, 1, "{shown}");
    assert!(shown.contains("Delete 1 unmerged commit? [y/N]"), "{shown}");
    assert!(shown.contains("Nothing was deleted."), "{shown}");
    let (status, shown) = in_terminal(&mut with_git(&place, &["discard", &run]), 80, "y\n");
    assert_eq!(status, 0, "{shown}");
    assert!(!worktree(&place, &run).exists());
}

#[test]
fn the_doctor_lists_leftover_worktrees() {
    let place = Place::new();
    let run = run_isolated(&place, "hello\n");
    let stray = place.data().join("worktrees/unknown");
    std::fs::create_dir(&stray).unwrap();
    let printed = run_with_git(&place, &["doctor", "--listen", "127.0.0.1:0"]).stdout;
    for words in [
        format!("run {}, ended ", &run[..8]),
        format!("on the branch `surefire/{}`", &run[..8]),
        "1 worktree of unknown runs: `[PLACE]/data/worktrees/unknown`".to_owned(),
    ] {
        assert!(printed.contains(&words), "{words}: {printed}");
    }
}

#[test]
fn a_run_without_a_worktree_has_nothing_to_merge_or_discard() {
    let place = Place::new();
    place.run(&["run", "retrospective", "--rehearse", "happy", "--pace-ms", "0"]).ok();
    let run = last_run(&place);
    for command in ["merge", "discard"] {
        let printed = place.run(&[command, &run[..8]]).failure(1);
        assert!(printed.contains("the run has no worktree of its own"), "{printed}");
        let unknown = place.run(&[command, "00000000"]).failure(64);
        assert!(unknown.contains("there is no run `00000000`"), "{unknown}");
        let none = place.run(&[command]).failure(64);
        assert!(none.contains("<RUN>"), "{none}");
    }
}

#[test]
fn a_recipe_that_needs_a_clean_tree_starts_in_a_dirty_one_only_if_the_operator_allows_it() {
    let place = Place::new();
    make_work_tree(&place.project(), &[]);
    std::fs::write(place.project().join("file"), "1").unwrap();
    commit(&place.project(), "A file");
    std::fs::write(place.project().join("file"), "2").unwrap();
    let run = |words: &[&str], setting: &str| {
        let words = [&["run", "rebase"], words].concat();
        CommandOutput::of(
            place.with_agent(&json!({}), &words).env("SUREFIRE_ALLOW_DIRTY", setting),
            &place,
        )
    };
    let refused = run(&[], "false");
    assert_ne!(refused.status, 0);
    assert!(
        refused.stderr.contains("`file`") && refused.stderr.contains("`--allow-dirty`"),
        "{}",
        refused.stderr
    );
    for begun in [run(&["--allow-dirty"], "false"), run(&[], "true")] {
        assert!(!begun.stderr.contains("clean work tree"), "{}", begun.stderr);
        assert!(begun.stdout.contains("rebase"), "{}", begun.stdout);
    }
}
