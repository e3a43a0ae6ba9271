//! Derived traits are ones that the generated enums can have, and do not have already.

use crate::diagnostic::Diagnostics;
use crate::resolve::{DeriveFlaw, Resolved, judge_derive, last_word};

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    let paths = recipe.written.derive.value().map_or(&[][..], Vec::as_slice);
    for (index, path) in paths.iter().enumerate() {
        let Err(flaw) = judge_derive(paths, index) else { continue };
        let name = last_word(path);
        let message = match flaw {
            DeriveFlaw::Twice { first } => {
                let message = format!("`{name}` is written twice; keep one of them");
                diagnostics.error_and(path, message, first, "first_written_here");
                continue;
            }
            DeriveFlaw::Implemented => {
                format!("the enums of steps and outcomes implement `{name}` already: remove it")
            }
            DeriveFlaw::Default => {
                "no step and no outcome is the default: write an `impl Default` for the enum that needs one".to_owned()
            }
            DeriveFlaw::WithoutCrate => format!(
                "write `{name}` with its crate, e.g. `strum::{name}`: the enums lie in a module of their own, which imports nothing"
            ),
            DeriveFlaw::Relative => {
                "begin with `crate` or with a crate's name: the enums lie in a module of their own"
                    .to_owned()
            }
            DeriveFlaw::OrdAlone => {
                "`Ord` needs `PartialOrd` too: `derive: [PartialOrd, Ord]`".to_owned()
            }
        };
        diagnostics.error(path, message);
    }
}
