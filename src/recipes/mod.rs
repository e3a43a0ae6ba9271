//! The eight bundled recipes: each a folder with its definition and one Markdown file per prompt.
//!
//! This room holds only definitions and prompts; what a recipe can express is defined elsewhere,
//! and nothing here depends on how a recipe is run. Start with [`ImplementAndReview`], which most
//! of the others resemble.

pub mod break_down_tasks;
pub mod document_design;
pub mod implement_and_review;
pub mod implement_and_review_all;
pub mod rebase;
pub mod refine_design;
pub mod retrospective;
pub mod review_and_commit;
mod task_steps;
pub mod tools;

pub use break_down_tasks::BreakDownTasks;
pub use document_design::DocumentDesign;
pub use implement_and_review::ImplementAndReview;
pub use implement_and_review_all::ImplementAndReviewAll;
pub use rebase::RebaseOnMain;
pub use refine_design::RefineDesign;
pub use retrospective::Retrospective;
pub use review_and_commit::ReviewAndCommit;

use crate::{Catalog, catalog};

/// All bundled recipes, by label.
///
/// ```
/// let ids: Vec<_> = surefire::recipes::BUNDLED.iter().map(|recipe| recipe.outline().id).collect();
/// assert_eq!(ids.len(), 8);
/// assert!(ids.contains(&"implement-and-review"));
/// ```
pub static BUNDLED: Catalog = catalog![
    BreakDownTasks,
    DocumentDesign,
    ImplementAndReview,
    ImplementAndReviewAll,
    RebaseOnMain,
    RefineDesign,
    Retrospective,
    ReviewAndCommit,
];
