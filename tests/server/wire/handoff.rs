//! The handoff of an ended run matches its golden files and `docs/handoff.md`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use surefire::recipes::{BUNDLED, ImplementAndReview};
use surefire::run::{
    AttemptId, ChangedFile, ChangedPrompts, Changes, CheckKind, CheckResult, CheckVerdict, Ending,
    Event, FileChange, Finding, Limits, Moment, Permits, Project, Purpose, ReplyReading, RunSpec,
    ToolRefusal, TreeState, Usage,
};
use surefire::view::{CommandContext, Handoff, RunFacts, Timeline};
use surefire::wire::RecipeExited;
use surefire::{AnyRecipe, Exit, ExitReason};
use uuid::Uuid;

use super::golden::folder;
use super::one_run::{BEGAN, at, run_id, session};

fn attempt() -> AttemptId {
    Uuid::nil().into()
}

fn turn(step: &str) -> Event {
    Event::TurnBegan { attempt: attempt(), step: step.to_owned(), purpose: Purpose::Step }
}

fn replied(outcome: &str, cost_usd: f64) -> Event {
    let read = ReplyReading::Outcome {
        outcome: outcome.to_owned(),
        description: None,
        findings: Vec::new(),
        repaired: Vec::new(),
    };
    let took = Duration::from_secs(20);
    Event::Replied { attempt: attempt(), read, took, cost_usd: Some(cost_usd), version: None }
}

fn found(outcome: &str, cost_usd: f64) -> Event {
    let twice = Finding {
        text: "Totals are rounded twice".to_owned(),
        file: Some("src/cart.rs".to_owned()),
        line: Some(12),
        severity: Some("high".to_owned()),
    };
    let (outcome, findings) = (outcome.to_owned(), vec![twice]);
    let read = ReplyReading::Outcome { outcome, description: None, findings, repaired: Vec::new() };
    let took = Duration::from_secs(20);
    Event::Replied { attempt: attempt(), read, took, cost_usd: Some(cost_usd), version: None }
}

fn moved(from: &str, outcome: &str, to: &str, number: u32) -> Event {
    let (from, outcome, to) = (from.to_owned(), outcome.to_owned(), to.to_owned());
    Event::Moved { from, outcome, to, number, visit: 1, instead_of: None }
}

fn checked(kind: CheckKind, name: &str, verdict: CheckVerdict, found: &str) -> Event {
    let (name, found, took) = (name.to_owned(), found.to_owned(), Duration::from_secs(3));
    let result = CheckResult { kind, name, verdict, found, took, rehearsed: false };
    Event::Checked { check: attempt(), results: vec![result], took }
}

fn seen() -> Event {
    let file = |path: &str, added| ChangedFile {
        path: path.to_owned(),
        change: FileChange::Modified,
        added: Some(added),
        removed: Some(1),
    };
    let changes = Changes {
        files: vec![file("src/cart.rs", 12), file("tests/cart.rs", 30)],
        total_files: 2,
        added: 42,
        removed: 2,
        commits: Vec::new(),
    };
    Event::TreeSeen {
        attempt: attempt(),
        tree: TreeState::default(),
        moment: Moment::After { changes },
    }
}

