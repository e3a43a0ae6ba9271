//! What is read over HTTP can be read back, by programs that share these types.

use std::time::Duration;

use surefire::recipes::{BUNDLED, ImplementAndReview};
use surefire::run::{
    ChangedFile, Changes, CheckKind, CheckResult, CheckSubject, CheckVerdict, CommitSeen, Event,
    FileChange, Resume, ResumedBy, ToolRefusal, TreeState, TurnFacts,
};
use surefire::view::Status;
use surefire::wire::{
    DiffTurn, FirstPrompt, Journal, JournalEvent, LastReply, RunDetails, RunDiffResponse, RunLine,
    SetAsideEntry, Stamp, StoreState, Work, WorkLine, WorkingChat, WorkingRun,
};
use surefire::{Exit, ExitReason, Verdict};

use super::golden::folder;
use super::one_run::{BEGAN, OneRun, at, facts, run_id, session};

fn line(one: &OneRun) -> RunLine {
    RunLine {
        run_id: run_id(),
        session_id: session(),
        recipe_id: "implement-and-review".into(),
        recipe_label: "Implement & Review".into(),
        working_directory: "/projects/shop".into(),
        agent: "claude".into(),
        rehearsal: false,
        continues: Some(run_id()),
        started_at: Stamp(BEGAN),
        changed_at: Stamp(at(2)),
        step: "commit".into(),
        step_count: 3,
        last_seq: one.events.len() as u64,
        cost_usd: 0.1 + 0.2,
        status: Status::Ended(Verdict::Completed),
        ending: one.events.iter().find_map(|event| match event {
            Event::Ended { ending, .. } => Some(ending.clone()),
            _ => None,
        }),
    }
}

#[test]
fn a_journal_reads_back_as_it_was_written() {
    let mut one = OneRun::start(&ImplementAndReview);
    one.reply("What was it again?");
    one.report_with("complete", seen());
    let tests = checked(&one.events);
    one.events.extend(tests);
    one.prompted("Mind the tests.");
    one.report("no-issues");
    one.reply("I do.");
    one.cancel(Exit::because(ExitReason::UserStopped).describe("enough"));
    one.resume(Resume::by(ResumedBy::User));
    one.report("committed");
    let mut kinds: Vec<_> = one.events.iter().map(Event::name).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let all = [
        "check_began",
        "checked",
        "ended",
        "moved",
        "prompt_queued",
        "reasked",
        "replied",
        "resumed",
        "started",
        "tools_refused",
        "tree_seen",
        "turn_began",
    ];
    assert_eq!(kinds, all);
    let events = (1..).zip(one.events.clone());
    let events =
        events.map(|(seq, event)| JournalEvent { seq, at: Stamp(at(seq)), event }).collect();
    let journal = Journal { run: line(&one), events };
    let written = serde_json::to_string(&journal).unwrap();
    assert_eq!(serde_json::from_str::<Journal>(&written).unwrap(), journal);
    for reply in [None, Some("Done.".to_owned())] {
        let written = serde_json::to_string(&LastReply { reply: reply.clone() }).unwrap();
        assert_eq!(serde_json::from_str::<LastReply>(&written).unwrap().reply, reply);
    }
    let entry = |run_id| SetAsideEntry { run_id, row: "events 512".into(), why: "EOF".into() };
    let state = StoreState { set_aside: vec![entry(Some(run_id())), entry(None)] };
    let written = serde_json::to_string(&state).unwrap();
    assert_eq!(serde_json::from_str::<StoreState>(&written).unwrap(), state);
    let prompt = FirstPrompt { prompt: "Take the next task.".to_owned() };
    let written = serde_json::to_string(&prompt).unwrap();
    assert_eq!(written, r#"{"prompt":"Take the next task."}"#);
    assert_eq!(serde_json::from_str::<FirstPrompt>(&written).unwrap(), prompt);
}

/// What was refused to the agent in a turn, and what it changed.
fn seen() -> TurnFacts {
    let push = ToolRefusal {
        tool: "Bash".into(),
        input: Some("git push".into()),
        allow: vec!["git push *".into()],
    };
    let file = |path: &str, change, added, removed| ChangedFile {
        path: path.into(),
        change,
        added,
        removed,
    };
    let changes = Changes {
        files: vec![
            file("src/cart.rs", FileChange::Modified, Some(12), Some(3)),
            file("src/empty.rs", FileChange::Renamed("src/none.rs".into()), Some(1), Some(1)),
        ],
        total_files: 2,
        added: 13,
        removed: 4,
        commits: vec![CommitSeen {
            id: "5f1e6c0d9b8a7f6e5d4c3b2a19080706f5e4d3c2".into(),
            subject: "Empty the cart".into(),
        }],
    };
    let tree = TreeState {
        head: Some("5f1e6c0d9b8a7f6e5d4c3b2a19080706f5e4d3c2".into()),
        branch: Some("main".into()),
        tree: None,
    };
    TurnFacts { refused: vec![push], tree: Some(Box::new((tree, changes))), ..facts() }
}

/// A command that the engine ran after the first step.
fn checked(before: &[Event]) -> [Event; 2] {
    let mut attempts = before.iter().filter_map(|event| match event {
        Event::TurnBegan { attempt, .. } => Some(*attempt),
        _ => None,
    });
    let (check, took) = (attempts.next_back().expect("there was a turn"), Duration::from_secs(42));
    let subject = CheckSubject::Outcome { outcome: "complete".into(), description: None };
    let result = CheckResult {
        kind: CheckKind::Verify,
        name: "cargo test".into(),
        verdict: CheckVerdict::Failed { status: Some(101) },
        found: "test cart::is_emptied ... FAILED".into(),
        took,
        rehearsed: false,
    };
    [
        Event::CheckBegan { check, step: "implement".into(), subject },
        Event::Checked { check, results: vec![result], took },
    ]
}

/// A run with everything in it that a view can show.
#[test]
fn a_run_and_its_view_match_their_file() {
    let mut one = OneRun::start(&ImplementAndReview);
    one.reply("What was it again?");
    one.report_with("complete", seen());
    let tests = checked(&one.events);
    // No bundled recipe runs a command before it leaves this step, so its events are inserted.
    let left = one
        .events
        .iter()
        .position(|event| matches!(event, Event::Moved { .. }))
        .expect("it moved on");
    one.events.splice(left..left, tests);
    one.prompted("Mind the tests.");
    one.report("no-issues");
    one.cancel(Exit::because(ExitReason::UserStopped).describe("enough"));
    let events = (1..).zip(one.events.clone());
    let events: Vec<_> =
        events.map(|(seq, event)| JournalEvent { seq, at: Stamp(at(seq)), event }).collect();
    let line = RunLine {
        status: Status::Ended(Verdict::Stopped),
        continues: None,
        changed_at: Stamp(at(events.len() as u64)),
        cost_usd: 0.0,
        ..line(&one)
    };
    let mut timeline = line.timeline(BUNDLED);
    for recorded in &events {
        timeline.apply(recorded.seq, recorded.at.0, &recorded.event);
    }
    // For a client that knows all but the last two events.
    let since = events.len() as u64 - 2;
    let view = timeline.view().changed_since(since);
    let events = events.into_iter().filter(|recorded| recorded.seq > since).collect();
    let details = RunDetails { journal: Journal { run: line, events }, view };
    let path = folder().join("http/run.json");
    let written = serde_json::to_string_pretty(&details).unwrap() + "\n";
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &written).unwrap();
    }
    let file = std::fs::read_to_string(path).unwrap();
    assert_eq!(written, file);
    assert_eq!(serde_json::from_str::<RunDetails>(&file).unwrap(), details);
}

