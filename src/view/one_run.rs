//! A run for tests: its facts and its events.

use std::time::Duration;

use uuid::Uuid;

use super::{RunFacts, Timeline};
use crate::run::{
    AttemptId, ChangedFile, ChangedPrompts, Changes, CheckKind, CheckResult, CheckSubject,
    CheckVerdict, CommitSeen, Ending, Event, FileChange, Finding, Limits, Moment, Permits, Project,
    PromptId, Purpose, ReplyReading, ResumedBy, RetryCause, RunSpec, ToolRefusal, TreeState, Usage,
};
use crate::{Exit, ExitReason};

surefire::recipe! {
    /// A recipe that is in the catalog.
    pub(super) recipe OneStep {
        initial: Work,
        guardrails: { max_total_steps: 2 },
        step Work { prompt: "Work.", outcomes: [Done], Done => exit TaskCommitted }
    }
}

pub(super) fn facts() -> RunFacts {
    RunFacts {
        run: Uuid::from_u128(7).into(),
        session: Uuid::from_u128(8).into(),
        recipe: "rebase".to_owned(),
        recipe_label: "Rebase".to_owned(),
        directory: "/project".to_owned(),
        agent: "claude".to_owned(),
        rehearsal: false,
        script: None,
        started_at: 0,
        created_from: None,
        task: None,
    }
}

/// The timeline after these events, which happened at these seconds.
pub(super) fn after(events: &[(u64, Event)]) -> Timeline {
    let mut timeline = Timeline::new(facts(), None);
    for (seq, (second, event)) in (1..).zip(events) {
        timeline.apply(seq, second * 1000, event);
    }
    timeline
}

/// The timeline after the run's start and these events, one per second.
pub(super) fn after_start(events: &[Event]) -> Timeline {
    let events: Vec<_> =
        (0..).zip(std::iter::once(started()).chain(events.iter().cloned())).collect();
    after(&events)
}

pub(super) fn started() -> Event {
    let RunFacts { run, session, agent, directory, .. } = facts();
    let spec = RunSpec {
        run,
        session,
        agent,
        rehearsal: false,
        script: None,
        directory: directory.into(),
        task: Some("the login page".to_owned()),
        model: None,
        prompts: ChangedPrompts::default(),
        allow_tools: Vec::new(),
        permits: Permits::default(),
        project: Project::default(),
        worktree: None,
        limits: Limits { max_ticks: Some(4), ..Limits::default() },
        spent: Usage { ticks: 3, ..Usage::default() },
        restarts: 0,
        continues: None,
    };
    let (recipe, fingerprint, step) = ("rebase".to_owned(), String::new(), "rebase".to_owned());
    Event::Started { recipe, fingerprint, graph: None, step, spec: Box::new(spec) }
}

pub(super) fn prompt(number: u128) -> PromptId {
    Uuid::from_u128(number).into()
}

pub(super) fn attempt() -> AttemptId {
    Uuid::from_u128(9).into()
}

pub(super) fn queued(number: u128) -> Event {
    Event::PromptQueued { prompt: prompt(number), text: "Mind the tests.".to_owned() }
}

pub(super) fn turn(purpose: Purpose) -> Event {
    Event::TurnBegan { attempt: attempt(), step: "rebase".to_owned(), purpose }
}

pub(super) fn deliver(number: u128) -> Event {
    turn(Purpose::Deliver { prompt: prompt(number) })
}

/// The agent begins to work at a step.
pub(super) fn turn_at(step: &str, purpose: Purpose) -> Event {
    Event::TurnBegan { attempt: attempt(), step: step.to_owned(), purpose }
}

/// The agent reports an outcome that lists these findings.
pub(super) fn found_by(outcome: &str, findings: &[&str]) -> Event {
    let finding = |text: &&str| Finding {
        text: (*text).to_owned(),
        file: Some("src/cart.rs".to_owned()),
        line: Some(12),
        severity: None,
    };
    let read = ReplyReading::Outcome {
        outcome: outcome.to_owned(),
        description: None,
        findings: findings.iter().map(finding).collect(),
        repaired: Vec::new(),
    };
    Event::Replied { attempt: attempt(), read, took: Duration::ZERO, cost_usd: None, version: None }
}

