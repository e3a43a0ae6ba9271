//! What to do after a run has ended: actions as data.

use serde::{Deserialize, Serialize};

use super::raise::RaisedLimits;
use crate::run::{Limits, Permits, RunId, Usage};
use crate::{RunLimit, RunPermit, RunRemedy};

/// The most actions that are offered at once.
pub const MAX_ACTIONS: usize = 3;

/// Something that can be done about a run that has ended.
///
/// A terminal turns it into a command, the console into a button; both show its label.
///
/// ```
/// use surefire::view::{ActionKind, NextAction, RaisedLimits};
///
/// let mut limits = RaisedLimits::default();
/// limits.allow_visits = Some(2);
/// let action = NextAction::from(ActionKind::Resume { limits });
/// assert_eq!(
///     serde_json::to_value(&action).unwrap(),
///     serde_json::json!({ "label": "Resume", "kind": "resume", "limits": { "allow_visits": 2 } })
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NextAction {
    /// Its label.
    pub label: String,
    /// What it does.
    #[serde(flatten)]
    pub action: ActionKind,
}

/// What an action does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ActionKind {
    /// Starts the recipe again, in a new session.
    Again,
    /// Starts the recipe again in the same session, with an answer to the agent.
    Answer,
    /// Resumes the run and allows tools that the agent was refused. Only a process of the server's
    /// own user can do that.
    Allow {
        /// The tools, as `--allow-tool` takes them.
        tools: Vec<String>,
    },
    /// Resumes the run with additional permissions. Only the operator can do that.
    Permit {
        /// What is permitted.
        #[serde(flatten)]
        permits: Permits,
    },
    /// Merges the branch of the run's worktree into the branch that the run was started on.
    Merge,
    /// Discards the run's worktree and its branch.
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
    /// Checks what is wrong on the machine.
    Doctor,
}

impl From<ActionKind> for NextAction {
    fn from(action: ActionKind) -> Self {
        let label = match action {
            ActionKind::Again => "Start again",
            ActionKind::Answer => "Answer and start again",
            ActionKind::Allow { .. } => "Allow what was refused and resume",
            ActionKind::Permit { permits: Permits { allow_deps: true, .. } } => {
                "Allow lockfile changes and resume"
            }
            ActionKind::Permit { .. } => "Work in parallel with the other run and resume",
            ActionKind::Merge => "Merge its branch",
            ActionKind::Discard => "Discard its worktree",
            ActionKind::Resume { .. } => "Resume",
            ActionKind::Stop => "Stop for good",
            ActionKind::Follow { .. } => "Follow the run that continues this one",
            ActionKind::ShowRecipe => "Show the recipe",
            ActionKind::Doctor => "Look for the cause",
        };
        Self { label: label.to_owned(), action }
    }
}

/// The facts that decide what can be done about an ending.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Ended<'e> {
    pub(super) remedy: RunRemedy,
    pub(super) paused: bool,
    pub(super) continued_by: Option<RunId>,
    /// Whether the catalog has the recipe: if not, its runs can be neither resumed nor started.
    pub(super) offered: bool,
    /// The tools that must be allowed for the run to make progress; empty if they are not known, or
    /// are not what stopped it.
    pub(super) allow: Vec<String>,
    /// Whether the run reached what it was started for.
    pub(super) goal_met: bool,
    /// Whether it has a worktree of its own that is neither merged nor discarded.
    pub(super) worktree: bool,
    pub(super) limits: &'e Limits,
    pub(super) used: &'e Usage,
}

