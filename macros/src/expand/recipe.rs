//! The recipe's type, its module around everything else, and how a run begins.

use proc_macro2::TokenStream;
use quote::quote_spanned;

use super::Expansion;
use crate::place::quote;
use crate::spelling;

impl Expansion<'_> {
    pub(super) fn recipe(&self) -> TokenStream {
        let shape = self.shape;
        let (visibility, name, module) = (&shape.visibility, &shape.name, &shape.module);
        let (hidden, outer) = (&self.hidden, &self.outer);
        let (docs, page, module_docs) = (&shape.docs, self.recipe_docs(), self.module_docs());
        let steps = self.step_enum();
        let at = self.at();
        let any_step = self.any_step();
        let each = (0..shape.steps.len()).map(|step| {
            let (place, outcome, next) =
                (self.place(step), self.outcome_enum(step), self.next_enum(step));
            let (entry, methods) = (self.entry(step), self.methods(step));
            quote!(#place #outcome #next #entry #methods)
        });
        let aliases = self.aliases();
        let end = self.end();
        let content = quote!(#steps #at #any_step #end #aliases #(#each)*);
        let parts = quote_spanned!(name.span()=> #outer mod #module { #content });
        // With the span of the recipe's name, where the compiler then reports a clash with another
        // item of that name, or of that of the module. rustdoc finds what the author's comment
        // links to from where it is written; an editor shows the comment of the type.
        let (here, there) = (docs.under(&quote!(doc)), docs.under(&quote!(not(doc))));
        let exports = quote_spanned!(name.span()=> #visibility use #hidden::#name; #visibility use #hidden::#module;);
        let scope = self.scope();
        let implementation = self.implementation();
        let inherent = self.inherent();
        let items = quote! {
            #there
            #page
            #[derive(::core::fmt::Debug, ::core::clone::Clone, ::core::marker::Copy, ::core::default::Default)]
            #outer struct #name;

            #module_docs
            // The author's names are the author's business, and lints about them could not be
            // silenced in place.
            #parts

            #implementation
            #inherent
        };
        quote! {
            #[doc(hidden)]
            mod #hidden { #items }
            #here
            #exports
            #scope
        }
    }

    fn implementation(&self) -> TokenStream {
        let (krate, private) = (self.krate, &self.private);
        let (name, module) = (&self.shape.name, &self.shape.module);
        let (first, count) = (&self.shape.steps[self.shape.initial].name, self.shape.steps.len());
        let (id, outline) = (&self.shape.id, self.outline());
        let dispatch = self.dispatch();
        quote! {
            #[automatically_derived]
            impl #krate::Recipe for #name {
                type Step = #module::Step;
                type Start = #module::At<#module::#first>;
                type AnyStep = #module::AnyStep;
                type Visits = [::core::primitive::u32; #count];

                const ID: &'static ::core::primitive::str = #id;
                const ANY: &'static dyn #krate::AnyRecipe = &#name;
                const OUTLINE: &'static #krate::Outline = #outline;

                #[inline]
                fn begin_after(restarts: ::core::primitive::u32) -> Self::Start {
                    #module::begin(restarts)
                }

                fn any_step(position: #krate::Position<Self>) -> Self::AnyStep {
                    let (step, ledger) = #private::parts(&position);
                    #module::any_step(step, ledger)
                }

                #dispatch
            }
        }
    }

    fn inherent(&self) -> TokenStream {
        let (krate, private) = (self.krate, &self.private);
        let (visibility, name, module) = (&self.outer, &self.shape.name, &self.shape.module);
        let first = &self.shape.steps[self.shape.initial];
        let begins_at = format!("Begins a run, at its first step `{}`.", first.wire);
        let first = spelling::at(&first.name, self.shape.initial_at);
        quote! {
            impl #name {
                /// The recipe as static data: for listings and pictures.
                #visibility const OUTLINE: &'static #krate::Outline = <Self as #krate::Recipe>::OUTLINE;

                /// No run takes more steps than this;
                /// [`MAX_STEPS_IS_EXACT`](Self::MAX_STEPS_IS_EXACT) says whether one can take as
                /// many.
                #visibility const MAX_STEPS: ::core::primitive::u32 = Self::OUTLINE.max_steps;

                /// Whether a run can take [`MAX_STEPS`](Self::MAX_STEPS). Otherwise the graph has
                /// too many walks to look at, and it is only a bound.
                #visibility const MAX_STEPS_IS_EXACT: ::core::primitive::bool = Self::OUTLINE.max_steps_is_exact;

                /// How often a run of [`MAX_STEPS`](Self::MAX_STEPS) visits each step; if that is
                /// only a bound, how often each was counted.
                #visibility const HEAVIEST_PATH: &'static [#krate::PathPart] = Self::OUTLINE.heaviest_path;

                /// The guardrails that are proven never to trip.
                #visibility const NEVER_TRIPS: &'static [#krate::Guardrail] = Self::OUTLINE.never_trips;

                #[doc = #begins_at]
                #[must_use]
                #[inline]
                #visibility const fn begin() -> #module::At<#module::#first> {
                    #module::begin(0)
                }

                /// The shortest paths that together take every outcome, exit, restart and limit;
                /// for tests.
                #visibility fn paths() -> #private::Vec<#krate::paths::RunPath> {
                    <Self as #krate::Recipe>::ANY.paths()
                }

                /// Resumes a run from a snapshot, within the limits of the recipe.
                ///
                /// # Errors
                /// The snapshot is of another recipe, of another version of this one, or no run can
                /// have taken it.
                #visibility fn resume(
                    snapshot: &#krate::Snapshot,
                ) -> ::core::result::Result<#module::AnyStep, #krate::SnapshotError> {
                    match #krate::Position::<Self>::resume(snapshot) {
                        ::core::result::Result::Ok(position) => {
                            ::core::result::Result::Ok(<Self as #krate::Recipe>::any_step(position))
                        }
                        ::core::result::Result::Err(error) => ::core::result::Result::Err(error),
                    }
                }
            }
        }
    }
}