/// The agent reports an outcome.
pub(super) fn outcome_of(outcome: &str) -> Event {
    found_by(outcome, &[])
}

pub(super) fn replied(cost_usd: f64, repaired: &[&str]) -> Event {
    let repaired = repaired.iter().map(|word| (*word).to_owned()).collect();
    let read = ReplyReading::Outcome {
        outcome: "conflicts".to_owned(),
        description: None,
        findings: Vec::new(),
        repaired,
    };
    let (attempt, took) = (attempt(), Duration::from_secs(1));
    Event::Replied { attempt, read, took, cost_usd: Some(cost_usd), version: None }
}

pub(super) fn retried(number: u32, problem: &str, cause: RetryCause) -> Event {
    Event::Retried { step: "rebase".to_owned(), number, of: 3, problem: problem.to_owned(), cause }
}

pub(super) fn moved(to: &str, number: u32) -> Event {
    let (from, outcome) = ("rebase".to_owned(), "conflicts".to_owned());
    Event::Moved { from, outcome, to: to.to_owned(), number, visit: 1, instead_of: None }
}

pub(super) fn ending(reason: ExitReason) -> Ending {
    Ending::new(&Exit::because(reason), "fix", 2, false)
}

pub(super) fn ended(reason: ExitReason) -> Event {
    Event::ended(ending(reason))
}

/// An end that follows from an outcome that the agent reported.
pub(super) fn reported(reason: ExitReason) -> Event {
    Event::ended(Ending { outcome: Some("done".to_owned()), ..ending(reason) })
}

pub(super) fn resumed(by: ResumedBy, extra_visits: u32) -> Event {
    Event::Resumed {
        by,
        limits: Limits::default(),
        extra_visits,
        extra_steps: 0,
        allow_tools: Vec::new(),
        permits: Permits::default(),
        delivered: vec![prompt(2)],
    }
}

pub(super) fn check_began(subject: CheckSubject) -> Event {
    Event::CheckBegan { check: attempt(), step: "rebase".to_owned(), subject }
}

pub(super) fn checked(results: &[CheckResult]) -> Event {
    Event::Checked { check: attempt(), results: results.to_vec(), took: Duration::from_secs(2) }
}

pub(super) fn result(
    kind: CheckKind,
    name: &str,
    verdict: CheckVerdict,
    found: &str,
) -> CheckResult {
    let (name, found) = (name.to_owned(), found.to_owned());
    CheckResult { kind, name, verdict, found, took: Duration::from_secs(3), rehearsed: false }
}

pub(super) fn found(name: &str, found: &str) -> CheckResult {
    result(CheckKind::Evidence, name, CheckVerdict::Passed, found)
}

pub(super) fn missing(name: &str, found: &str) -> CheckResult {
    result(CheckKind::Evidence, name, CheckVerdict::Failed { status: None }, found)
}

pub(super) fn passed(kind: CheckKind, name: &str) -> CheckResult {
    result(kind, name, CheckVerdict::Passed, "")
}

pub(super) fn refused(tools: &[ToolRefusal]) -> Event {
    Event::ToolsRefused { attempt: attempt(), refused: tools.to_vec() }
}

pub(super) fn tool(tool: &str, input: &str, allow: &[&str]) -> ToolRefusal {
    let allow = allow.iter().map(|&tool| tool.to_owned()).collect();
    ToolRefusal { tool: tool.to_owned(), input: Some(input.to_owned()), allow }
}

pub(super) fn seen(changes: Changes) -> Event {
    let tree = TreeState { head: Some("9c0ffee".to_owned()), ..TreeState::default() };
    Event::TreeSeen { attempt: attempt(), tree, moment: Moment::After { changes } }
}

/// Changes of this many files, each with one line added and one removed, and this many commits.
pub(super) fn changes(files: u32, commits: u32) -> Changes {
    let file = |number| ChangedFile {
        path: format!("src/{number}.rs"),
        change: FileChange::Modified,
        added: Some(1),
        removed: Some(1),
    };
    let commit = |number| CommitSeen {
        id: format!("{number:07}aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
        subject: format!("Fix {number}"),
    };
    Changes {
        files: (1..=files).map(file).collect(),
        total_files: files,
        added: files.into(),
        removed: files.into(),
        commits: (1..=commits).map(commit).collect(),
    }
}
