//! Walking: which ways lead through a recipe, where does each one end, and what did a set of them
//! take?
//!
//! For tests of recipes, and for rehearsals of one's own. A path is walked with the recipe's own
//! position, so it counts visits and steps as a run does; no agent is asked, no evidence is looked
//! for, and no command runs. A path consists of outcomes: it uses up no `time`, `retries` or
//! `budget_usd`, and does not get to a step that only these lead to. Start with
//! [`RunPath`], then [`assert_path`] and [`Coverage`].
//!
//! ```
//! use surefire::paths::{Coverage, RunPath, assert_path};
//! # surefire::recipe! {
//! #     /// Greets, and has the greeting checked.
//! #     recipe Greet {
//! #         initial: Write,
//! #         guardrails: { max_step_visits: 2 },
//! #         step Write { prompt: "Write a greeting.", outcomes: [Complete], Complete => Check }
//! #         step Check {
//! #             prompt: "Is it friendly?",
//! #             outcomes: [NoIssues, IssuesFound],
//! #             NoIssues => exit ChangesCommitted,
//! #             IssuesFound => Write,
//! #         }
//! #     }
//! # }
//!
//! // One way through it, and where it ends.
//! assert_path(&Greet, "complete, issues-found, complete, no-issues", "exit changes-committed");
//!
//! // All that there is to take, by the shortest ways.
//! let paths = Greet::paths();
//! let lines: Vec<_> = paths.iter().map(RunPath::to_string).collect();
//! assert_eq!(
//!     lines,
//!     [
//!         "write (complete) → check (no-issues) → exit changes-committed",
//!         "write (complete) → check (issues-found) → write (complete) → check (issues-found) \
//!          → exit max-step-visits-exceeded:write",
//!     ]
//! );
//!
//! // What the tests of a recipe have not taken yet.
//! let mut coverage = Coverage::of(&Greet);
//! coverage.add(&assert_path(&Greet, "complete, no-issues", "exit changes-committed"));
//! assert_eq!(
//!     coverage.to_string(),
//!     "3 of 5 taken; never: issues-found at check, the guardrail max_step_visits"
//! );
//! ```

mod assert;
mod coverage;
mod error;
mod finished;
mod goal;
mod onward;
mod random;
mod run_path;
mod shortest;
mod walker;

pub use assert::assert_path;
pub use coverage::Coverage;
pub use error::PathError;
pub use goal::PathGoal;
pub use run_path::{PathMove, RunPath};
