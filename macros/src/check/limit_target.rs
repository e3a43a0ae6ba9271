//! The errors for where a limit leads; the rules about visits and about one visit use them.

use crate::diagnostic::Diagnostics;
use crate::resolve::{Resolved, Target};
use crate::spelling;

/// Reports a target that a limit of the step at this index cannot have. `limit` is the limit as its
/// author wrote it, e.g. `max_visits: 3`.
pub(super) fn check(
    recipe: &Resolved,
    index: usize,
    limit: &str,
    target: &Target,
    diagnostics: &mut Diagnostics,
) {
    match target {
        Target::Unknown { meant: None, .. } if recipe.written.lost_steps => {}
        Target::Unknown { name, meant } => {
            let mut names = recipe.step_names();
            // It cannot lead to itself, so that is never what was meant.
            let own = recipe.steps[index].name();
            names.retain(|known| own != known);
            let names = names.iter().map(String::as_str);
            let mut advice = spelling::advice(&name.to_string(), names, "the other steps are");
            if meant.is_none() {
                advice = format!("{advice}; to end the run instead, write `exit {name}`");
            }
            diagnostics.error(name, format!("there is no step `{name}`{advice}"));
        }
        Target::RestartedStep { name, .. } => {
            diagnostics.error(name, format!("`{name}` is a step: write `{limit} => {name}`"));
        }
        Target::Restart(path) => {
            let message = "a limit leads to a step or to `exit Reason`; let an outcome of that step restart the recipe";
            diagnostics.error(path, message);
        }
        Target::Step { .. }
        | Target::Exit(_)
        | Target::StandardOther
        | Target::Unmapped
        | Target::Broken => {}
    }
}
