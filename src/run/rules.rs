//! The exit of a run that changed files it may not change.

use crate::{BrokenRule, Exit, ExitReason, Violation};

/// How many files an exit names; it only counts the others.
const MAX_NAMED: usize = 5;

/// The exit for these violations; `None` if there are none.
pub(super) fn exit(violations: &[Violation]) -> Option<Exit> {
    if violations.is_empty() {
        return None;
    }
    let only_lockfiles = violations.iter().all(|it| it.rule == BrokenRule::Lockfile);
    let reason =
        if only_lockfiles { ExitReason::LockfileViolation } else { ExitReason::GuardViolation };
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
        let denied =
            broken(".github/ci.yml", BrokenRule::Denied { pattern: ".github/**".to_owned() });
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
