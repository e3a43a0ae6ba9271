//! A run's claim to a work tree.

use super::decide::Run;
use super::ids::RunId;
use super::run_spec::RunSpec;
use crate::{Outline, StepOutline, Tool};

/// A run that needs exclusive use of its work tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeClaim {
    /// The run.
    pub run: RunId,
    /// Its recipe, by id.
    pub recipe: &'static str,
    /// Whether it is permitted to work in parallel with other runs.
    pub parallel: bool,
}

impl TreeClaim {
    /// The claim of a run with this spec; `None` if the run changes no files, or is a rehearsal.
    #[must_use]
    pub fn of(recipe: &'static Outline, spec: &RunSpec) -> Option<Self> {
        let changes_files =
            recipe.steps.iter().any(may_change_files) || !spec.project.verify.is_empty();
        let claim =
            Self { run: spec.run, recipe: recipe.id, parallel: spec.permits.force_parallel };
        (changes_files && !spec.rehearsal).then_some(claim)
    }
}

/// Whether files may change at a step: by its agent, or by a command. A step without a list of
/// tools may change files.
fn may_change_files(step: &StepOutline) -> bool {
    let changes = |tool: &Tool| match tool {
        Tool::Edit | Tool::Command(_) => true,
        Tool::Read | Tool::Web => false,
    };
    let by_agent = step.tools.is_none_or(|tools| tools.iter().any(changes));
    by_agent || step.command.is_some() || !step.verify.is_empty()
}

impl Run {
    /// Its claim to its work tree. The driver must hold the claim before the run works there.
    #[must_use]
    pub fn tree_claim(&self) -> Option<TreeClaim> {
        TreeClaim::of(self.recipe.outline(), &self.state.spec)
    }
}
