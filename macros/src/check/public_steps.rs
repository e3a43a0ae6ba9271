//! Shared steps that other crates include name nothing that only their own crate can name.
//!
//! Prompts and constants with tools are evaluated where the steps are defined. A recipe that is
//! restarted is a path in the recipe that includes them.

use syn::Visibility;

use crate::diagnostic::Diagnostics;
use crate::syntax::{Fragment, Next, Step};

pub(super) fn check(fragment: &Fragment, diagnostics: &mut Diagnostics) {
    if !matches!(fragment.visibility, Visibility::Public(_)) {
        return;
    }
    for next in fragment.steps.iter().flat_map(Step::nexts) {
        if let Next::Restart(recipe) = next {
            let name = &fragment.name;
            let message = format!(
                "another crate that includes `{name}` may not know this recipe: write a parameter, `{name}(again)` and `=> again`, or make the steps `pub(crate)`"
            );
            diagnostics.error(recipe, message);
        }
    }
}