#[test]
fn a_diff_matches_its_file() {
    let turn =
        |turn, visit, step: &str, changed| DiffTurn { turn, visit, step: step.to_owned(), changed };
    let text = "diff --git a/price.txt b/price.txt\nindex d00491f..0cfbf08 100644\n--- a/price.txt\n\
                +++ b/price.txt\n@@ -1 +1 @@\n-1\n+2\n";
    let diff = RunDiffResponse {
        turns: vec![turn(1, 1, "implement", true), turn(2, 2, "code-review", false)],
        turn: None,
        text: text.to_owned(),
        cut: false,
        unavailable: None,
    };
    let path = folder().join("http/diff.json");
    let written = serde_json::to_string_pretty(&diff).unwrap() + "\n";
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &written).unwrap();
    }
    let file = std::fs::read_to_string(path).unwrap();
    assert_eq!(written, file);
    assert_eq!(serde_json::from_str::<RunDiffResponse>(&file).unwrap(), diff);
    let unavailable =
        r#"{"turns": [], "turn": null, "text": "", "cut": false, "unavailable": "why"}"#;
    let read: RunDiffResponse = serde_json::from_str(unavailable).unwrap();
    assert_eq!(read.unavailable.as_deref(), Some("why"));
}

/// Of the responses that exist only over HTTP, `STANDARDS.md` shows this one and those above.
#[test]
fn the_work_list_matches_its_file() {
    let of_run = WorkLine {
        session_id: session(),
        name: "Implement & Review".into(),
        working_directory: "/projects/shop".into(),
        agent: "claude".into(),
        since: Stamp(BEGAN),
        run: Some(WorkingRun {
            run_id: run_id(),
            recipe_id: "implement-and-review".into(),
            recipe_label: "Implement & Review".into(),
            rehearsal: false,
            step: "code-review".into(),
            step_count: 2,
        }),
        chat: None,
        queued: 1,
    };
    let chat = WorkLine {
        session_id: "6c1d9b7e-0f35-4a82-b4d6-e8f0a2c4d6e8".parse().unwrap(),
        name: "Is the build green?".into(),
        since: Stamp(BEGAN + 120_000),
        run: None,
        chat: Some(WorkingChat { preview: "And the one before it?".into() }),
        queued: 0,
        ..of_run.clone()
    };
    let work = Work { work: vec![of_run, chat] };
    let file = std::fs::read_to_string(folder().join("http/work.json")).unwrap();
    assert_eq!(serde_json::to_string_pretty(&work).unwrap() + "\n", file);
    assert_eq!(serde_json::from_str::<Work>(&file).unwrap(), work);
}
