//! What a run asks for before it works in a work tree.

use super::decide::Run;
use super::ids::RunId;
use super::order::Order;
use crate::{Outline, StepOutline, Tool};

/// A run that has to have its work tree for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeClaim {
    /// The run.
    pub run: RunId,
    /// Its recipe, by id.
    pub recipe: &'static str,
    /// Whether it was told to work beside other runs all the same.
    pub parallel: bool,
}

impl TreeClaim {
    /// The claim of a run that begins with this order; `None` where it changes nothing, or only pretends to.
    #[must_use]
    pub fn of(recipe: &'static Outline, order: &Order) -> Option<Self> {
        let works = recipe.steps.iter().any(works) || !order.project.verify.is_empty();
        let claim = Self { run: order.run, recipe: recipe.id, parallel: order.permits.force_parallel };
        (works && !order.rehearsal).then_some(claim)
    }
}

/// Whether files may change at a step: by its agent, or by a command. What its author left open may.
fn works(step: &StepOutline) -> bool {
    let changes = |tool: &Tool| match tool {
        Tool::Edit | Tool::Command(_) => true,
        Tool::Read | Tool::Web => false,
    };
    let by_agent = step.tools.is_none_or(|tools| tools.iter().any(changes));
    by_agent || step.command.is_some() || !step.verify.is_empty()
}

impl Run {
    /// What it asks for before it works in its work tree.
    #[must_use]
    pub fn tree_claim(&self) -> Option<TreeClaim> {
        TreeClaim::of(self.recipe.outline(), &self.known.order)
    }
}
