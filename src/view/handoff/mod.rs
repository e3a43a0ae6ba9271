//! What a run that has ended leaves behind: `stop.json` for programs, `stop.md` for people.

mod markdown;
mod parts;

use serde::{Deserialize, Serialize};

pub use parts::{
    HandoffChanges, HandoffCheck, HandoffCommand, HandoffFile, HandoffFinding, HandoffPlace, HandoffRefusal,
    HandoffReview, HandoffVerdict, HandoffViolation, HandoffWorktree,
};

use super::commands::CommandContext;
use super::proof::RestsOn;
use super::review::last_rounds;
use super::timeline::Timeline;
use crate::Category;
use crate::run::{RunId, SessionId};

/// The version of the format. It changes when a field goes or means something else; a new field does not change it.
pub const HANDOFF_VERSION: u32 = 1;

/// Costs are rounded to so many parts of a dollar: they are added up, and estimates anyway.
const COST_PARTS: f64 = 1e6;

/// How a run ended, and what it leaves: the content of `stop.json`.
///
/// Every field is always there; what is not known is `null`. Lists are bounded as those of a [`RunView`](super::RunView)
/// are. `docs/handoff.md` describes it.
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
    /// What people call that recipe.
    pub recipe_label: String,
    /// Where its agent worked.
    pub directory: String,
    /// Its agent, by its own name.
    pub agent: String,
    /// Whether nothing was really done.
    pub rehearsal: bool,
    /// What the run was about.
    pub task: Option<String>,
    /// How it stands at a glance: `completed`, `waiting`, `limited`, `failed` or `stopped`.
    pub status: String,
    /// The machine-readable reason, with the step where it is about one.
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
    /// What else is known: the agent's own words, or what went wrong.
    pub description: Option<String>,
    /// One sentence that helps a person.
    pub hint: String,
    /// Whose word the end rests on; `None` where it follows from no report: a limit, a stop, a failure.
    pub rests_on: Option<RestsOn>,
    /// Where it ended.
    pub at: HandoffPlace,
    /// The run that continues this one in a fresh session.
    pub continued_by: Option<RunId>,
    /// When it began, in milliseconds since 1970.
    pub started_at_ms: u64,
    /// When it ended.
    pub ended_at_ms: u64,
    /// How long that was.
    pub took_ms: u64,
    /// What the agent cost: an estimate, in US dollars.
    pub cost_usd: f64,
    /// The tools that the agent was refused.
    pub refused: Vec<HandoffRefusal>,
    /// What the engine looked up and ran, in order; the last ones, where there were many.
    pub checks: Vec<HandoffCheck>,
    /// How many checks passed in all.
    pub checks_passed: u32,
    /// How many did not.
    pub checks_failed: u32,
    /// The commands of the repository's own file that were not run, because it is not trusted.
    pub not_verified: Vec<String>,
    /// The files that the run may not change and that were found changed.
    pub violations: Vec<HandoffViolation>,
    /// The worktree of the run, where it worked apart.
    pub worktree: Option<HandoffWorktree>,
    /// What the last round of each step that reviewed found, the latest at the end.
    #[serde(default)]
    pub reviews: Vec<HandoffReview>,
    /// What the run changed; `None` where the engine could not look.
    pub changes: Option<HandoffChanges>,
    /// Up to three commands that help most, the most useful first.
    pub next: Vec<HandoffCommand>,
}

impl Handoff {
    /// What a run leaves; `None` unless it has ended, and is not resumed automatically.
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
