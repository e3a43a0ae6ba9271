//! Writes a store with a run for every exit reason, and one that is paused, into the data directory
//! that it is given. In every other one something was checked, refused and changed; in the second
//! one very much.
//!
//! The browser's tests compare what the console and `surefire why` show of each. Its output is a
//! line for each run: the run's id and the reason.

use std::time::Duration;

use surefire::recipes::ImplementAndReview;
use surefire::run::{
    ChangedFile, ChangedPrompts, Changes, CheckKind, CheckResult, CheckSubject, CheckVerdict,
    CommitSeen, Ending, Event, FileChange, Limits, Moment, Permits, Project, Purpose, ReplyReading,
    RunId, RunSpec, SessionId, ToolRefusal, TreeState, Usage,
};
use surefire::store::{Change, Commit, Entry, NewSession, SessionEvent, Sqlite, Store};
use surefire::wire::RecipeExited;
use surefire::{Exit, ExitReason, Registry};
use uuid::Uuid;

/// When the runs began, in milliseconds since 1970.
const BEGAN: u64 = 1_750_000_000_000;

/// A moment that no test lives to see.
const FAR_AWAY: u64 = 4_000_000_000_000;

fn main() {
    let data = std::env::args_os().nth(1).expect("the data directory is the first argument");
    let store = Sqlite::open(data.as_ref()).expect("the data directory can be used").store;
    let ends = ExitReason::ALL.iter().copied().map(|reason| (reason, None));
    for (number, (reason, resume_at)) in
        (1..).zip(ends.chain([(ExitReason::RateLimited, Some(FAR_AWAY))]))
    {
        let run: RunId = Uuid::from_u128(number << 96).into();
        let session: SessionId = Uuid::from_u128(number).into();
        let exit = Exit::because(reason).describe("What the agent said about it.");
        let ending = Ending {
            step: "implement".into(),
            steps: 1,
            resume_at,
            // Only a run that restarts is continued by another one; it does not have to be there.
            continued_by: (reason == ExitReason::RestartNewSession)
                .then(|| Uuid::from_u128(1 << 96).into()),
            ..RecipeExited::of_nothing(session, &exit).ending()
        };
        // What was refused is what stopped that one.
        let is_proven = number % 2 == 0 || reason == ExitReason::PermissionDenied;
        let seen = if is_proven { proof(number) } else { Vec::new() };
        store.commit(&commit(run, session, seen, ending)).expect("it can be written");
        println!("{run} {reason}");
    }
}

/// What an agent, a command or a commit may say: nothing of it is ever run or drawn.
const HOSTILE: &str = "<img src=x onerror=pwned(1)> **bold** [x](javascript:pwned(2))";

/// A turn in which something was refused and changed, and what was looked up after it.
fn proof(number: u128) -> Vec<Event> {
    let much = number == 2;
    let attempt = Uuid::from_u128(number << 64).into();
    let check = Uuid::from_u128((number << 64) + 1).into();
    let commit = ToolRefusal {
        tool: "Bash".into(),
        input: Some(format!("git commit -m '{HOSTILE}'")),
        allow: vec!["git add *".into(), "git commit *".into()],
    };
    let other = |number: u32| ToolRefusal {
        tool: "mcp__notes__write".into(),
        input: Some(format!("note {number}")),
        allow: Vec::new(),
    };
    let refused =
        std::iter::once(commit).chain((0..if much { 30 } else { 1 }).map(other)).collect();
    let file = |index: u32| ChangedFile {
        path: format!("src/{index}/{}.rs", "a_rather_long_name_".repeat(if much { 6 } else { 1 })),
        change: if index == 0 { FileChange::Renamed(HOSTILE.into()) } else { FileChange::Modified },
        added: (index != 1).then_some(index),
        removed: (index != 1).then_some(1),
    };
    let total_files = if much { 150 } else { 2 };
    let commit = |index: u32| CommitSeen {
        id: format!("{index:040x}"),
        subject: format!("{index} {HOSTILE}"),
    };
    let changes = Changes {
        files: (0..total_files).map(file).collect(),
        total_files,
        added: 120,
        removed: 7,
        commits: (0..if much { 30 } else { 1 }).map(commit).collect(),
    };
    let result = |kind, name: &str, verdict, found: &str| CheckResult {
        kind,
        name: name.into(),
        verdict,
        found: found.into(),
        took: Duration::from_secs(3),
        rehearsed: false,
    };
    let failed = CheckVerdict::Failed { status: Some(101) };
    let output = format!("{HOSTILE}\nlast line of {}", "a-long-word-".repeat(40));
    let mut results = vec![
        result(CheckKind::Evidence, "commit", CheckVerdict::Passed, ""),
        result(CheckKind::Verify, "cargo test", failed, &output),
    ];
    if much {
        let more =
            (0..38).map(|_| result(CheckKind::Verify, "cargo check", CheckVerdict::Passed, ""));
        results.splice(0..0, more);
    }
    let (step, took) = ("implement".to_owned(), Duration::from_secs(3));
    let subject = CheckSubject::Outcome { outcome: "complete".into(), description: None };
    let read = ReplyReading::Outcome {
        outcome: "complete".into(),
        description: None,
        findings: Vec::new(),
        repaired: Vec::new(),
    };
    vec![
        Event::TurnBegan { attempt, step: step.clone(), purpose: Purpose::Step },
        Event::TreeSeen { attempt, tree: TreeState::default(), moment: Moment::Before },
        Event::TreeSeen { attempt, tree: TreeState::default(), moment: Moment::After { changes } },
        Event::ToolsRefused { attempt, refused },
        Event::Replied { attempt, read, took, cost_usd: None, version: None },
        Event::CheckBegan { check, step, subject },
        Event::Checked { check, results, took },
    ]
}

fn commit(run: RunId, session: SessionId, seen: Vec<Event>, ending: Ending) -> Commit {
    let (directory, agent) = (std::path::PathBuf::from("/projects/shop"), "claude".to_owned());
    let begun = NewSession {
        id: session,
        name: "Implement & Review".into(),
        directory: directory.clone(),
        agent: agent.clone(),
        system_prompt: None,
        at: BEGAN,
    };
    let limits = Limits::default()
        .time(Some(Duration::from_secs(90 * 60)))
        .max_ticks(Some(4))
        .budget_usd(Some(1.2));
    let spec = RunSpec {
        run,
        session,
        agent,
        rehearsal: false,
        script: None,
        directory,
        task: None,
        model: None,
        prompts: ChangedPrompts::default(),
        allow_tools: Vec::new(),
        permits: Permits::default(),
        project: Project::default(),
        worktree: None,
        limits,
        spent: Usage::default(),
        restarts: 0,
        continues: None,
    };
    let outline = ImplementAndReview::OUTLINE;
    let started = Event::Started {
        recipe: outline.id.into(),
        fingerprint: outline.fingerprint.to_string(),
        graph: Some(Box::new(outline.graph())),
        step: "implement".into(),
        spec: Box::new(spec),
    };
    let events = |after, at, events: Vec<Event>| Change::Run {
        run,
        after,
        at,
        entries: events.into_iter().map(Entry::from).collect(),
    };
    let before_end = 1 + seen.len() as u64;
    Commit {
        changes: vec![
            Change::session(session, BEGAN, SessionEvent::Began(begun)),
            events(0, BEGAN, std::iter::once(started).chain(seen).collect()),
            events(before_end, BEGAN + 90_000, vec![Event::ended(ending)]),
        ],
    }
}