impl Ended<'_> {
    /// Up to three actions, the most useful first.
    pub(super) fn actions(&self) -> Vec<NextAction> {
        let resume = NextAction::from(ActionKind::Resume { limits: RaisedLimits::default() });
        let again = NextAction::from(ActionKind::Again);
        let mut actions = match self.remedy {
            _ if self.paused => {
                vec![
                    NextAction { label: "Resume now".to_owned(), ..resume },
                    ActionKind::Stop.into(),
                ]
            }
            RunRemedy::Again => vec![again],
            RunRemedy::Resume => vec![resume, again],
            RunRemedy::Raise(limit @ (RunLimit::Visits | RunLimit::Steps)) => {
                vec![self.raise(limit), ActionKind::ShowRecipe.into(), again]
            }
            RunRemedy::Raise(limit @ (RunLimit::Time | RunLimit::Turns | RunLimit::Budget)) => {
                vec![self.raise(limit), again]
            }
            RunRemedy::Permit(RunPermit::AllowDeps) => {
                let permits = Permits { allow_deps: true, ..Permits::default() };
                vec![ActionKind::Permit { permits }.into(), resume, again]
            }
            RunRemedy::Permit(RunPermit::ForceParallel) => {
                let permits = Permits { force_parallel: true, ..Permits::default() };
                vec![resume, ActionKind::Permit { permits }.into(), again]
            }
            RunRemedy::Answer => vec![ActionKind::Answer.into(), resume, again],
            RunRemedy::Doctor => vec![ActionKind::Doctor.into(), resume, again],
            RunRemedy::Follow => {
                vec![self.continued_by.map_or(again, |run_id| ActionKind::Follow { run_id }.into())]
            }
            RunRemedy::None => Vec::new(),
        };
        if !self.allow.is_empty() && !self.paused {
            actions.insert(0, ActionKind::Allow { tools: self.allow.clone() }.into());
        }
        if self.worktree && !self.paused {
            // If the goal is met, the work is ready to be merged; otherwise resuming comes first.
            let index = usize::from(!self.goal_met).min(actions.len());
            actions.splice(index..index, [ActionKind::Merge.into(), ActionKind::Discard.into()]);
        }
        actions.retain(|next| self.offered || !next.action.needs_recipe());
        actions.truncate(MAX_ACTIONS);
        actions
    }

    fn raise(&self, limit: RunLimit) -> NextAction {
        let (limits, words) = RaisedLimits::raise(limit, self.limits, self.used);
        NextAction {
            label: format!("Allow {words} and resume"),
            action: ActionKind::Resume { limits },
        }
    }
}

impl ActionKind {
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
        let (limits, used) =
            (Limits { budget_usd: Some(1.2), ..Limits::default() }, Usage::default());
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
                &["Allow lockfile changes and resume", "Resume", "Start again"],
            ),
            (
                RunRemedy::Permit(RunPermit::ForceParallel),
                true,
                &["Resume", "Work in parallel with the other run and resume", "Start again"],
            ),
            (RunRemedy::Again, true, &["Start again"]),
            (RunRemedy::Resume, true, &["Resume", "Start again"]),
            (
                RunRemedy::Raise(RunLimit::Visits),
                true,
                &["Allow 2 more visits of each step and resume", "Show the recipe", "Start again"],
            ),
            (
                RunRemedy::Raise(RunLimit::Budget),
                true,
                &["Allow $2.40 in all and resume", "Start again"],
            ),
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
        let not_continued = Ended { continued_by: None, ..ended(RunRemedy::Follow, true) };
        assert_eq!(labels(&not_continued), ["Start again"], "no run continues it");
        let paused = Ended { paused: true, ..ended(RunRemedy::Resume, true) };
        assert_eq!(labels(&paused), ["Resume now", "Stop for good"]);
        let allow = vec!["git commit *".to_owned()];
        let refused = Ended { allow: allow.clone(), ..ended(RunRemedy::Doctor, true) };
        let expected = ["Allow what was refused and resume", "Look for the cause", "Resume"];
        assert_eq!(labels(&refused), expected);
        let paused = Ended { paused: true, allow, ..ended(RunRemedy::Resume, true) };
        assert_eq!(labels(&paused), ["Resume now", "Stop for good"], "a paused run is not over");
        let isolated = Ended { worktree: true, ..ended(RunRemedy::Resume, true) };
        assert_eq!(labels(&isolated), ["Resume", "Merge its branch", "Discard its worktree"]);
        let done = Ended { goal_met: true, ..isolated };
        assert_eq!(labels(&done), ["Merge its branch", "Discard its worktree", "Resume"]);
        let paused = Ended { paused: true, ..done };
        assert_eq!(
            labels(&paused),
            ["Resume now", "Stop for good"],
            "a paused run still uses its worktree"
        );
    }
}
