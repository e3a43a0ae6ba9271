//! `AnyStep`: the typed run at any step, for returning from the erased form.

use proc_macro2::TokenStream;
use quote::quote;

use super::Expansion;

impl Expansion<'_> {
    pub(super) fn any_step(&self) -> TokenStream {
        let (inner, ledger) = (&self.inner, self.ledger());
        let steps: Vec<_> = self.shape.steps.iter().map(|step| &step.name).collect();
        let docs = self.shape.steps.iter().map(|step| format!("The run is at `{}`.", step.wire));
        let (krate, recipe) = (self.krate, self.own_name());
        let (last, most) =
            steps.split_last().map_or((None, &[][..]), |(last, most)| (Some(last), most));
        let places = 0..most.len();
        quote! {
            /// A run at whichever step it is at.
            #[derive(::core::fmt::Debug)]
            #[must_use = "a run continues only when an outcome is reported"]
            #inner enum AnyStep {
                #(#[doc = #docs] #steps(At<#steps>),)*
            }

            impl AnyStep {
                /// The same run in its erased form.
                #[must_use]
                #inner fn position(&self) -> #krate::Position<#recipe> {
                    match self { #(Self::#steps(at) => position(at),)* }
                }
            }

            /// The index comes from a position of this recipe, so the last step is what remains.
            #[doc(hidden)]
            pub(super) fn any_step(step: ::core::primitive::usize, ledger: #ledger) -> AnyStep {
                match step {
                    #(#places => AnyStep::#most(At { ledger, step: ::core::marker::PhantomData }),)*
                    _ => AnyStep::#last(At { ledger, step: ::core::marker::PhantomData }),
                }
            }
        }
    }
}
