//! The graph of a recipe as data of its own, which outlives the program that has the recipe.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The graph of a recipe: its steps, their outcomes, and where they lead, by their wire names.
///
/// A run records it when it starts, so that it can be compared with the recipe as it is later.
///
/// ```
/// use surefire::recipes::ImplementAndReview;
///
/// let graph = ImplementAndReview::OUTLINE.graph();
/// assert_eq!(graph.initial, "implement");
/// assert_eq!(graph.steps["fix"]["complete"].to_string(), "code-review");
/// assert_eq!(graph.steps["commit"]["committed"].to_string(), "exit task-committed");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RecipeGraph {
    /// The step that a run begins with.
    pub initial: String,
    /// For each step its outcomes, and for each of those where it leads. If a run goes elsewhere
    /// instead of visiting the step once more than its own limit allows, that is listed under
    /// [`WHEN_FULL`](Self::WHEN_FULL), and if it leaves the step because a visit has used up a
    /// limit, under [that limit](crate::VisitLimit::words).
    pub steps: BTreeMap<String, BTreeMap<String, GraphNext>>,
}

impl RecipeGraph {
    /// Stands among the outcomes of a step for the case that its own limit is reached. No outcome
    /// has a space in its name.
    pub const WHEN_FULL: &'static str = "when full";

    /// Whether this stands among the outcomes for a limit. No outcome has a space in its name.
    pub(super) fn is_limit(outcome: &str) -> bool {
        outcome.contains(' ')
    }
}

/// Where an outcome leads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum GraphNext {
    /// To the step with this name.
    Step(String),
    /// To the end of the run, for the reason with this code.
    Exit(String),
    /// To a run of the recipe with this id.
    Restart(String),
}

impl fmt::Display for GraphNext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step(name) => f.write_str(name),
            Self::Exit(code) => write!(f, "exit {code}"),
            Self::Restart(id) => write!(f, "restart {id}"),
        }
    }
}

// No name on the wire has a space, so the text is unambiguous.
impl From<String> for GraphNext {
    fn from(text: String) -> Self {
        match text.split_once(' ') {
            Some(("exit", code)) => Self::Exit(code.to_owned()),
            Some(("restart", id)) => Self::Restart(id.to_owned()),
            Some(_) | None => Self::Step(text),
        }
    }
}

impl From<GraphNext> for String {
    fn from(next: GraphNext) -> Self {
        next.to_string()
    }
}
