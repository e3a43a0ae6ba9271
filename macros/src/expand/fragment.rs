//! Shared steps: a type that holds their prompts, and a macro that carries them into recipes.

use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Visibility;
use syn::ext::IdentExt;

use crate::check::{self, Judgement};
use crate::syntax::Fragment;

/// What `steps!` leaves behind. Type and macro have one name, so that one path leads to both.
pub(crate) fn fragment(fragment: &Fragment, krate: &TokenStream) -> TokenStream {
    let Fragment { docs, visibility, name, parameters, block, steps } = fragment;
    // A macro that is not exported cannot be public; that has been reported.
    let visibility = match visibility {
        Visibility::Public(_) => &syn::parse_quote!(pub(crate)),
        restricted => restricted,
    };
    let carrier = format_ident!("__surefire_steps_{}", name.unraw());
    let docs =
        if docs.is_empty() { quote!(#[doc = "Steps that several recipes share."]) } else { quote!(#docs) };
    let mut named = HashSet::new();
    let prompts = steps.iter().filter_map(|step| {
        let (constant, prompt) = (Fragment::prompt_constant(&step.name), step.prompt.value()?);
        // A second step of the same name is reported by the recipes that include both.
        if !named.insert(constant.to_string()) {
            return None;
        }
        let prompt = match check::judge(prompt) {
            Judgement::Good | Judgement::Unknown => quote!(#prompt),
            // It has been reported; recipes that include the step are not to report it again.
            Judgement::Empty(_) | Judgement::Missing(..) => quote!("?"),
        };
        let docs = format!("The prompt of the step `{}`.", step.name);
        Some(quote! {
            #[doc = #docs]
            #visibility const #constant: &'static ::core::primitive::str = #prompt;
        })
    });
    quote! {
        #docs
        #[allow(non_camel_case_types)]
        #[derive(::core::fmt::Debug, ::core::clone::Clone, ::core::marker::Copy)]
        #visibility enum #name {}

        #[allow(dead_code)]
        impl #name { #(#prompts)* }

        #[allow(unused_macros)]
        macro_rules! #carrier {
            ($($call:tt)*) => { #krate::__private::splice! { (#parameters) { #block } $($call)* } };
        }

        #[allow(unused_imports)]
        #visibility use #carrier as #name;
    }
}
