//! `kill -9` of an isolated run: while its worktree is created, while it works there, and while the
//! worktree is merged or discarded.

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;

use surefire::run::{Event, RunId, Worktree, WorktreeEnd};
use surefire_testkit::git;

use crate::checks::Checked;

/// The only run, and its worktree.
fn worktree(checked: &Checked) -> (RunId, Worktree) {
    let Some(Event::Started { spec, .. }) = checked.run().0.into_iter().next() else {
        panic!("it has begun")
    };
    (spec.run, spec.worktree.expect("the run is isolated"))
}

fn project(checked: &Checked) -> PathBuf {
    checked.0.folder("project")
}

/// The worktrees of the project that git knows, its own work tree included.
fn worktrees(checked: &Checked) -> usize {
    git(&project(checked), &["worktree", "list", "--porcelain"]).matches("worktree ").count()
}

/// Kills an isolated run at a crash point, resumes it, and expects the result of an undisturbed
/// run.
fn killed_at(point: &str, times: impl IntoIterator<Item = u32>) {
    for time in times {
        let checked = Checked::new("sleep 0.05");
        let crash = format!("{point}:{time}");
        let killed = checked.command(&["run", "polish-a-file", "--isolate"], Some(&crash));
        assert_eq!(killed.signal(), Some(9), "{crash} was never reached");
        let resumed = checked.command(&["resume"], None);
        let ending = checked.run().1;
        assert!(resumed.success(), "{crash}: {ending:?}");
        assert_eq!(ending.unwrap().reason, "changes-committed", "{crash}");
        assert_eq!(checked.ran(), ["quick", "all"], "{crash}: no command ran twice");
        assert_eq!(worktrees(&checked), 2, "{crash}");
        let (_, worktree) = worktree(&checked);
        assert_eq!(git(&worktree.path, &["branch", "--show-current"]), worktree.branch, "{crash}");
        assert_eq!(git(&worktree.path, &["rev-list", "--count", "HEAD"]), "3", "{crash}");
        assert_eq!(
            git(&project(&checked), &["rev-list", "--count", "HEAD"]),
            "2",
            "{crash}: it is untouched"
        );
    }
}

#[test]
fn killed_before_the_worktree_is_made() {
    killed_at("before-worktree", 1..=1);
}

#[test]
fn killed_after_the_worktree_was_made() {
    killed_at("after-worktree", 1..=1);
}

#[test]
fn killed_before_what_was_made_or_done_is_committed() {
    killed_at("before-commit", 1..=3);
}

#[test]
fn killed_after_the_worktree_the_turn_or_a_command_ended() {
    killed_at("after-reply", 1..=3);
}

/// Kills the command that merges or discards after git has done its part, and repeats it.
fn ended_in_between(word: &str) -> (Checked, Option<WorktreeEnd>) {
    let checked = Checked::new("true");
    assert!(checked.command(&["run", "polish-a-file", "--isolate"], None).success());
    let (run, _) = worktree(&checked);
    let words = [word, &run.to_string(), "--yes"];
    let words = if word == "merge" { &words[..2] } else { &words[..] };
    let killed = checked.command(words, Some("after-worktree-end:1"));
    assert_eq!(killed.signal(), Some(9), "{word} was not killed");
    let recorded = |checked: &Checked| match checked.run().0.pop() {
        Some(Event::WorktreeEnded { end }) => Some(end),
        _ => None,
    };
    assert_eq!(recorded(&checked), None);
    assert!(checked.command(words, None).success(), "a repeated command finishes it");
    assert_eq!(worktrees(&checked), 1);
    let end = recorded(&checked);
    (checked, end)
}

#[test]
fn killed_between_a_merge_and_its_record() {
    let (checked, end) = ended_in_between("merge");
    let head = git(&project(&checked), &["rev-parse", "HEAD"]);
    assert_eq!(end, Some(WorktreeEnd::Merged { into: Some("main".to_owned()), commit: head }));
    assert_eq!(git(&project(&checked), &["rev-list", "--count", "HEAD"]), "3");
}

#[test]
fn killed_between_a_discard_and_its_record() {
    let (checked, end) = ended_in_between("discard");
    assert!(matches!(end, Some(WorktreeEnd::Discarded { .. })), "{end:?}");
    assert_eq!(git(&project(&checked), &["branch", "--list", "surefire/*"]), "");
}
