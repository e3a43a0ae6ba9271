//! Checks each run: its path, and why it ended.

use std::collections::BTreeMap;

use surefire::run::{Ending, Event, ReplyReading, SessionId};
use surefire::store::{RunFilter, RunRecord, Store};
use surefire::{NextOutline, Outline};
use surefire_testkit::unproved;

use super::journal::Request;
use super::look::Evidence;
use super::wrong::{Findings, Wrong};

/// The path through a recipe if the agent always reports the first outcome, and the exit reason at
/// its end.
struct ExpectedPath {
    moves: Vec<String>,
    reason: &'static str,
}

fn expected_path(outline: &Outline) -> ExpectedPath {
    let (mut step, mut moves) = (outline.first_step(), Vec::new());
    loop {
        let outcome = step.outcomes.first().expect("a step has outcomes");
        match outcome.next {
            NextOutline::Step(next) => {
                let next = &outline.steps[next];
                moves.push(format!("{} {} {}", step.name, outcome.name, next.name));
                step = next;
            }
            NextOutline::Exit(reason) => {
                return ExpectedPath { moves, reason: reason.definition().code };
            }
            NextOutline::Restart { .. } => {
                return ExpectedPath { moves, reason: "restart-new-session" };
            }
        }
    }
}

/// Checks the events of a run.
pub(super) fn look(evidence: &Evidence, run: &RunRecord, findings: &mut Findings) {
    let id = run.id;
    let recipe = unproved().find(&run.recipe).expect("all recipes are bundled");
    let expected = expected_path(recipe.outline());
    let events = evidence.store.events(id, 0, usize::MAX).expect("the store works");
    if events.iter().zip(1..).any(|(recorded, seq)| recorded.seq != seq) {
        findings.add(Wrong::TransitionLost, format!("run {id} has a gap in its events"));
    }
    let mut walk = Walk::default();
    for recorded in &events {
        match &recorded.event {
            Event::Started { spec, .. } => walk.ticks = spec.spent.ticks,
            Event::TurnBegan { attempt, .. } => {
                walk.attempt = Some(attempt.to_string());
                walk.ticks += 1;
            }
            Event::Replied { read, .. } => {
                walk.attempt = None;
                walk.outcomes += usize::from(matches!(read, ReplyReading::Outcome { .. }));
            }
            Event::Moved { from, outcome, to, .. } => {
                let step = format!("{from} {outcome} {to}");
                match expected.moves.iter().position(|it| *it == step) {
                    Some(place) if place == walk.moves => {}
                    Some(place) if place < walk.moves => {
                        findings.add(Wrong::TransitionDoubled, format!("run {id}: {step}"));
                    }
                    Some(_) | None => {
                        findings.add(Wrong::TransitionLost, format!("run {id} before {step}"));
                    }
                }
                walk.moves += 1;
            }
            Event::Ended { ending, .. } => {
                let limit =
                    events.iter().find_map(|it| it.event.limits()).and_then(|it| it.max_ticks);
                walk.ended += usize::from(ending.outcome.is_some());
                let gives_up = ending.reason == "interrupted"
                    && walk.is_paused
                    && (limit == Some(walk.ticks) || is_displaced(evidence, run, recorded.at));
                if !gives_up && !walk.explains(evidence, &expected, limit, ending) {
                    let words = ending.description.as_deref().unwrap_or_default();
                    findings.add(
                        Wrong::SpuriousEnding,
                        format!("run {id}: {} ({words})", ending.reason),
                    );
                }
                *findings.endings.entry(ending.reason.clone()).or_default() += 1;
                (walk.attempt, walk.is_paused) = (None, ending.resume_at.is_some());
            }
            Event::CheckBegan { check, .. } => walk.attempt = Some(check.to_string()),
            Event::Checked { .. } | Event::LimitReached { .. } => walk.attempt = None,
            _ => {}
        }
    }
    // Each outcome that was read led to a transition or an end, and nothing else did.
    if walk.outcomes > walk.moves + walk.ended {
        findings.add(Wrong::TransitionLost, format!("run {id}: an outcome led nowhere"));
    } else if walk.outcomes < walk.moves + walk.ended {
        findings
            .add(Wrong::TransitionDoubled, format!("run {id}: a transition without an outcome"));
    }
    findings.transitions += walk.moves;
}

/// The progress of a run.
#[derive(Default)]
struct Walk {
    moves: usize,
    /// The outcomes that were read, and the endings that one of them led to.
    outcomes: usize,
    ended: usize,
    ticks: u32,
    /// The open turn or check.
    attempt: Option<String>,
    /// Whether it resumes automatically after its last ending.
    is_paused: bool,
}

impl Walk {
    /// Whether something in the campaign explains this ending. What clients stopped is counted
    /// elsewhere.
    fn explains(
        &self,
        evidence: &Evidence,
        expected: &ExpectedPath,
        limit: Option<u32>,
        ending: &Ending,
    ) -> bool {
        let is_in = |killed: &std::collections::BTreeSet<String>| {
            self.attempt.as_ref().is_some_and(|attempt| killed.contains(attempt))
        };
        match ending.reason.as_str() {
            // A server that is killed alone leaves an agent that answers, and its answer is
            // adopted.
            "interrupted" => is_in(&evidence.killed_with_prompt),
            "worker_failed" => is_in(&evidence.killed),
            "max_ticks" => limit == Some(self.ticks),
            EXITED | KILLED => true,
            reason => {
                reason == expected.reason
                    && self.moves == expected.moves.len()
                    && ending.outcome.is_some()
            }
        }
    }
}

/// Whether another run replaced a paused one, in the same commit.
fn is_displaced(evidence: &Evidence, run: &RunRecord, at: u64) -> bool {
    let of_session = RunFilter::default().session(Some(run.session));
    let others = evidence.store.runs(&of_session).expect("the store works");
    others.iter().filter(|other| other.id != run.id).any(|other| {
        let events = evidence.store.events(other.id, 0, usize::MAX).expect("the store works");
        events.iter().any(|it| {
            it.at == at && matches!(it.event, Event::Started { .. } | Event::Resumed { .. })
        })
    })
}

/// The exit reasons of runs that clients stop.
const EXITED: &str = "user_stopped";
const KILLED: &str = "user-requested";

/// No more runs were stopped than clients asked for.
pub(super) fn compare_with_requests(
    evidence: &Evidence,
    runs: &[RunRecord],
    findings: &mut Findings,
) {
    let mut asked = BTreeMap::<(SessionId, &str), usize>::new();
    for (_, session, request, _) in evidence.requests() {
        match request {
            Request::Exit => *asked.entry((session, EXITED)).or_default() += 1,
            Request::Kill => *asked.entry((session, KILLED)).or_default() += 1,
            Request::Prompt(_) | Request::Start { .. } | Request::Resume { .. } => {}
        }
    }
    for run in runs {
        for recorded in evidence.store.events(run.id, 0, usize::MAX).expect("the store works") {
            let Event::Ended { ending, .. } = &recorded.event else { continue };
            let Some(reason) = [EXITED, KILLED].into_iter().find(|it| *it == ending.reason) else {
                continue;
            };
            match asked.get_mut(&(run.session, reason)) {
                Some(left) if *left > 0 => *left -= 1,
                Some(_) | None => {
                    findings
                        .add(Wrong::SpuriousEnding, format!("run {}: {reason}, unasked", run.id));
                }
            }
        }
    }
}
