//! What only rust-analyzer reads: each name that the author wrote, once more, for a macro that puts
//! it where an editor knows what can stand there (`src/recipe/editor.rs`). It completes and
//! explains names that the rest of the expansion does not use, or uses only once they are right.
//!
//! To complete a name, rust-analyzer expands the recipe with a placeholder in it, which makes it
//! invalid, and follows the first occurrence of that placeholder. It gives up if the occurrence
//! lies behind the end of the same macro call in the valid expansion. So this comes before
//! everything else, errors included, and the macro pads its output.

use proc_macro2::TokenStream;

use super::Expansion;

use crate::place::quote;

impl Expansion<'_> {
    pub(super) fn editor(&self) -> TokenStream {
        let (krate, shape) = (self.krate, self.shape);
        let (module, written) = (&shape.module, &shape.written);
        let (fields, guardrails) = (&written.fields, &written.guardrails);
        let named = &written.steps;
        let reasons = written.reasons.iter().map(|reason| shape.variant(reason, krate));
        let steps = shape.steps.iter().map(|step| {
            let outcome = &step.outcome_enum;
            let written = &step.written;
            let (fields, targets, outcomes) =
                (&written.fields, &written.targets, &written.outcomes);
            quote!({ #outcome [#(#fields)*] [#(#outcomes)*] [#(#targets)*] })
        });
        quote! {
            #krate::__private::for_editors! {
                #module [#(#fields)*] [#(#guardrails)*] [#(#named)*]
                #(#steps)*
                #([#reasons])*
            }
        }
    }
}
