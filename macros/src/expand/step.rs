//! The enum of steps, and each step as a type.

use proc_macro2::TokenStream;
use quote::quote_spanned;

use super::Expansion;
use super::outcome::names;
use crate::place::quote;
use crate::syntax::Docs;

impl Expansion<'_> {
    pub(super) fn step_enum(&self) -> TokenStream {
        let inner = &self.inner;
        let variants = self.shape.steps.iter().map(|step| {
            let (docs, name) = (or_named(&step.docs, &step.wire), &step.name);
            quote!(#docs #name)
        });
        // With the span of the recipe's name, like `At`.
        let step = quote_spanned!(self.shape.name.span()=> #inner enum Step { #(#variants,)* });
        let idents: Vec<_> = self.shape.steps.iter().map(|step| &step.name).collect();
        let wires: Vec<_> = self.shape.steps.iter().map(|step| step.wire.as_str()).collect();
        let traits = names(self.krate, &quote!(Step), "step", &idents, &wires);
        let derives = self.derives();
        quote! {
            /// The steps of the recipe, by name.
            #[derive(
                ::core::fmt::Debug, ::core::clone::Clone, ::core::marker::Copy,
                ::core::cmp::PartialEq, ::core::hash::Hash,
            )]
            #derives
            #step
            #traits
        }
    }

    /// The step as a type without values: it only marks the step of an `At`.
    pub(super) fn place(&self, index: usize) -> TokenStream {
        let (private, inner) = (&self.private, &self.inner);
        let step = &self.shape.steps[index];
        let (docs, name) = (or_named(&step.docs, &step.wire), &step.name);
        let gates = step.gates_in_words().into_iter().map(|paragraph| format!("\n{paragraph}"));
        quote! {
            #docs
            #(#[doc = #gates])*
            #inner enum #name {}

            #[automatically_derived]
            impl #private::Place for #name {
                const INDEX: ::core::primitive::usize = #index;
            }
        }
    }
}

/// The author's doc comment, or the bare name.
pub(super) fn or_named(docs: &Docs, wire: &str) -> TokenStream {
    // Clippy reports a comment without text where the macro emits it.
    if docs.are_blank() {
        let text = format!("`{wire}`");
        return quote!(#[doc = #text]);
    }
    quote!(#docs)
}
