//! Shared steps: a type that holds their prompts, and a macro that carries them into recipes.

use std::collections::HashSet;

use proc_macro2::{Ident, TokenStream};
use quote::format_ident;
use syn::Visibility;
use syn::ext::IdentExt;

use super::gates::no_flaw;
use super::scope::says_something;
use crate::place::quote;
use crate::resolve::{Prompt, ResolvedFragment};
use crate::spelling;
use crate::syntax::{Fragment, Step, Tool};

/// The items that `steps!` generates. Type and macro have the same name, so that one path leads to
/// both.
pub(crate) fn fragment(fragment: &ResolvedFragment, krate: &TokenStream) -> TokenStream {
    let Fragment { docs, visibility, name, parameters, block, .. } = &fragment.written;
    // Only an exported macro can be public. It is called by the path of its alias.
    let exported = matches!(visibility, Visibility::Public(_)).then(|| quote!(#[macro_export]));
    let name = &spelling::defined(name);
    let carrier = format_ident!("__surefire_steps_{}", name.unraw());
    let docs = if docs.is_empty() {
        quote!(#[doc = "Steps that several recipes share."])
    } else {
        quote!(#docs)
    };
    let distinct = distinct_steps(fragment);
    let constants = distinct.iter().filter_map(|(step, prompt)| constant(step, prompt, visibility));
    let assertions = distinct.iter().filter_map(|(step, prompt)| match prompt {
        Prompt::Unseen(written) => {
            let constant = Fragment::prompt_constant(&step.name);
            Some(says_something(
                written,
                &step.name,
                &quote!(#name::#constant),
                &quote!(#krate::__private),
            ))
        }
        Prompt::Good(_)
        | Prompt::Empty { .. }
        | Prompt::NoFile { .. }
        | Prompt::Missing
        | Prompt::Unread
        | Prompt::Command => None,
    });
    let groups = distinct.iter().map(|(step, _)| groups(step, name, visibility, krate));
    quote! {
        #docs
        #[derive(::core::fmt::Debug, ::core::clone::Clone, ::core::marker::Copy)]
        #visibility enum #name {}

        impl #name { #(#constants)* }
        #(#assertions)*
        #(#groups)*

        #[doc(hidden)]
        #exported
        macro_rules! #carrier {
            ($($call:tt)*) => { #krate::__private::splice! { (#parameters) { #block } $($call)* } };
        }

        #[doc(hidden)]
        #visibility use #carrier as #name;
    }
}

/// The steps without those whose constant already exists; the recipes that include both report the
/// second one.
fn distinct_steps(fragment: &ResolvedFragment) -> Vec<(&Step, &Prompt)> {
    let mut named = HashSet::new();
    let steps = fragment.steps();
    steps
        .filter(|(step, _)| named.insert(Fragment::prompt_constant(&step.name).to_string()))
        .collect()
}

/// The constant that recipes read the prompt from.
fn constant(step: &Step, prompt: &Prompt, visibility: &Visibility) -> Option<TokenStream> {
    let value = match prompt {
        Prompt::Good(written) | Prompt::Unseen(written) => quote!(#written),
        // It was already reported; recipes that include the step must not report it again.
        Prompt::Empty { .. } | Prompt::NoFile { .. } => quote!("?"),
        Prompt::Missing | Prompt::Unread | Prompt::Command => return None,
    };
    let constant = spelling::defined(&Fragment::prompt_constant(&step.name));
    let docs = format!("The prompt of the step `{}`.", step.name);
    Some(quote! {
        #[doc = #docs]
        #visibility const #constant: &'static ::core::primitive::str = #value;
    })
}

/// The author's constants with tools, evaluated where the steps are defined; recipes read them from
/// here.
fn groups(step: &Step, name: &Ident, visibility: &Visibility, krate: &TokenStream) -> TokenStream {
    let Some(written) = step.tools.value() else { return TokenStream::new() };
    let groups: Vec<_> = written
        .iter()
        .filter_map(|tool| match tool {
            Tool::Group(group) => Some(group),
            Tool::Word(_) | Tool::Pattern(_) => None,
        })
        .collect();
    let Some(first) = groups.first() else { return TokenStream::new() };
    let names: Vec<_> = (0..groups.len())
        .map(|index| spelling::defined(&Fragment::tools_constant(&step.name, index)))
        .collect();
    let paths = groups.iter().map(|group| &group.path);
    // A list with a word is not empty, and the macro has already checked its words.
    let word = (groups.len() < written.len()).then(|| quote!(&[#krate::Tool::Read],));
    let flaw = quote!(#krate::__private::tools_flaw(&[#word #(#name::#names,)*]));
    let assertion = no_flaw(first, &flaw);
    quote! {
        impl #name {
            #(#[doc(hidden)] #visibility const #names: &'static [#krate::Tool] = #paths;)*
        }
        #assertion
    }
}
