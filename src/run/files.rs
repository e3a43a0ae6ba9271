//! Which files a run may change, and where.

use super::decide::Run;
use crate::{FileRules, Tool};

impl Run {
    /// What holds for the files at the current step: the recipe's scope, the project's, and what is permitted.
    pub(super) fn file_rules(&self) -> FileRules {
        let (outline, order) = (self.recipe.outline(), &self.known.order);
        let scopes = [outline.scope, &order.project.scope];
        FileRules {
            scopes: scopes.into_iter().filter(|scope| !scope.is_everything()).cloned().collect(),
            allow_lockfiles: outline.allow_lockfiles
                || order.project.allow_lockfiles
                || order.permits.allow_deps,
            may_edit: self.may_edit(),
        }
    }

    /// Whether files may be edited at the current step. What its author left open is left to the operator.
    pub(super) fn may_edit(&self) -> bool {
        let listed = |tools: &[Tool]| tools.contains(&Tool::Edit);
        self.step().tools.is_none_or(listed) || listed(&self.known.order.allow_tools)
    }

    /// Whether the worktree that the run works in is still to be made. The runs of a chain share one.
    pub(super) fn needs_worktree(&self) -> bool {
        let order = &self.known.order;
        order.worktree.is_some() && order.continues.is_none() && !self.known.worktree_ready
    }
}
