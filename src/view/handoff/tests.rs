use std::time::Duration;

use serde_json::json;

use super::*;
use crate::ExitReason;
use crate::run::{ChangedFile, CheckKind, CheckVerdict, Ending, Event, FileChange, Purpose};
use crate::view::one_run::{
    after_start, changes, checked, ended, ending, found, found_by, moved, outcome_of, refused,
    replied, result, seen, tool, turn,
};

const CONTEXT: CommandContext<'_> =
    CommandContext { program: "surefire", data: None, directory: None };

fn all(description: &str) -> Handoff {
    let mut changed = changes(1, 1);
    changed.files.push(ChangedFile {
        path: "new `name`".to_owned(),
        change: FileChange::Renamed("old".to_owned()),
        added: None,
        removed: None,
    });
    changed.total_files = 3;
    changed.commits[0].subject = "# not a heading <img src=x>".to_owned();
    let failed = CheckVerdict::Failed { status: Some(101) };
    let end = Ending {
        outcome: Some("done".to_owned()),
        description: Some(description.to_owned()),
        ..ending(ExitReason::TaskCommitted)
    };
    let timeline = after_start(&[
        turn(Purpose::Step),
        refused(&[tool("Bash", "git commit", &["git commit *"])]),
        seen(changed),
        replied(0.25, &[]),
        checked(&[result(CheckKind::Verify, "cargo test", failed, "a\n```\nb")]),
        moved("fix", 2),
        turn(Purpose::Step),
        checked(&[found("commit", "")]),
        Event::ended(end),
    ]);
    Handoff::of(&timeline, CONTEXT).expect("the run has ended")
}

#[test]
fn parts_keep_their_names() {
    let handoff = all("It works.");
    assert_eq!((handoff.version, handoff.seq, handoff.goal_met), (1, 10, true));
    assert_eq!((handoff.checks_passed, handoff.checks_failed), (1, 1));
    let json = serde_json::to_value(&handoff).unwrap();
    assert_eq!(
        json["at"],
        json!({ "step": "fix", "step_number": 2, "visit": 1, "turn": 2, "outcome": "done" })
    );
    assert_eq!(
        json["checks"][0],
        json!({
            "step": "rebase", "step_number": 1, "kind": "verify", "name": "cargo test", "verdict": "failed",
            "exit_status": 101, "words": "`cargo test` failed with exit status 101 after 3 s",
            "found": "a\n```\nb", "took_ms": 3000, "rehearsed": false,
        })
    );
    assert_eq!(
        json["changes"]["files"][1],
        json!({ "path": "new `name`", "change": "renamed", "from": "old", "added": null, "removed": null })
    );
    assert_eq!(
        (&json["continued_by"], &json["next"]),
        (&json!(null), &json!([])),
        "nothing is left out"
    );
    let limit = Duration::from_secs(1);
    let verdicts = [
        (CheckVerdict::Passed, "passed", json!(null)),
        (CheckVerdict::Failed { status: None }, "failed", json!(null)),
        (CheckVerdict::Failed { status: Some(2) }, "failed", json!(2)),
        (CheckVerdict::TimedOut { limit }, "timed_out", json!(null)),
        (CheckVerdict::Impossible, "impossible", json!(null)),
        (CheckVerdict::Unknown, "unknown", json!(null)),
    ];
    for (verdict, word, status) in verdicts {
        let check = checked(&[result(CheckKind::Run, "make", verdict, "")]);
        let handoff =
            Handoff::of(&after_start(&[check, ended(ExitReason::Error)]), CONTEXT).unwrap();
        let json = serde_json::to_value(&handoff.checks[0]).unwrap();
        assert_eq!((json["verdict"].as_str(), &json["exit_status"]), (Some(word), &status));
    }
}

