//! What a run that has ended leaves behind: `stop.json` for programs, `stop.md` for people.

mod markdown;
mod parts;

use serde::{Deserialize, Serialize};

pub use parts::{
    HandoffChanges, HandoffCheck, HandoffCommand, HandoffFile, HandoffFinding, HandoffPlace,
    HandoffRefusal, HandoffReview, HandoffVerdict, HandoffViolation, HandoffWorktree,
};

use super::commands::CommandContext;
use super::proof::RestsOn;
use super::review::last_rounds;
use super::timeline::Timeline;
use crate::Category;
use crate::run::{RunId, SessionId};

/// The version of the format. It changes when a field is removed or changes its meaning, not when
/// a field is added.
pub const HANDOFF_VERSION: u32 = 1;

/// Costs are rounded to this many parts of a dollar: they are sums of estimates.
const COST_PARTS: f64 = 1e6;

/// How a run ended, and what it leaves: the content of `stop.json`.
///
/// Every field is always present; unknown values are `null`. Lists are bounded like those of a
/// [`RunView`](super::RunView). `docs/handoff.md` describes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Handoff {
    /// The version of the format: [`HANDOFF_VERSION`].
    pub version: u32,
    /// The run.
    pub run_id: RunId,
    /// Its session.
    pub session_id: SessionId,
    /// The event that ended it. A run that was resumed and ended again has a later one.
    pub seq: u64,
    /// Its recipe's id.
    pub recipe_id: String,
    /// The recipe's label.
    pub recipe_label: String,
    /// Where its agent worked.
    pub directory: String,
    /// The name of its agent.
    pub agent: String,
    /// Whether it was a rehearsal.
    pub rehearsal: bool,
    /// The run's task.
    pub task: Option<String>,
    /// Its status at a glance: `completed`, `waiting`, `limited`, `failed` or `stopped`.
    pub status: String,
    /// The machine-readable reason, with the step if it is about one.
    pub reason: String,
    /// Completed, stopped by a guardrail, or failed.
    pub category: Category,
    /// Whether the run reached what it was started for.
    pub goal_met: bool,
    /// The exit status of `surefire run` for it.
    pub exit_code: u8,
    /// A few words for a heading.
    pub title: String,
    /// What happened.
    pub message: String,
    /// Further details: the agent's own words, or what went wrong.
    pub description: Option<String>,
    /// One sentence for people.
    pub hint: String,
    /// What the end is based on; `None` if it follows from no report: a limit, a stop, a failure.
    pub rests_on: Option<RestsOn>,
    /// Where it ended.
    pub at: HandoffPlace,
    /// The run that continues this one in a fresh session.
    pub continued_by: Option<RunId>,
    /// When it began, in milliseconds since 1970.
    pub started_at_ms: u64,
    /// When it ended.
    pub ended_at_ms: u64,
    /// How long that took, including pauses.
    pub took_ms: u64,
    /// What the agent cost: an estimate, in US dollars.
    pub cost_usd: f64,
    /// The tools that the agent was refused.
    pub refused: Vec<HandoffRefusal>,
    /// The checks, in order; only the last ones if there were many.
    pub checks: Vec<HandoffCheck>,
    /// How many checks passed in total.
    pub checks_passed: u32,
    /// How many checks did not pass.
    pub checks_failed: u32,
    /// The commands of the repository's own file that were not run, because it is not trusted.
    pub not_verified: Vec<String>,
    /// The files that were changed although the run may not change them.
    pub violations: Vec<HandoffViolation>,
    /// The worktree of the run, if it was isolated.
    pub worktree: Option<HandoffWorktree>,
    /// What the last round of each reviewing step found, the latest at the end.
    #[serde(default)]
    pub reviews: Vec<HandoffReview>,
    /// What the run changed; `None` if the engine could not look.
    pub changes: Option<HandoffChanges>,
    /// The commands that help most, at most three, the most useful first.
    pub next: Vec<HandoffCommand>,
}

impl Handoff {
    /// The handoff of a run; `None` unless it has ended for good.
    #[must_use]
    pub fn of(timeline: &Timeline, context: CommandContext<'_>) -> Option<Self> {
        let (facts, view) = (timeline.facts(), timeline.view());
        let (ending, end) = (timeline.ending()?, view.end.as_ref()?);
        if !timeline.is_over() {
            return None;
        }
        let command = |next: &super::NextAction| {
            let command = context.command(&next.action, facts)?;
            Some(HandoffCommand { label: next.label.clone(), command })
        };
        Some(Self {
            version: HANDOFF_VERSION,
            run_id: facts.run,
            session_id: facts.session,
            seq: end.seq,
            recipe_id: facts.recipe.clone(),
            recipe_label: facts.recipe_label.clone(),
            directory: facts.directory.clone(),
            agent: facts.agent.clone(),
            rehearsal: ending.rehearsal,
            task: view.task.clone(),
            status: view.status.name().to_owned(),
            reason: ending.reason.clone(),
            category: ending.category,
            goal_met: ending.goal_met,
            exit_code: ending.exit_code,
            title: end.title.clone(),
            message: end.message.clone(),
            description: end.description.clone(),
            hint: end.hint.clone(),
            rests_on: view.proof.rests_on,
            at: HandoffPlace::of(view, ending),
            continued_by: ending.continued_by,
            started_at_ms: view.started_at,
            ended_at_ms: view.changed_at,
            took_ms: view.changed_at.saturating_sub(view.started_at),
            cost_usd: (view.cost_usd * COST_PARTS).round() / COST_PARTS,
            refused: view.proof.refused.iter().map(HandoffRefusal::from).collect(),
            checks: view.proof.checks.iter().map(HandoffCheck::from).collect(),
            checks_passed: view.proof.passed,
            checks_failed: view.proof.failed,
            not_verified: view.workplace.skipped.clone(),
            violations: view.proof.violations.iter().map(HandoffViolation::from).collect(),
            worktree: view.workplace.worktree.as_ref().map(HandoffWorktree::from),
            reviews: last_rounds(&view.proof.reviews).map(HandoffReview::from).collect(),
            changes: HandoffChanges::of(&view.proof),
            next: view.next.iter().filter_map(command).collect(),
        })
    }
}

#[cfg(test)]
mod tests;
