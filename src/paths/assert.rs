//! A test of one path, in one line.

use super::goal::{self, PathGoal};
use super::run_path::RunPath;
use crate::recipe::closest;
use crate::{AnyRecipe, GraphNext, Next, Outline};

/// Asserts that these outcomes lead from the first step to this end: a step, `exit` with the code
/// of a reason, or `restart` with the id of a recipe. Returns the path.
///
/// Outcomes are separated by commas, and spelled as an agent reports them; `--rehearse` takes the
/// same list. The code of an exit is the one that `surefire show` prints; after a limit, the step
/// is part of it.
///
/// ```
/// use surefire::paths::assert_path;
/// use surefire::recipes::ImplementAndReview;
///
/// assert_path(&ImplementAndReview, "complete, issues-found", "fix");
/// assert_path(&ImplementAndReview, "complete, no-issues, committed", "exit task-committed");
/// ```
///
/// # Panics
/// If the outcomes lead elsewhere, or cannot be reported where they are. The message shows the path
/// up to there, and what is possible instead:
///
/// ```text
/// outcome 2 is `no-isues`, but step `code-review` has only no-issues, issues-found, other; did you mean `no-issues`?
///   path: implement (complete) → code-review
///   expected it to lead to: exit task-committed
/// ```
#[track_caller]
pub fn assert_path(recipe: &'static dyn AnyRecipe, outcomes: &str, end: &str) -> RunPath {
    match checked(recipe, outcomes, end) {
        Ok(path) => path,
        Err(problem) => panic!("{problem}"),
    }
}

fn checked(recipe: &'static dyn AnyRecipe, outcomes: &str, end: &str) -> Result<RunPath, String> {
    let end = end.trim();
    let path = RunPath::parse(recipe, outcomes).map_err(|error| {
        format!("{error}\n  path: {}\n  expected it to lead to: {end}", error.path())
    })?;
    let found = GraphNext::from(&path.end()).to_string();
    if found == end {
        return Ok(path);
    }
    let mut lines = vec![
        format!("the outcomes lead to: {found}"),
        format!("path: {path}"),
        format!("expected: {end}{}", did_you_mean(recipe.outline(), end)),
    ];
    if let Next::Step(step) = path.end() {
        let possible: Vec<_> = step.outcomes.iter().map(|outcome| outcome.name).collect();
        lines.push(format!("possible there: {}", possible.join(", ")));
    }
    Err(lines.join("\n  "))
}

/// A hint if no path through the recipe ends like this.
fn did_you_mean(outline: &'static Outline, end: &str) -> String {
    let steps = outline.steps.iter().map(|step| step.name.to_owned());
    let ends = goal::mapped(outline).into_iter().filter_map(|goal| match goal {
        PathGoal::Exit(_) | PathGoal::Restart(_) => Some(goal.to_string()),
        PathGoal::Outcome { .. } | PathGoal::Guardrail(_) | PathGoal::StepLimit(_) => None,
    });
    let known: Vec<_> = steps.chain(ends).collect();
    if known.iter().any(|known| known == end) {
        return String::new();
    }
    let without_kind = |known: &&str| known.split_once(' ').is_some_and(|(_, name)| name == end);
    let mut names = known.iter().map(String::as_str);
    let near = names.clone().find(without_kind).or_else(|| closest(end, names.by_ref()));
    near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    surefire::recipe! {
        recipe Greet {
            initial: Write,
            guardrails: { max_step_visits: 2, max_restarts: 1 },
            step Write { prompt: "Write it.", outcomes: [Complete], Complete => Check }
            step Check {
                prompt: "Check it.",
                outcomes: [NoIssues, IssuesFound, NextOne],
                NoIssues => exit ChangesCommitted,
                IssuesFound => Write,
                NextOne => restart Greet,
            }
        }
    }

    #[test]
    fn a_failure_shows_the_path_and_what_was_possible() {
        let table = [
            (
                "complete, no-isues, complete",
                "exit changes-committed",
                "outcome 2 is `no-isues`, but step `check` has only no-issues, issues-found, \
                 next-one, other; did you mean `no-issues`?\n  \
                 path: write (complete) → check\n  \
                 expected it to lead to: exit changes-committed",
            ),
            (
                "complete, no-issues, complete",
                "write",
                "outcome 3, `complete`, is one too many: the run has ended with exit \
                 changes-committed; remove it and what follows it\n  \
                 path: write (complete) → check (no-issues) → exit changes-committed\n  \
                 expected it to lead to: write",
            ),
            (
                "complete",
                "exit changes-committed",
                "the outcomes lead to: check\n  path: write (complete) → check\n  \
                 expected: exit changes-committed\n  \
                 possible there: no-issues, issues-found, next-one, other",
            ),
            (
                "complete, no-issues",
                "changes-committed",
                "the outcomes lead to: exit changes-committed\n  \
                 path: write (complete) → check (no-issues) → exit changes-committed\n  \
                 expected: changes-committed; did you mean `exit changes-committed`?",
            ),
            (
                "",
                "chek",
                "the outcomes lead to: write\n  path: write\n  \
                 expected: chek; did you mean `check`?\n  possible there: complete, other",
            ),
        ];
        for (outcomes, end, expected) in table {
            assert_eq!(checked(&Greet, outcomes, end).unwrap_err(), expected);
        }
    }

    #[test]
    fn every_kind_of_end_can_be_expected() {
        for (outcomes, end) in [
            ("", "write"),
            (" complete ,issues-found", " write "),
            ("complete, other", "exit user-provided-other"),
            ("complete, next-one", "restart greet"),
            ("complete, next-one, complete", "check"),
            (
                "complete, issues-found, complete, issues-found",
                "exit max-step-visits-exceeded:write",
            ),
        ] {
            assert_path(&Greet, outcomes, end);
        }
    }
}