#[test]
fn text_from_agents_commands_and_files_is_never_markdown() {
    let page = all("Look:\n```\n# Heading\n````\n<script>\u{1b}[2J").to_markdown();
    expect_test::expect![[r"
        # Task committed

        Task implementation committed successfully

        `````text
        Look:
        ```
        # Heading
        ````
        <script>[2J
        `````

        - reason: `task-committed` (completed), exit status 0; the goal is met
        - where: step 2, `fix`, visit 1, after 2 turns
        - rests on: what the engine found in the working directory
        - hint: Look at the new commit; start the recipe again for the next task.
        - task: `the login page`
        - recipe: `rebase`
        - directory: `/project`
        - agent: `claude`
        - time: 9 s
        - cost: about $0.25
        - run: `00000000-0000-0000-0000-000000000007`
        - session: `00000000-0000-0000-0000-000000000008`

        ## Changed

        3 files, +1 −1 lines

        - `src/1.rs` modified, +1 −1
        - `` new `name` `` renamed from `old`, binary
        - and 1 more

        ## Committed

        - `0000001` `# not a heading <img src=x>`

        ## Checked

        - step 1, `rebase`: `` `cargo test` failed with exit status 101 after 3 s ``

          ````text
          a
          ```
          b
          ````
        - step 2, `fix`: ``looked up `commit`: found``

        ## Refused

        - `Bash` with `git commit`; `--allow-tool 'git commit *'` allows it
    "]]
    .assert_eq(&page);
}

#[test]
fn the_last_findings_of_each_review_are_in_the_handoff() {
    let stuck =
        Ending { outcome: Some("issues".to_owned()), ..ending(ExitReason::ReviewLoopDetected) };
    let timeline = after_start(&[
        found_by("issues", &["a", "b"]),
        moved("audit", 2),
        found_by("risks", &["`rm` <b>"]),
        moved("rebase", 3),
        found_by("issues", &["x"; 22]),
        moved("audit", 4),
        outcome_of("no-risks"),
        moved("rebase", 5),
        found_by("issues", &["x"; 22]),
        Event::ended(stuck),
    ]);
    let handoff = Handoff::of(&timeline, CONTEXT).unwrap();
    let json = serde_json::to_value(&handoff.reviews).unwrap();
    assert_eq!(
        json[0],
        json!({
            "step": "audit", "step_number": 2, "round": 1, "settled": true, "more_findings": 0,
            "findings": [{
                "text": "`rm` <b>", "file": "src/cart.rs", "line": 12, "severity": null,
                "words": "src/cart.rs:12: `rm` <b>",
            }],
        })
    );
    let last = &handoff.reviews[1];
    assert_eq!(
        (handoff.reviews.len(), last.step.as_str(), last.round, last.settled),
        (2, "rebase", 3, false)
    );
    assert_eq!((last.findings.len(), last.more_findings), (20, 2));
    let page = handoff.to_markdown();
    let audit = "## Findings\n\nround 1 of `audit`, step 2: settled since\n\n- ``src/cart.rs:12: `rm` <b>``\n";
    assert!(page.contains(audit), "{page}");
    assert!(
        page.contains("round 3 of `rebase`, step 5: open\n\n- `src/cart.rs:12: x`\n"),
        "{page}"
    );
    assert!(page.contains("- `src/cart.rs:12: x`\n- and 2 more\n"), "{page}");
}

#[test]
fn only_a_run_that_is_over_has_a_handoff() {
    assert_eq!(Handoff::of(&after_start(&[turn(Purpose::Step)]), CONTEXT), None);
    let paused = Ending { resume_at: Some(9000), ..ending(ExitReason::RateLimited) };
    assert_eq!(Handoff::of(&after_start(&[Event::ended(paused)]), CONTEXT), None);
    let stopped = Handoff::of(&after_start(&[ended(ExitReason::UserStopped)]), CONTEXT).unwrap();
    assert_eq!((stopped.rests_on, stopped.changes, stopped.goal_met), (None, None, false));
}

#[test]
fn a_rehearsal_says_so() {
    let end = Event::ended(Ending { rehearsal: true, ..ending(ExitReason::TaskCommitted) });
    let handoff = Handoff::of(&after_start(&[end]), CONTEXT).unwrap();
    assert!(handoff.rehearsal);
    let page = handoff.to_markdown();
    assert!(page.contains("**This was a rehearsal: nothing was changed.**"), "{page}");
    assert!(page.contains("nothing was checked"), "{page}");
}
