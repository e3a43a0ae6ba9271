//! `AnyStep`: the typed run at any step, for drivers, and for returning from the erased form.

use proc_macro2::TokenStream;

use super::Expansion;
use super::at::on;

use crate::place::quote;

impl Expansion<'_> {
    pub(super) fn any_step(&self) -> TokenStream {
        let (inner, ledger) = (&self.inner, self.ledger());
        let steps: Vec<_> = self.shape.steps.iter().map(|step| &step.name).collect();
        let docs = self.shape.steps.iter().map(|step| format!("The run is at `{}`.", step.wire));
        let (krate, recipe) = (self.krate, self.own_name());
        let (last, most) =
            steps.split_last().map_or((None, &[][..]), |(last, most)| (Some(last), most));
        let places = 0..most.len();
        let private = &self.private;
        let outcomes = self.shape.steps.iter().map(|step| &step.outcome_enum);
        let functions = (0..steps.len()).map(on);
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

                /// Reports an outcome by its name: the run continues with the next step, or breaks
                /// off with how it ended.
                ///
                /// # Errors
                /// The current step has no such outcome. The run is consumed all the same: to be
                /// able to ask again, keep its [`position`](Self::position), whose `typed()` leads
                /// back.
                #inner fn report(
                    self,
                    outcome: &::core::primitive::str,
                ) -> ::core::result::Result<::core::ops::ControlFlow<End, Self>, #krate::UnknownName> {
                    match self {
                        #(Self::#steps(at) => match <#outcomes as #krate::WireEnum>::from_name(outcome) {
                            ::core::result::Result::Ok(outcome) => {
                                ::core::result::Result::Ok(::core::convert::From::from(#functions(at, outcome)))
                            }
                            ::core::result::Result::Err(unknown) => ::core::result::Result::Err(unknown),
                        },)*
                    }
                }
            }

            #[automatically_derived]
            impl<S: #private::Place> ::core::convert::From<At<S>> for AnyStep {
                #[inline]
                fn from(at: At<S>) -> Self {
                    any_step(S::INDEX, at.ledger)
                }
            }

            /// The index comes from a position of this recipe, so the last step is what remains.
            #[doc(hidden)]
            #[inline]
            pub(super) fn any_step(step: ::core::primitive::usize, ledger: #ledger) -> AnyStep {
                match step {
                    #(#places => AnyStep::#most(At { ledger, step: ::core::marker::PhantomData }),)*
                    _ => AnyStep::#last(At { ledger, step: ::core::marker::PhantomData }),
                }
            }
        }
    }
}
