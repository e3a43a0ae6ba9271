//! Which files a run may change, and how it ends where it changed others.

use super::decide::Run;
use crate::{BrokenRule, Exit, ExitReason, FileRules, Tool, Violation};

/// How many files an exit names before it only counts.
const MAX_NAMED: usize = 5;

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

/// What a run ends with that changed these files; `None` where there are none.
pub(super) fn exit(violations: &[Violation]) -> Option<Exit> {
    if violations.is_empty() {
        return None;
    }
    let only_lockfiles = violations.iter().all(|it| it.rule == BrokenRule::Lockfile);
    let reason = if only_lockfiles { ExitReason::LockfileViolation } else { ExitReason::GuardViolation };
    Some(Exit::because(reason).describe(in_words(violations)))
}

fn in_words(violations: &[Violation]) -> String {
    let named: Vec<_> = violations.iter().take(MAX_NAMED).map(ToString::to_string).collect();
    let more = violations.len().saturating_sub(MAX_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("changed files that this run may not change: {}{more}", named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(path: &str, rule: BrokenRule) -> Violation {
        Violation { path: path.to_owned(), rule }
    }

    #[test]
    fn lockfiles_alone_have_a_reason_of_their_own() {
        let lockfile = broken("Cargo.lock", BrokenRule::Lockfile);
        let denied = broken(".github/ci.yml", BrokenRule::Denied { pattern: ".github/**".to_owned() });
        let table = [
            (vec![], None),
            (vec![lockfile.clone()], Some(ExitReason::LockfileViolation)),
            (vec![denied.clone()], Some(ExitReason::GuardViolation)),
            (vec![lockfile, denied], Some(ExitReason::GuardViolation)),
        ];
        for (violations, reason) in table {
            assert_eq!(exit(&violations).and_then(|exit| exit.reason()), reason, "{violations:?}");
        }
    }

    #[test]
    fn the_first_files_are_named_and_the_rest_is_counted() {
        let violations: Vec<_> =
            (0..7).map(|number| broken(&format!("{number}"), BrokenRule::NotAllowed)).collect();
        let words = exit(&violations).unwrap().description().unwrap().to_owned();
        assert!(words.contains("`4` (not in the allowed scope) and 2 more"), "{words}");
        assert!(!words.contains("`5`"), "{words}");
    }
}
