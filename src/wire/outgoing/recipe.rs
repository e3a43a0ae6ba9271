//! Recipes, and what happens in their runs.

use serde::{Deserialize, Serialize};

use crate::run::{Ending, RunId, SessionId};
use crate::wire::Stamp;
use crate::{Category, Exit};

/// The recipes on offer, sorted by label, and the agents that can run them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AvailableRecipes {
    /// The recipes.
    pub recipes: Vec<OfferedRecipe>,
    /// Whether recipes can be started: a client may have switched them off.
    pub enabled: bool,
    /// The agents that can run them, the default one first; left out if agents do not matter, as in
    /// `surefire recipes`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<OfferedAgent>,
    /// A directory that agents may work in, for a client without sessions; left out if there is
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_directory: Option<String>,
}

/// An agent that can run recipes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferedAgent {
    /// Its own name, as `start_recipe` takes it in `agent`.
    pub name: String,
    /// Whether it only simulates an agent.
    pub rehearsal: bool,
}

/// One recipe on offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferedRecipe {
    /// Its id.
    pub id: String,
    /// Its label.
    pub label: String,
    /// What it does.
    pub description: String,
    /// Its steps, in the order of declaration.
    pub steps: Vec<String>,
    /// No run takes more steps than this.
    pub max_steps: u32,
    /// The steps whose prompts the operator changed; left out if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed_prompts: Vec<String>,
}

/// The event of a run that a message is about. Every message about a run has these fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OfRun {
    /// The run.
    pub run_id: RunId,
    /// 1-based number of the event that the message is about. Several messages may be about one
    /// event, and some events have no message.
    pub seq: u64,
    /// When it happened.
    pub at: Stamp,
}

/// A run is at this step. The server sends it when the run begins and again for every step, because
/// the app shows a new step only then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RecipeStarted {
    /// The session.
    pub session_id: SessionId,
    /// The recipe's id.
    pub recipe_id: String,
    /// The recipe's label.
    pub recipe_label: String,
    /// The step that the run is at.
    pub current_step: String,
    /// The same as `current_step`.
    pub step: String,
    /// 1-based index of the step in the run.
    pub step_count: u32,
    /// Whether the run is a rehearsal.
    pub rehearsal: bool,
    /// Where it belongs.
    #[serde(flatten)]
    pub of: OfRun,
}

/// The agent is prompted for a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RecipeStepStarted {
    /// The session.
    pub session_id: SessionId,
    /// The step.
    pub step: String,
    /// 1-based index of the step in the run.
    pub step_count: u32,
    /// Where it belongs.
    #[serde(flatten)]
    pub of: OfRun,
}

/// An outcome led from one step to the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RecipeStepTransition {
    /// The session.
    pub session_id: SessionId,
    /// The step it left.
    pub from_step: String,
    /// The step it entered.
    pub to_step: String,
    /// The outcome.
    pub outcome: String,
    /// Where it belongs.
    #[serde(flatten)]
    pub of: OfRun,
}

/// A reply could not be read, and the agent is asked again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OrchestrationRetry {
    /// The session.
    pub session_id: SessionId,
    /// The step.
    pub step: String,
    /// What was wrong with the reply.
    pub error: String,
    /// 1-based index of the retry.
    pub attempt: u32,
    /// How many retries the run allows.
    pub max_attempts: u32,
    /// Where it belongs.
    #[serde(flatten)]
    pub of: OfRun,
}

/// A run has ended, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecipeExited {
    /// The session.
    pub session_id: SessionId,
    /// The machine-readable reason; `docs/architecture/stop-reasons.md` lists them.
    pub reason: String,
    /// Completed, stopped by a guardrail, or failed.
    pub category: Category,
    /// The reason in a sentence, for people.
    pub message: String,
    /// What went wrong in detail; always set in category `error`, never in others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whether the run reached what it was started for.
    pub goal_met: bool,
    /// A few words for a heading.
    pub title: String,
    /// What to do next.
    pub diagnosis: String,
    /// Whether trying again without a person can help.
    pub auto_resumable: bool,
    /// The exit status for it.
    pub exit_code: u8,
    /// The agent's explanation of an outcome of `other`, or other details.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The step it ended at; left out if nothing ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// How many steps it had taken.
    pub step_count: u32,
    /// The recipe's id; left out if nothing ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe_id: Option<String>,
    /// Whether the run was a rehearsal.
    pub rehearsal: bool,
    /// When it resumes by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume_at: Option<Stamp>,
    /// The run that continues it in a fresh session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continued_by: Option<RunId>,
    /// The event it is about; left out for a session in which nothing ran.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub of: Option<OfRun>,
}

impl RecipeExited {
    /// The end of a run that never began, or the answer for a session without a run.
    #[must_use]
    pub fn of_nothing(session_id: SessionId, exit: &Exit) -> Self {
        let definition = exit.definition();
        let (message, description) =
            (exit.message().into_owned(), exit.description().map(str::to_owned));
        let failed = definition.category == Category::Error;
        Self {
            session_id,
            reason: exit.code().into_owned(),
            category: definition.category,
            error: failed.then(|| description.clone().unwrap_or_else(|| message.clone())),
            message,
            goal_met: definition.goal_met,
            title: definition.title.to_owned(),
            diagnosis: definition.diagnosis.to_owned(),
            auto_resumable: definition.auto_resumable,
            exit_code: definition.exit_code,
            description,
            step: None,
            step_count: 0,
            recipe_id: None,
            rehearsal: false,
            resume_at: None,
            continued_by: None,
            of: None,
        }
    }

    /// The end as the store has it, without the outcome that led to it, which clients do not get.
    #[must_use]
    pub fn ending(self) -> Ending {
        Ending {
            reason: self.reason,
            category: self.category,
            message: self.message,
            title: self.title,
            diagnosis: self.diagnosis,
            exit_code: self.exit_code,
            goal_met: self.goal_met,
            auto_resumable: self.auto_resumable,
            description: self.description,
            step: self.step.unwrap_or_default(),
            steps: self.step_count,
            outcome: None,
            rehearsal: self.rehearsal,
            resume_at: self.resume_at.map(|at| at.0),
            continued_by: self.continued_by,
        }
    }
}

/// A start was refused or a run has failed: a short form of the `error` or `recipe_exited` that
/// accompanies it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecipeError {
    /// The session, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// What is wrong.
    pub error: String,
    /// The event it is about; left out if no run began.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub of: Option<OfRun>,
}

/// Recipes were switched on or off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrchestrationSet {
    /// On or off.
    pub enabled: bool,
    /// The only session that was switched; left out for all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
}

/// Runs that ended long ago were deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunsPruned {
    /// How many.
    pub count: u64,
}

/// Old sessions were deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionsPruned {
    /// How many sessions.
    pub session_count: u64,
    /// How many runs they had.
    pub run_count: u64,
    /// By how many bytes the server's database shrank.
    pub freed_bytes: u64,
    /// Why the database could not be shrunk, if that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}
