//! What may follow a step, as an exhaustive enum.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::Expansion;

impl Expansion<'_> {
    pub(super) fn next_enum(&self, index: usize) -> TokenStream {
        let (krate, inner) = (self.krate, &self.inner);
        let step = &self.shape.steps[index];
        let name = &step.next_enum;
        let exit = Ident::new("Exit", step.name.span());
        let docs = format!("What may follow the step `{}`.", step.wire);
        let (steps, restarts) = self.proof.flow.followers(self.shape, index);
        let steps = steps.into_iter().map(|next| {
            let next = &self.shape.steps[next];
            let (docs, target) =
                (format!("The run continues with the step `{}`.", next.wire), &next.name);
            quote!(#[doc = #docs] #target(At<#target>))
        });
        let restarts = restarts.into_iter().map(|restart| {
            let target = &self.shape.restarts[restart].name;
            let docs = format!("The run has ended; `{target}` continues in a fresh session.");
            quote!(#[doc = #docs] #target(#krate::Restart<#target>))
        });
        quote! {
            #[doc = #docs]
            #[derive(::core::fmt::Debug)]
            #[must_use = "it says whether the run continues"]
            #inner enum #name {
                #(#steps,)*
                #(#restarts,)*
                /// The run has ended, by an outcome or by a guardrail.
                #exit(#krate::Exit),
            }
        }
    }
}
