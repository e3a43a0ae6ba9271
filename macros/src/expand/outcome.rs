//! The enum of a step's outcomes, and the traits of every enum of names.

use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;

use super::step::or_named;
use super::{Expansion, visibility};

use crate::place::quote;

impl Expansion<'_> {
    /// What the author lets the enums of names derive.
    pub(super) fn derives(&self) -> Option<TokenStream> {
        let paths = self.shape.derive.iter().map(|path| match path.get_ident() {
            Some(order) => quote_spanned!(order.span()=> ::core::cmp::#order),
            None => quote!(#path),
        });
        (!self.shape.derive.is_empty()).then(|| quote!(#[derive(#(#paths),*)]))
    }

    pub(super) fn outcome_enum(&self, index: usize) -> TokenStream {
        let step = &self.shape.steps[index];
        let name = &step.outcome_enum;
        let docs = match &step.run {
            None => format!("What the agent can report about the step `{}`.", step.wire),
            Some(_) => format!("What the command of the step `{}` can come to.", step.wire),
        };
        let variants = step.outcomes.iter().map(|outcome| {
            let (docs, name) = (or_named(&outcome.docs, &outcome.wire), &outcome.name);
            quote!(#docs #name)
        });
        // With the span of the step's name, where the compiler then points in its messages.
        let inner = visibility::inside_twice(&self.shape.visibility, step.name.span());
        let outcomes = quote_spanned!(step.name.span()=> #inner enum #name { #(#variants,)* });
        let idents: Vec<_> = step.outcomes.iter().map(|outcome| &outcome.name).collect();
        let wires: Vec<_> = step.outcomes.iter().map(|outcome| outcome.wire.as_str()).collect();
        let traits = names(self.krate, &quote!(#name), "outcome", &idents, &wires);
        let derives = self.derives();
        quote! {
            #[doc = #docs]
            #[derive(
                ::core::fmt::Debug, ::core::clone::Clone, ::core::marker::Copy,
                ::core::cmp::PartialEq, ::core::hash::Hash,
            )]
            #derives
            #outcomes
            #traits
        }
    }
}

/// The traits of an enum of names: ours, strum's and serde's.
///
/// They are generated instead of derived, because derives would require the author's crate to
/// depend on strum and serde, and would more than double the compile time.
pub(super) fn names(
    krate: &TokenStream,
    name: &TokenStream,
    kind: &str,
    variants: &[&Ident],
    wires: &[&str],
) -> TokenStream {
    // An enum without variants has no value to take the index of.
    let index = if variants.is_empty() {
        quote!(match self {})
    } else {
        quote!(self as ::core::primitive::usize)
    };
    // Outcomes are the default, since there are many more enums of those.
    let kind =
        (kind != "outcome").then(|| quote!(const KIND: &'static ::core::primitive::str = #kind;));
    quote! {
        #[automatically_derived]
        impl #krate::WireEnum for #name {
            #kind
            const ALL: &'static [Self] = &[#(Self::#variants,)*];
            const NAMES: &'static [&'static ::core::primitive::str] = &[#(#wires,)*];
            #[inline]
            fn index(self) -> ::core::primitive::usize { #index }
        }
        #krate::__private::names!(#name);
    }
}
