//! One difference between two versions of a recipe, in words.

use std::fmt;

use super::graph::{GraphNext, RecipeGraph};
use super::step_limits::VisitLimit;

/// One difference between an earlier version of a recipe and the current one.
///
/// Its text names what changed, and the `was` to add if that is probably a new name.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum GraphChange {
    /// Runs begin with another step.
    Initial {
        /// The earlier one.
        before: String,
        /// The current one.
        now: String,
    },
    /// A step is gone.
    StepRemoved {
        /// Its name.
        step: String,
        /// The step that it probably is now, under another name.
        renamed: Option<String>,
    },
    /// There is a further step.
    StepAdded {
        /// Its name.
        step: String,
    },
    /// An outcome is gone.
    OutcomeRemoved {
        /// The step, by its earlier name.
        step: String,
        /// The outcome.
        outcome: String,
        /// The outcome that it probably is now, under another name.
        renamed: Option<String>,
    },
    /// A step has a further outcome.
    OutcomeAdded {
        /// The step, by its earlier name.
        step: String,
        /// The outcome.
        outcome: String,
    },
    /// An outcome leads elsewhere.
    OutcomeMoved {
        /// The step, by its earlier name.
        step: String,
        /// The outcome, by its earlier name.
        outcome: String,
        /// Where it led.
        before: GraphNext,
        /// Where it leads now.
        now: GraphNext,
    },
}

impl GraphChange {
    /// Whether it is probably only a new name, which a `was` would map.
    #[must_use]
    pub const fn is_rename(&self) -> bool {
        match self {
            Self::StepRemoved { renamed, .. } | Self::OutcomeRemoved { renamed, .. } => {
                renamed.is_some()
            }
            Self::Initial { .. }
            | Self::StepAdded { .. }
            | Self::OutcomeAdded { .. }
            | Self::OutcomeMoved { .. } => false,
        }
    }
}

impl fmt::Display for GraphChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Initial { before, now } => {
                write!(f, "a run begins with step `{now}` and not with `{before}`")
            }
            Self::StepRemoved { step, renamed: None } => write!(f, "step `{step}` was removed"),
            Self::StepRemoved { step, renamed: Some(now) } => {
                let former = camel(step);
                write!(
                    f,
                    "step `{step}` is gone (if it is `{now}` now, add `was: [{former}]` to that)"
                )
            }
            Self::StepAdded { step } => write!(f, "step `{step}` was added"),
            Self::OutcomeRemoved { step, outcome, renamed: None } => {
                write!(f, "{} was removed", way_on(outcome, step))
            }
            Self::OutcomeRemoved { step, outcome, renamed: Some(now) } => {
                let (former, current) = (camel(outcome), camel(now));
                write!(
                    f,
                    "outcome `{outcome}` of step `{step}` is gone (if it is `{now}` now, add \
                     `was: [{former} => {current}]` to the step)"
                )
            }
            Self::OutcomeAdded { step, outcome } => {
                write!(f, "{} was added", way_on(outcome, step))
            }
            Self::OutcomeMoved { step, outcome, before, now } => {
                write!(f, "{} leads to `{now}` and not to `{before}`", way_on(outcome, step))
            }
        }
    }
}

/// An outcome of a step, or where one of its own limits leads.
fn way_on(outcome: &str, step: &str) -> String {
    match VisitLimit::in_place_of(outcome) {
        Some(limit) => format!("the way on from `{}` of step `{step}`", limit.field()),
        None if outcome == RecipeGraph::WHEN_FULL => {
            format!("the way on from `max_visits` of step `{step}`")
        }
        None => format!("outcome `{outcome}` of step `{step}`"),
    }
}

/// A wire name as an author would write it. Only its own wire name matters, which is the same.
fn camel(wire: &str) -> String {
    let words = wire.split('-').map(|word| {
        let mut letters = word.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        first.chain(letters).collect::<String>()
    });
    words.collect()
}

/// At most this many changes are named in one sentence.
const MAX_NAMED: usize = 4;

/// The changes in one sentence; a long list is truncated.
pub(super) fn in_words(changes: &[GraphChange]) -> String {
    let mut named: Vec<_> = changes.iter().take(MAX_NAMED).map(ToString::to_string).collect();
    if changes.len() > MAX_NAMED {
        named.push(format!("and {} more changes", changes.len() - MAX_NAMED));
    }
    named.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_of_changes_is_truncated() {
        let change = |index: usize| GraphChange::StepAdded { step: format!("s{index}") };
        let changes: Vec<_> = (0..6).map(change).collect();
        assert!(in_words(&changes).ends_with("step `s3` was added, and 2 more changes"));
        assert_eq!(in_words(&changes[..1]), "step `s0` was added");
    }

    #[test]
    fn a_former_name_is_suggested_as_it_would_be_written() {
        let change = GraphChange::StepRemoved {
            step: "code-review".to_owned(),
            renamed: Some("audit".to_owned()),
        };
        assert_eq!(
            change.to_string(),
            "step `code-review` is gone (if it is `audit` now, add `was: [CodeReview]` to that)"
        );
    }
}
