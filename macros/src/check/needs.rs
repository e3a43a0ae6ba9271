//! The needs of a run are known, and each is written once.

use crate::diagnostic::Diagnostics;
use crate::resolve::{NEEDS, Resolved};
use crate::spelling;

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    let Some(field) = recipe.written.needs.first() else { return };
    let Some(words) = &field.value else { return };
    if words.is_empty() {
        let message = "this says nothing that a run needs: write `needs: { clean_tree }` or `needs: { task }`, \
                       or leave the field out";
        diagnostics.error(&field.key, message);
    }
    for (index, word) in words.iter().enumerate() {
        let name = word.to_string();
        if let Some(first) = words[..index].iter().find(|first| *first == word) {
            let message = format!("`{word}` is written twice; keep one of them");
            diagnostics.error_and(word, message, first, "first_written_here");
        } else if !NEEDS.contains(&name.as_str()) {
            let advice = spelling::advice(&name, NEEDS, "it can need");
            diagnostics.error(word, format!("a run cannot need `{word}`{advice}"));
        }
    }
}
