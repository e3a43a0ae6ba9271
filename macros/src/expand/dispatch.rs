//! Where each outcome leads, as a `match`: what the erased form asks for each transition.
//!
//! The outline says the same as data, but a `match` costs about half the instructions. Its arms are
//! constants, because the library enters the step: code that does so in every arm takes longer to
//! compile.

use proc_macro2::TokenStream;

use super::Expansion;
use crate::model::{Next, Outcome};
use crate::place::quote;

impl Expansion<'_> {
    /// The items of the trait `Recipe` that the erased form follows.
    pub(super) fn dispatch(&self) -> TokenStream {
        let (krate, private, module) = (self.krate, &self.private, &self.shape.module);
        let steps = &self.shape.steps;
        let places: Vec<_> = (0..steps.len()).collect();
        let nexts = steps.iter().map(|step| {
            let outcomes = 0..step.outcomes.len();
            let nexts = step.outcomes.iter().map(|outcome| self.leads_to(outcome));
            quote!(match outcome { #(#outcomes => #nexts,)* _ => #private::LeadsTo::Nowhere })
        });
        let enums = steps.iter().map(|step| &step.outcome_enum);
        quote! {
            const EXITS: &'static [#krate::AnyReason] = <#module::Step as #private::Scope>::EXITS;

            #[inline]
            fn leads_to(
                step: ::core::primitive::usize,
                outcome: ::core::primitive::usize,
            ) -> #private::LeadsTo {
                match step {
                    #(#places => #nexts,)*
                    _ => #private::LeadsTo::Nowhere,
                }
            }

            #[inline]
            fn outcome_index(
                step: ::core::primitive::usize,
                name: &::core::primitive::str,
            ) -> ::core::option::Option<::core::primitive::usize> {
                match step {
                    #(#places => <#module::#enums as #krate::WireEnum>::index_of(name),)*
                    _ => ::core::option::Option::None,
                }
            }
        }
    }

    fn leads_to(&self, outcome: &Outcome) -> TokenStream {
        let (private, module) = (&self.private, &self.shape.module);
        match outcome.next {
            Next::Step(step) if self.shape.steps[step].max_visits.is_some() => {
                quote!(#private::LeadsTo::LimitedStep(#step))
            }
            Next::Step(step) => quote!(#private::LeadsTo::Step(#step)),
            Next::Exit(exit) => quote!(#private::LeadsTo::Exit(#exit)),
            Next::Restart(restart) => {
                quote!(#private::leads_to_restart::<#module::Step, #restart>())
            }
        }
    }
}