/// An agent that was not allowed to commit, and claims that it did.
fn refused_commit() -> Vec<Event> {
    let spec = RunSpec {
        run: run_id(),
        session: session(),
        agent: "claude".into(),
        rehearsal: false,
        script: None,
        directory: "/projects/shop".into(),
        task: Some("Only the tasks about the shopping cart.".into()),
        model: None,
        prompts: ChangedPrompts::default(),
        allow_tools: Vec::new(),
        permits: Permits::default(),
        project: Project::default(),
        worktree: None,
        limits: Limits::default(),
        spent: Usage::default(),
        restarts: 0,
        continues: None,
    };
    let (recipe, step) = ("implement-and-review".to_owned(), "implement".to_owned());
    let commit = ToolRefusal {
        tool: "Bash".into(),
        input: Some("git add -A && git commit -m 'Empty the cart'".into()),
        allow: vec!["git add *".into(), "git commit *".into()],
    };
    let mut events = vec![
        Event::Started {
            recipe,
            fingerprint: String::new(),
            graph: None,
            step,
            spec: Box::new(spec),
        },
        turn("implement"),
        seen(),
        replied("complete", 0.12),
        checked(CheckKind::Verify, "cargo test", CheckVerdict::Passed, "41 passed"),
        moved("implement", "complete", "code-review", 2),
        turn("code-review"),
        found("issues-found", 0.04),
        moved("code-review", "issues-found", "fix", 3),
        turn("fix"),
        replied("complete", 0.06),
        moved("fix", "complete", "code-review", 4),
        turn("code-review"),
        replied("no-issues", 0.04),
        moved("code-review", "no-issues", "commit", 5),
    ];
    let missing = "no commit was made since the run began";
    for _ in 0..2 {
        let refused = vec![commit.clone()];
        events.extend([
            turn("commit"),
            seen(),
            Event::ToolsRefused { attempt: attempt(), refused },
        ]);
        let failed = CheckVerdict::Failed { status: None };
        events.extend([
            replied("committed", 0.02),
            checked(CheckKind::Evidence, "commit", failed, missing),
        ]);
    }
    let words = format!("`commit` was not found: {missing}");
    let exit = Exit::because(ExitReason::PermissionDenied).describe(words);
    let ending = RecipeExited::of_nothing(session(), &exit).ending();
    events.push(Event::ended(Ending { step: "commit".into(), steps: 5, ..ending }));
    events
}

#[test]
fn a_handoff_matches_its_files() {
    let facts = RunFacts {
        run: run_id(),
        session: session(),
        recipe: "implement-and-review".into(),
        recipe_label: "Implement & Review".into(),
        directory: "/projects/shop".into(),
        agent: "claude".into(),
        rehearsal: false,
        script: None,
        started_at: BEGAN,
        created_from: None,
        task: None,
    };
    let outline = BUNDLED.get("implement-and-review").map(AnyRecipe::outline);
    assert_eq!(outline.map(|outline| outline.id), Some(ImplementAndReview::OUTLINE.id));
    let mut timeline = Timeline::new(facts, outline);
    for (seq, event) in (1..).zip(refused_commit()) {
        timeline.apply(seq, at(seq), &event);
    }
    let context = CommandContext { program: "surefire", data: None, directory: None };
    let handoff = Handoff::of(&timeline, context).expect("it has ended");
    let json = serde_json::to_string_pretty(&handoff).unwrap() + "\n";
    hold(&folder().join("handoff/stop.json"), &json);
    hold(&folder().join("handoff/stop.md"), &handoff.to_markdown());
    assert_eq!(serde_json::from_str::<Handoff>(&json).unwrap(), handoff);
}

/// The page describes every field, and its example is the golden file.
#[test]
fn the_page_describes_every_field() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/handoff.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let json = std::fs::read_to_string(folder().join("handoff/stop.json")).unwrap();
    let (before, rest) = page.split_once("```json\n").expect("there is an example");
    let (_, after) = rest.split_once("\n```\n").expect("it ends");
    hold(&path, &format!("{before}```json\n{json}```\n{after}"));
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let fields = value.as_object().unwrap();
    let parts = [&value["at"], &value["refused"][0], &value["checks"][0], &value["changes"]];
    let parts = parts.into_iter().chain([&value["changes"]["files"][0], &value["next"][0]]);
    let parts = parts.chain([&value["reviews"][0], &value["reviews"][0]["findings"][0]]);
    let inner = parts.flat_map(|part| part.as_object().expect("the example has one").keys());
    for field in fields.keys().chain(inner) {
        assert!(
            page.contains(&format!("`{field}`")),
            "docs/handoff.md does not describe `{field}`"
        );
    }
}

/// Compares a text with a file. `UPDATE_DOCS=1` rewrites the file; read the diff before you commit
/// it.
fn hold(path: &Path, text: &str) {
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, text).unwrap();
    }
    let file = std::fs::read_to_string(path).unwrap();
    assert_eq!(text, file, "{}", path.display());
}
