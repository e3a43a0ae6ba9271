//! Which files a run may change, and where.

use super::decide::Run;
use crate::{FileRules, Tool};

impl Run {
    /// The file rules of the current step: the recipe's scope, the project's, and the permits.
    pub(super) fn file_rules(&self) -> FileRules {
        let (outline, spec) = (self.recipe.outline(), &self.state.spec);
        let scopes = [outline.scope, &spec.project.scope];
        FileRules {
            scopes: scopes.into_iter().filter(|scope| !scope.is_everything()).cloned().collect(),
            allow_lockfiles: outline.allow_lockfiles
                || spec.project.allow_lockfiles
                || spec.permits.allow_deps,
            may_edit: self.may_edit(),
        }
    }

    /// Whether files may be edited at the current step. A step whose author listed no tools leaves
    /// that to the operator.
    pub(super) fn may_edit(&self) -> bool {
        let listed = |tools: &[Tool]| tools.contains(&Tool::Edit);
        self.step().tools.is_none_or(listed) || listed(&self.state.spec.allow_tools)
    }

    /// Whether the run's worktree has not been created yet. The runs of a chain share one.
    pub(super) fn needs_worktree(&self) -> bool {
        let spec = &self.state.spec;
        spec.worktree.is_some() && spec.continues.is_none() && !self.state.worktree_ready
    }
}
