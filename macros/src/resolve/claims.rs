//! Which steps and outcomes a claim names.

use proc_macro2::Ident;
use syn::Path;
use syn::ext::IdentExt;

use super::{OTHER_REASON, Step, Target};
use crate::syntax;

/// A claim whose names have been looked up; `None` where a name is unknown.
pub(crate) struct Claim {
    pub(crate) written: syntax::Claim,
    pub(crate) goal: Option<Goal>,
    pub(crate) needs: Vec<Option<Report>>,
    pub(crate) since: Since,
}

/// What a claim is about.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Goal {
    /// Entering this step.
    Step(usize),
    /// Ending with the reason of this name.
    Exit(String),
    /// Restarting this recipe.
    Restart(Path),
}

/// An outcome that a claim needs: the indices of its step and of the outcome there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Report {
    pub(crate) step: usize,
    pub(crate) outcome: usize,
}

/// From where on the outcome is needed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Since {
    Beginning,
    /// The latest visit to this step.
    Step(usize),
    Unknown,
}

impl Goal {
    /// Whether an outcome with this target reaches it.
    pub(crate) fn is(&self, target: &Target) -> bool {
        match (self, target) {
            (Self::Step(goal), target) => target.certain_step() == Some(*goal),
            (Self::Exit(goal), Target::Exit(reason)) => reason.name.unraw() == *goal,
            (Self::Exit(goal), Target::StandardOther) => goal == OTHER_REASON,
            (Self::Restart(goal), Target::Restart(path)) => path == goal,
            (Self::Exit(_) | Self::Restart(_), _) => false,
        }
    }
}

impl Claim {
    pub(super) fn new(
        written: &syntax::Claim,
        steps: &[Step],
        find: impl Fn(&Ident) -> Option<usize>,
    ) -> Self {
        let goal = match &written.goal {
            syntax::Goal::Step(name) => find(name).map(Goal::Step),
            syntax::Goal::Exit(reason) => Some(Goal::Exit(reason.unraw().to_string())),
            syntax::Goal::Restart(path) => Some(Goal::Restart(path.clone())),
        };
        let mut targets = steps.iter().flat_map(Step::targets);
        let goal = goal
            .filter(|goal| matches!(goal, Goal::Step(_)) || targets.any(|target| goal.is(target)));
        let needs = written.needs.iter().map(|report| {
            let step = find(&report.step)?;
            let named = |outcome: &super::Outcome| outcome.name.unraw() == report.outcome.unraw();
            let outcome = steps[step].outcomes.iter().position(named)?;
            Some(Report { step, outcome })
        });
        let since = match &written.since {
            None => Since::Beginning,
            Some(name) => find(name).map_or(Since::Unknown, Since::Step),
        };
        Self { goal, needs: needs.collect(), since, written: written.clone() }
    }

    /// Its parts; `None` if a name is unknown.
    pub(crate) fn parts(&self) -> Option<(&Goal, Vec<Report>, Option<usize>)> {
        let needs = self.needs.iter().copied().collect::<Option<Vec<_>>>()?;
        let since = match self.since {
            Since::Beginning => None,
            Since::Step(step) => Some(step),
            Since::Unknown => return None,
        };
        Some((self.goal.as_ref()?, needs, since))
    }
}
