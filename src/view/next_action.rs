//! What to do after a run has ended: actions as data.

use serde::{Deserialize, Serialize};

use super::raise::RaisedLimits;
use crate::run::{Limits, Permits, RunId, Spent};
use crate::{RunLimit, RunPermit, RunRemedy};

/// The most actions that are offered at once.
pub const MAX_ACTIONS: usize = 3;

/// Something that can be done about a run that has ended.
///
/// A terminal turns it into a command, the console into a button; both show its label.
///
/// ```
/// use surefire::view::{Action, NextAction, RaisedLimits};
///
/// let limits = RaisedLimits { allow_visits: Some(2), ..RaisedLimits::default() };
/// let action = NextAction::from(Action::Resume { limits });
/// assert_eq!(
///     serde_json::to_value(&action).unwrap(),
///     serde_json::json!({ "label": "Resume", "kind": "resume", "limits": { "allow_visits": 2 } })
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NextAction {
    /// What it is called.
    pub label: String,
    /// What it does.
    #[serde(flatten)]
    pub action: Action,
}

/// What an action does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Action {
    /// Starts the recipe again, in a new session.
    Again,
    /// Starts the recipe again in the same session, with an answer to the agent.
    Answer,
    /// Resumes the run with tools allowed that the agent was refused. Only a process of the server's own user can do that.
    Allow {
        /// The tools, as `--allow-tool` takes them.
        tools: Vec<String>,
    },
    /// Resumes the run, and permits what it may not do otherwise. Only the machine's user can do that.
    Permit {
        /// What is permitted.
        #[serde(flatten)]
        permits: Permits,
    },
    /// Merges the branch of the run's worktree into what is checked out where the run was started.
    Merge,
    /// Throws the run's worktree away, with its branch.
    Discard,
    /// Resumes the run.
    Resume {
        /// The limits that change.
        limits: RaisedLimits,
    },
    /// Ends a paused run for good.
    Stop,
    /// Shows the run that continues this one.
    Follow {
        /// That run.
        run_id: RunId,
    },
    /// Shows the recipe, with its steps and limits.
    ShowRecipe,
    /// Looks for what is wrong on the machine.
    Doctor,
}

impl From<Action> for NextAction {
    fn from(action: Action) -> Self {
        let label = match action {
            Action::Again => "Start again",
            Action::Answer => "Answer and start again",
            Action::Allow { .. } => "Allow what was refused and resume",
            Action::Permit { permits: Permits { allow_deps: true, .. } } => {
                "Allow changes of lockfiles and resume"
            }
            Action::Permit { .. } => "Work beside the other run and resume",
            Action::Merge => "Merge its branch",
            Action::Discard => "Discard its worktree",
            Action::Resume { .. } => "Resume",
            Action::Stop => "Stop for good",
            Action::Follow { .. } => "Follow the run that continues this one",
            Action::ShowRecipe => "Show the recipe",
            Action::Doctor => "Look for the cause",
        };
        Self { label: label.to_owned(), action }
    }
}

/// What an ending leaves to do.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Ended<'e> {
    pub(super) remedy: RunRemedy,
    pub(super) paused: bool,
    pub(super) continued_by: Option<RunId>,
    /// Whether the recipe is on offer: without it, its runs can be neither resumed nor started.
    pub(super) offered: bool,
    /// What would have to be allowed for the run to get further; empty where that is not known, or not what stopped it.
    pub(super) allow: Vec<String>,
    /// Whether the run reached what it was started for.
    pub(super) goal_met: bool,
    /// Whether it has a worktree of its own that is neither merged nor thrown away.
    pub(super) worktree: bool,
    pub(super) limits: &'e Limits,
    pub(super) used: &'e Spent,
}

