//! What may follow a step, as an exhaustive enum.

use proc_macro2::{Ident, TokenStream};

use super::Expansion;

use crate::place::quote;

impl Expansion<'_> {
    pub(super) fn next_enum(&self, index: usize) -> TokenStream {
        let inner = &self.inner;
        let step = &self.shape.steps[index];
        let name = &step.next_enum;
        let end = Ident::new("End", step.name.span());
        let docs = format!("What may follow the step `{}`.", step.wire);
        let steps = self.proof.flow.followers(self.shape, index);
        let steps = steps.into_iter().map(|next| &self.shape.steps[next]);
        let targets: Vec<_> = steps.clone().map(|next| &next.name).collect();
        let target_docs =
            steps.map(|next| format!("The run continues with the step `{}`.", next.wire));
        quote! {
            #[doc = #docs]
            #[derive(::core::fmt::Debug)]
            #[must_use = "it says whether the run continues"]
            #inner enum #name {
                #(#[doc = #target_docs] #targets(At<#targets>),)*
                /// The run has ended.
                #end(End),
            }

            #[automatically_derived]
            impl ::core::convert::From<#name> for ::core::ops::ControlFlow<End, AnyStep> {
                #[inline]
                fn from(next: #name) -> Self {
                    match next {
                        #(#name::#targets(at) => Self::Continue(AnyStep::#targets(at)),)*
                        #name::#end(end) => Self::Break(end),
                    }
                }
            }
        }
    }
}