impl Ended<'_> {
    /// Up to three actions, the most useful first.
    pub(super) fn actions(&self) -> Vec<NextAction> {
        let resume = NextAction::from(Action::Resume { limits: RaisedLimits::default() });
        let again = NextAction::from(Action::Again);
        let mut actions = match self.remedy {
            _ if self.paused => {
                vec![NextAction { label: "Resume now".to_owned(), ..resume }, Action::Stop.into()]
            }
            RunRemedy::Again => vec![again],
            RunRemedy::Resume => vec![resume, again],
            RunRemedy::Raise(limit @ (RunLimit::Visits | RunLimit::Steps)) => {
                vec![self.raise(limit), Action::ShowRecipe.into(), again]
            }
            RunRemedy::Raise(limit @ (RunLimit::Time | RunLimit::Turns | RunLimit::Budget)) => {
                vec![self.raise(limit), again]
            }
            RunRemedy::Permit(RunPermit::AllowDeps) => {
                let permits = Permits { allow_deps: true, ..Permits::default() };
                vec![Action::Permit { permits }.into(), resume, again]
            }
            RunRemedy::Permit(RunPermit::ForceParallel) => {
                let permits = Permits { force_parallel: true, ..Permits::default() };
                vec![resume, Action::Permit { permits }.into(), again]
            }
            RunRemedy::Answer => vec![Action::Answer.into(), resume, again],
            RunRemedy::Doctor => vec![Action::Doctor.into(), resume, again],
            RunRemedy::Follow => {
                vec![self.continued_by.map_or(again, |run_id| Action::Follow { run_id }.into())]
            }
            RunRemedy::None => Vec::new(),
        };
        if !self.allow.is_empty() && !self.paused {
            actions.insert(0, Action::Allow { tools: self.allow.clone() }.into());
        }
        if self.worktree && !self.paused {
            // Where the goal is met, the work is there to be merged; otherwise there may be more of it first.
            let place = usize::from(!self.goal_met).min(actions.len());
            actions.splice(place..place, [Action::Merge.into(), Action::Discard.into()]);
        }
        actions.retain(|next| self.offered || !next.action.needs_recipe());
        actions.truncate(MAX_ACTIONS);
        actions
    }

    fn raise(&self, limit: RunLimit) -> NextAction {
        let (limits, words) = RaisedLimits::raise(limit, self.limits, self.used);
        NextAction { label: format!("Allow {words} and resume"), action: Action::Resume { limits } }
    }
}

impl Action {
    const fn needs_recipe(&self) -> bool {
        match self {
            Self::Again
            | Self::Answer
            | Self::Allow { .. }
            | Self::Permit { .. }
            | Self::Resume { .. }
            | Self::ShowRecipe => true,
            Self::Merge | Self::Discard | Self::Stop | Self::Follow { .. } | Self::Doctor => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn labels(ended: &Ended<'_>) -> Vec<String> {
        ended.actions().into_iter().map(|next| next.label).collect()
    }

    #[test]
    fn each_remedy_has_its_actions() {
        let (limits, used) = (Limits { budget_usd: Some(1.2), ..Limits::default() }, Spent::default());
        let next = Some(Uuid::from_u128(1).into());
        let ended = |remedy, offered| Ended {
            remedy,
            paused: false,
            continued_by: next,
            offered,
            allow: Vec::new(),
            goal_met: false,
            worktree: false,
            limits: &limits,
            used: &used,
        };
        let table: [(RunRemedy, bool, &[&str]); 12] = [
            (
                RunRemedy::Permit(RunPermit::AllowDeps),
                true,
                &["Allow changes of lockfiles and resume", "Resume", "Start again"],
            ),
            (
                RunRemedy::Permit(RunPermit::ForceParallel),
                true,
                &["Resume", "Work beside the other run and resume", "Start again"],
            ),
            (RunRemedy::Again, true, &["Start again"]),
            (RunRemedy::Resume, true, &["Resume", "Start again"]),
            (
                RunRemedy::Raise(RunLimit::Visits),
                true,
                &["Allow 2 more visits of each step and resume", "Show the recipe", "Start again"],
            ),
            (RunRemedy::Raise(RunLimit::Budget), true, &["Allow $2.40 in all and resume", "Start again"]),
            (RunRemedy::Answer, true, &["Answer and start again", "Resume", "Start again"]),
            (RunRemedy::Doctor, true, &["Look for the cause", "Resume", "Start again"]),
            (RunRemedy::Doctor, false, &["Look for the cause"]),
            (RunRemedy::Follow, false, &["Follow the run that continues this one"]),
            (RunRemedy::None, true, &[]),
            (RunRemedy::Resume, false, &[]),
        ];
        for (remedy, offered, expected) in table {
            assert_eq!(labels(&ended(remedy, offered)), expected, "{remedy}");
        }
        let alone = Ended { continued_by: None, ..ended(RunRemedy::Follow, true) };
        assert_eq!(labels(&alone), ["Start again"], "no run continues it");
        let paused = Ended { paused: true, ..ended(RunRemedy::Resume, true) };
        assert_eq!(labels(&paused), ["Resume now", "Stop for good"]);
        let allow = vec!["git commit *".to_owned()];
        let refused = Ended { allow: allow.clone(), ..ended(RunRemedy::Doctor, true) };
        let expected = ["Allow what was refused and resume", "Look for the cause", "Resume"];
        assert_eq!(labels(&refused), expected);
        let paused = Ended { paused: true, allow, ..ended(RunRemedy::Resume, true) };
        assert_eq!(labels(&paused), ["Resume now", "Stop for good"], "it is not over");
        let apart = Ended { worktree: true, ..ended(RunRemedy::Resume, true) };
        assert_eq!(labels(&apart), ["Resume", "Merge its branch", "Discard its worktree"]);
        let done = Ended { goal_met: true, ..apart };
        assert_eq!(labels(&done), ["Merge its branch", "Discard its worktree", "Resume"]);
        let paused = Ended { paused: true, ..done };
        assert_eq!(labels(&paused), ["Resume now", "Stop for good"], "it still works there");
    }
}
